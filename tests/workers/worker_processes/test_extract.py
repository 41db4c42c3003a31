"""An extraction worker in this process; real workers are in test_supervisor.py."""

import pytest

from extractors import Section, UnusablePage
from extractors.content.body_html import TreeMarkup
from tests.workers.helpers import FETCHED_AT, TASK, Reports, article, deliver, holds, publish, rows, states, take, url
from tests.workers.sqlite_outputs import in_table
from workers import keys
from workers.extraction import section_preparation
from workers.extraction_config import example_fetched, keep_example
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.pages.quarantine import kept_page
from workers.sinks import AppendedFileSink, OutputOptions
from workers.url_states import fingerprint
from workers.worker_processes.extraction_worker import MOST_FETCHES, ExtractionWorker


@pytest.fixture
def notes():
    return Reports()


@pytest.fixture
def worker(connection, notes, clock, tmp_path):
    worker = ExtractionWorker(connection, "here", watch=notes)
    yield worker
    worker.close()


@pytest.fixture(autouse=True)
def published(connection, tmp_path):
    """The task, unless a test publishes it otherwise."""
    publish(connection, tmp_path)


def test_a_page_becomes_a_row_in_every_output(connection, worker, tmp_path):
    publish(connection, tmp_path, "{task}.jsonl", "out.db")
    worker.extract_pages(TASK, deliver(connection, {1: article(1)}))
    [row] = rows(tmp_path, "gazette.jsonl")
    assert (row["task"], row["url"], row["canonical_url"], row["title"]) == (TASK, url(1), url(1), "Story 1")
    assert row["text"].startswith("Story 1, plain: The harbour office")
    assert "Market Square" not in row["text"]
    assert (row["fetched_at"], row["robots_directives"]) == (FETCHED_AT.isoformat(), [])
    assert in_table(tmp_path, "url, text") == [(url(1), row["text"])]
    assert states(connection, 1) == ["written"]


def test_html_and_markdown_are_in_the_outputs_that_name_them_and_only_made_for_these(connection, worker, tmp_path):
    page = article(1).replace(b"Story 1, plain: ", b"<b>Story 1</b>, plain: ")
    publish(connection, tmp_path, "plain.jsonl", "out.db")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TreeMarkup, "html", lambda markup: pytest.fail("nobody asked for HTML"))
        worker.extract_pages(TASK, deliver(connection, {1: page}))
    named = OutputOptions(fields=(("url", "url"), ("body", "html"), ("markdown", "markdown"))).to_json()
    publish(connection, tmp_path, "plain.jsonl", "named.jsonl", "{id}.md", output_options={"named.jsonl": named})
    worker.extract_pages(TASK, deliver(connection, {2: page}))
    first, second = rows(tmp_path, "plain.jsonl")
    assert {"html", "markdown"}.isdisjoint({*first, *second})
    [row] = rows(tmp_path, "named.jsonl")
    assert row["body"].startswith("<p><strong>Story 1</strong>, plain: The harbour office")
    assert row["markdown"].startswith("**Story 1**, plain: The harbour office")
    [file] = tmp_path.glob("*.md")
    assert "\n\n**Story 1**, plain: The harbour office" in file.read_text().replace("---\n", "\n\n")


def test_comments_are_in_the_outputs_that_name_them(connection, worker, tmp_path):
    comment = b"<div class=comment><b class=author>Ann Reed</b><time>2025-11-18</time><p>Well told.</p></div></body>"
    named = OutputOptions(fields=(("url", "url"), ("said", "comments"))).to_json()
    publish(connection, tmp_path, "plain.jsonl", "named.jsonl", output_options={"named.jsonl": named})
    worker.extract_pages(TASK, deliver(connection, {1: article(1).replace(b"</body>", comment)}))
    [row] = rows(tmp_path, "named.jsonl")
    [said] = row["said"]
    assert (said["author"], said["time"], said["text"]) == ("Ann Reed", "2025-11-18", "Well told.")
    assert (said["html"], said["number"]) == ("<p>Well told.</p>", 1)
    [row] = rows(tmp_path, "plain.jsonl")
    assert "comments" not in row
    assert "Well told" not in row["text"]


def test_an_example_in_an_encoding_that_only_its_header_names_is_read(connection, worker, monkeypatch):
    seen = []
    monkeypatch.setattr(
        section_preparation, "Section", lambda html, *_, **__: seen.append(html) or Section(None, method="density")
    )
    page = StoredPage(url(0), "Übermut".encode("utf-16-le"), "text/html; charset=utf-16le", FETCHED_AT)
    keep_example(connection, TASK, page, url(0))
    worker.extract_pages(TASK, deliver(connection, {1: article(1)}))
    assert seen == ["Übermut"]


@pytest.mark.parametrize("example", [None, b" "], ids=["none", "one that cannot be used"])
def test_without_a_usable_example_pages_are_cut_by_the_fallback(connection, worker, tmp_path, example):
    connection.delete(f"exemplar:task:{TASK}:example")
    if example is not None:
        keep_example(connection, TASK, StoredPage(url(9), example, "text/html", FETCHED_AT), url(9))
    worker.extract_pages(TASK, deliver(connection, {1: article(1)}))
    assert [row["method"] for row in rows(tmp_path)] == ["density"]


def test_an_example_that_ends_every_worker_is_not_tried_for_ever(connection, worker, notes, monkeypatch):
    [name] = deliver(connection, {1: article(1)})

    def end_the_worker(*_, **__):
        raise SystemExit

    monkeypatch.setattr(section_preparation, "Section", end_the_worker)
    for _ in range(section_preparation.MOST_BEGINS):
        with pytest.raises(SystemExit):
            worker.extract_pages(TASK, [name])
    worker.extract_pages(TASK, [name])
    assert f"its example {url(0)} crashes every worker, or takes too long" in notes.problems[-1]
    assert states(connection, 1) == ["fetched"]


def test_an_output_that_can_not_be_opened_lets_pages_rest_and_is_told(connection, worker, ledger, tmp_path, notes):
    publish(connection, tmp_path, "${NOT_SET_ANYWHERE}/out.jsonl")
    [name] = deliver(connection, {1: article(1)})
    worker.extract_pages(TASK, [name])
    assert "NOT_SET_ANYWHERE is not set" in notes.problems[0]
    assert states(connection, 1) == ["fetched"]
    assert take(ledger, name, "other", seconds=9) is None  # at rest


def test_a_task_that_is_not_published_lets_its_pages_rest(connection, worker, tmp_path, clock):
    connection.delete(keys.CONFIGS)
    names = deliver(connection, {1: article(1)})
    worker.extract_pages(TASK, names)
    assert Ledger(connection, TASK).state_of(url(1)) == ("fetched", "task is not published")
    publish(connection, tmp_path)
    clock.forward(worker.times.task_pause)
    worker.extract_pages(TASK, names)
    assert states(connection, 1) == ["written"]


def test_a_page_whose_article_another_page_is_writing_waits(connection, worker, ledger, clock):
    other, name = deliver(connection, {1: article(1), 2: article(2, canonical=url(1))})
    take(ledger, other, "another worker", seconds=9)
    ledger.claim_all([(other, fingerprint(url(1)))], "another worker")
    worker.extract_pages(TASK, [name])
    assert states(connection, 2) == ["fetched"]
    ledger.settle(other, "written", "", worker="another worker")
    clock.forward(worker.times.claim_pause)
    worker.extract_pages(TASK, [name])
    assert states(connection, 2) == ["duplicate"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (UnusablePage("nothing parses"), "unusable page: nothing parses"),
        (ZeroDivisionError("a mistake of ours"), "extractor error: ZeroDivisionError: a mistake of ours"),
    ],
)
def test_a_page_that_can_not_be_cut_goes_to_quarantine(connection, worker, ledger, monkeypatch, error, reason):
    extract = Section.extract

    def fail(self, html, *args, **more):
        if b"BAD" in html:
            raise error
        return extract(self, html, *args, **more)

    monkeypatch.setattr(Section, "extract", fail)
    names = deliver(connection, {1: b"BAD", 2: article(2)})
    worker.extract_pages(TASK, names)
    assert ledger.problems()[0]["reason"] == reason
    assert states(connection, 1, 2) == ["failed", "written"]
    note, body = kept_page(connection, TASK, names[0])
    assert (note.reason, body) == (reason, b"BAD")


def test_a_page_that_is_damaged_each_time_fails(connection, worker, ledger):
    for fetches in range(1, MOST_FETCHES + 1):
        [name] = deliver(connection, {1: article(1)})
        connection.hset(f"{ledger.keys['page']}:{name}", "body", b"damaged")
        worker.extract_pages(TASK, [name])
        assert states(connection, 1) == ["waiting" if fetches < MOST_FETCHES else "failed"]


def test_a_damaged_example_is_fetched_again(connection, worker):
    assert example_fetched(connection, TASK)[0] == url(0)
    connection.hset(f"exemplar:task:{TASK}:example", "body", b"damaged")
    names = deliver(connection, {1: article(1)})
    worker.extract_pages(TASK, names)
    assert (states(connection, 1), example_fetched(connection, TASK)[0]) == (["fetched"], None)


def test_who_lost_the_page_while_waiting_for_the_file_writes_nothing(connection, worker, ledger, tmp_path, monkeypatch):
    [name] = deliver(connection, {1: article(1)})
    open_locked = AppendedFileSink._open_locked

    def wait_long(self, patience):
        file = open_locked(self, patience)
        ledger.free("here")
        take(ledger, name, "quicker", seconds=9)
        return file

    monkeypatch.setattr(AppendedFileSink, "_open_locked", wait_long)
    worker.extract_pages(TASK, [name])
    assert rows(tmp_path) == []
    assert holds(ledger, name, "quicker")


def test_what_the_site_says_of_a_pages_use_is_in_its_row(connection, worker, tmp_path):
    publish(connection, tmp_path, product="Exemplar")
    said = {"robots": "noarchive", "exemplar": "noai", "tdm-reservation": "1"}
    head = "".join(f'<meta name="{name}" content="{content}">' for name, content in said.items())
    deliver(connection, {1: article(1, head=head), 2: article(2)}, headers={"x-robots-tag": ["noindex", "bot: none"]})
    worker.extract_pages(TASK, [fingerprint(url(number)) for number in (1, 2)])
    first, second = rows(tmp_path)
    assert first["robots_directives"] == ["noindex", "noarchive", "noai"]
    assert first["tdm_reservation"] is True
    assert (second["robots_directives"], second["tdm_reservation"]) == (["noindex"], None)
    assert "robots_meta" not in first
