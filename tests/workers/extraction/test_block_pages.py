"""Block pages: what a site sends instead of its articles (captcha, login) costs tries, and no article."""

import pytest

from tests.workers.helpers import FETCHED_AT, TASK, deliver, fetch_waiting, news, publish, rows, states, url
from workers.extraction.block_pages import BlockPages, SentPage, mark_of
from workers.extraction_config import example_of, keep_example
from workers.health.store import present_alarms
from workers.page_store import StoredPage
from workers.task_state.problems import PROBES, is_in_block, probe_block
from workers.url_states import Found, fingerprint

CAPTCHA = """<html><head><meta charset="{charset}"><title>{title}</title></head><body><h1>{title}</h1>
<p>{text}</p><p>Ray: 7f{ray}c9e{ray}</p><form action="/check"><input name="answer"><button>OK</button></form></body>
</html>"""
WORDLESS = "Your request could not be handled at this moment. Wait for a little while, please, and then come back."


def captcha(number=0, *, title="One moment", text="Please complete the captcha below.", charset="utf-8"):
    """A block page; it shows a number of the request."""
    page = CAPTCHA.format(title=title, text=text, charset=charset, ray=number)
    return page.encode(charset)


def wordless(number=0):
    return captcha(number, text=WORDLESS)


def come_again(connection, ledger, body_of):
    """A spider leases all URLs that wait, as if their time had come, and hands in pages: number → body."""
    connection.zunionstore(ledger.keys["waiting"], [ledger.keys["waiting"], ledger.keys["delayed"]])
    connection.delete(ledger.keys["delayed"])
    return fetch_waiting(ledger, body_of)


def until_settled(connection, ledger, worker, body_of):
    """Let spiders and workers go on until no URL waits; return how often pages were fetched."""
    fetches = 0
    while names := come_again(connection, ledger, body_of):
        worker.extract_pages(TASK, names)
        fetches += len(names)
        assert fetches < 500, "pages are fetched without end"
    assert ledger.counts().unaccounted == 0
    return fetches


@pytest.fixture(autouse=True)
def published(connection, tmp_path):
    """The task, unless a test publishes it otherwise."""
    publish(connection, tmp_path)


@pytest.mark.parametrize(
    ("body", "together"),
    [
        (captcha, 10),
        (wordless, 10),
        (wordless, 1),
        (lambda n: captcha(n, title="会员", text="请先登录，然后查看全文", charset="gbk"), 10),
    ],
    ids=["captcha", "without words", "one by one", "login in GBK"],
)
def test_articles_behind_block_pages_are_written_once_afterwards(body, together, connection, worker, ledger, tmp_path):
    numbers = range(1, 11)
    worker.extract_pages(TASK, deliver(connection, {number: news(number) for number in numbers}))
    blocked = [*range(11, 21)]
    for at in range(0, len(blocked), together):
        worker.extract_pages(TASK, deliver(connection, {number: body(number) for number in blocked[at:][:together]}))
    assert set(states(connection, *blocked)) <= {"waiting", "leased"}  # those that wait again come first
    ledger.reclaim()
    until_settled(connection, ledger, worker, news)
    assert states(connection, *blocked) == ["written"] * 10
    newest = {row["url"]: row for row in rows(tmp_path)}
    assert {row["title"] for row in newest.values()} == {f"Story {number}" for number in (*numbers, *blocked)}
    corrected = [row for row in newest.values() if row["version"] > 1]  # written before the third URL gave the page
    assert len(rows(tmp_path)) == 20 + len(corrected)
    assert len(corrected) <= (2 if together == 1 else 0)


def test_pages_that_are_gone_fail_after_their_tries_and_are_no_alarm(connection, worker, ledger, tmp_path):
    publish(connection, tmp_path, retries=2)
    gone = {3, 6, 9, 12, 15}

    def body_of(number):
        return (
            captcha(title="Gone", text="This story was taken away by its author.") if number in gone else news(number)
        )

    worker.extract_pages(TASK, deliver(connection, {number: body_of(number) for number in range(1, 31)}))
    fetches = 30 + until_settled(connection, ledger, worker, body_of)
    assert fetches <= 30 + len(gone) * 3
    assert states(connection, *gone) == ["failed"] * 5
    assert "block page" in ledger.state_of(url(3))[1]
    assert not present_alarms(connection)
    assert ledger.retry(url(3))
    until_settled(connection, ledger, worker, news)
    assert states(connection, 3) == ["written"]


def test_announcements_that_are_the_same_and_fit_their_section_are_written(connection, worker, ledger, tmp_path):
    same = {4, 11, 18}
    bodies = {number: news(100) if number in same else news(number) for number in range(1, 21)}
    worker.extract_pages(TASK, deliver(connection, bodies))
    assert states(connection, *bodies) == ["written"] * 20
    assert len(rows(tmp_path)) == 20


def test_pages_of_one_template_that_fit_and_are_the_same_at_most_urls_are_block_pages(
    connection, worker, ledger, tmp_path
):
    worker.extract_pages(TASK, deliver(connection, {number: news(number) for number in range(1, 11)}))
    worker.extract_pages(TASK, deliver(connection, dict.fromkeys(range(11, 21), news(500))))
    assert states(connection, *range(11, 21)) == ["waiting"] * 10
    until_settled(connection, ledger, worker, news)
    assert len(rows(tmp_path)) == 20


def test_an_example_that_is_a_block_page_is_removed(connection, worker, ledger):
    page = StoredPage(url(0), wordless(0), "text/html", FETCHED_AT)
    keep_example(connection, TASK, page, url(0), doubt="it is a list page")
    BlockPages(ledger).reasons([SentPage(fingerprint(url(0)), url(0), mark_of(page.body), example=True)])
    worker.extract_pages(TASK, deliver(connection, {number: wordless(number) for number in (1, 2)}))
    assert example_of(connection, TASK) is None
    assert states(connection, 1, 2) == ["waiting"] * 2


def test_error_pages_with_status_200_at_generated_urls_are_no_block_pages(connection, worker, ledger, tmp_path):
    gone = captcha(title="Page not found", text="Sorry, this page does not exist.")
    for first, day in ((1, "2020-01-31"), (11, "2999-01-31")):
        info = {"source": "pattern", "written_for": day}
        worker.extract_pages(TASK, deliver(connection, dict.fromkeys(range(first, first + 10), gone), info=info))
    assert states(connection, *range(1, 11)) == ["rejected"] * 10
    assert ledger.counts().seen == 10, "the others may still appear"
    worker.extract_pages(TASK, deliver(connection, {11: news(11)}, info=info))
    assert [row["url"] for row in rows(tmp_path)] == [url(11)]


def test_what_failed_or_was_rejected_during_an_alarm_waits_again_when_it_is_over(connection, worker, ledger, tmp_path):
    publish(connection, tmp_path, retries=0)
    worker.extract_pages(TASK, deliver(connection, {number: news(number) for number in range(1, 11)}))
    blocked = range(11, 21)
    worker.extract_pages(TASK, deliver(connection, {number: captcha(number) for number in blocked}))
    assert states(connection, *blocked) == ["failed"] * 10
    [alarm] = present_alarms(connection)
    assert alarm.kind == "blocked"
    assert "block page" in alarm.evidence
    ledger.add([Found(url(21)), Found(url(22))])
    ledger.settle(fingerprint(url(21)), "rejected", "a list")
    ledger.settle(fingerprint(url(22)), "rejected", "http 404")
    assert is_in_block(ledger, url(21))
    worker.extract_pages(TASK, deliver(connection, {number: news(number) for number in range(30, 41)}))
    assert not present_alarms(connection)
    assert states(connection, *blocked, 21, 22) == ["waiting"] * 11 + ["rejected"]
    until_settled(connection, ledger, worker, news)
    assert states(connection, *blocked, 21) == ["written"] * 11
    assert len({row["url"] for row in rows(tmp_path)}) == len(rows(tmp_path)) == 32


def test_a_run_probes_whether_a_block_is_over_with_some_pages(connection, worker, ledger, tmp_path):
    publish(connection, tmp_path, retries=0)
    worker.extract_pages(TASK, deliver(connection, {number: news(number) for number in range(1, 11)}))
    probe_block(ledger)
    assert not ledger.has_waiting()
    worker.extract_pages(TASK, deliver(connection, {number: captcha(number) for number in range(11, 31)}))
    probe_block(ledger)
    assert ledger.counts().states["waiting"] == PROBES
    worker.extract_pages(TASK, come_again(connection, ledger, captcha))
    assert ledger.counts().states["failed"] == 20
    probe_block(ledger)
    until_settled(connection, ledger, worker, news)
    assert ledger.counts().states["written"] == 30


def test_the_newest_pages_of_a_task_are_noted(ledger):
    blocks = BlockPages(ledger)
    for number in range(30):
        blocks.reasons([SentPage(fingerprint(url(number)), url(number), f"mark {number}")])
    assert blocks.marks() == {f"mark {number}" for number in range(6, 30)}


def test_the_mark_of_a_hostile_page_takes_linear_time():
    """It would take minutes in quadratic time."""
    for part in (b"<script ", b"<title>", b"<", b"&a", b"a", b"a/", b"1"):
        assert mark_of(part * 400_000)
