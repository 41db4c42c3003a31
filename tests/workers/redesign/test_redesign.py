"""A redesign as workers see it: pages off the template are noted, a new example is proposed, adopted, and the gap
between the two is extracted again. Pages are those of the sample site in its two designs."""

import json
from contextlib import ExitStack

import pytest

from evaluation.sample_site import Response
from tests.site.plain import plain_articles
from tests.workers.helpers import FETCHED_AT, archive, rows
from tests.workers.redesigned import SITE, TASK, PlainSection, RedesignedSection
from workers import keys
from workers.errors import ExemplarError
from workers.extraction.recent_pages import section_pages
from workers.extraction_config import example_of, keep_example
from workers.health.store import present_alarms
from workers.page_store import StoredPage
from workers.redesign.adoption import adopt, follow_example
from workers.redesign.off_template import OffTemplatePages
from workers.redesign.proposals import dismiss, proposal_of
from workers.task_state.renaming import rename_task
from workers.unproposed import unproposed
from workers.url_states import Found, RecheckPlan, fingerprint

HIGH = 0.9  # confidence
RIGHT = 0.8  # F1 from which a text is right
DAY = 86400.0


@pytest.fixture
def redesigned(connection, tmp_path, clock):
    """Makes a section of which pages have come in, some in the old design and then some in the new one."""
    with ExitStack() as workers:

        def make(old=range(6), new=range(6, 10), *, kind=RedesignedSection, folder=tmp_path, **config):
            section = kind(connection, folder, clock, **config)
            workers.callback(section.worker.close)
            for design, places in zip(section.designs, (old, new), strict=True):
                section.come(design, places)
            return section

        yield make


@pytest.fixture(params=["en", "zh"])
def section(request, redesigned):
    """No page in the new design has come in yet."""
    return redesigned(new=(), section=request.param)


def test_after_a_redesign_a_new_example_is_proposed_and_adopted_and_the_gap_is_extracted_again(section):
    assert not OffTemplatePages(section.redis, TASK).count()
    section.come("new", range(6, 12))
    before = rows(section.folder)
    assert all(section.f1(row) >= RIGHT for row in before if row["confidence"] >= HIGH)

    proposal = proposal_of(section.redis, TASK)
    assert (proposal.state, proposal.cluster) == ("proposed", 4)
    assert proposal.url in {SITE + article.path for article in section.articles[6:12]}
    assert proposal.test.lost == 0
    old, new = proposal.test.fitting()
    assert new > old

    adopted = adopt(section.redis, TASK)
    assert (adopted.state, adopted.gap.stored, adopted.gap.to_fetch) == ("adopted", 6, 0)
    assert example_of(section.redis, TASK).url == proposal.url
    assert json.loads(section.redis.hget(keys.TASKS, TASK))["example"] == proposal.url
    [former] = section_pages(section.redis, TASK).recent
    assert (former.url, former.former) == (SITE + section.example, True)

    assert len(section.work()) == 6
    again = rows(section.folder)[12:]
    assert [(row["version"], round(section.f1(row), 2) >= 0.99) for row in again] == [(2, True)] * len(again)
    unchanged = {row["url"] for row in before[6:]} - {row["url"] for row in again}
    assert all(section.f1(row) >= 0.99 for row in before if row["url"] in unchanged)
    assert section.ledger.counts().states["written"] == 12
    assert section.ledger.counts().unaccounted == 0
    assert not OffTemplatePages(section.redis, TASK).count()

    section.come("new", [12])
    section.come("classic", [13])  # an old page that was not seen before
    later = rows(section.folder)[12 + len(again) :]
    assert [section.f1(row) >= 0.99 for row in later] == [True, True]
    assert all(row["confidence"] > 0.85 or len(row["text"].encode()) < 300 for row in later)
    with pytest.raises(ExemplarError, match="already been adopted"):
        adopt(section.redis, TASK)


def test_pages_of_a_job_that_ends_after_the_adoption_belong_to_the_gap(redesigned, monkeypatch):
    section = redesigned(new=())
    section.come("new", range(6, 12))
    note = OffTemplatePages.note

    def adopted_before(low, found):
        monkeypatch.undo()
        adopt(section.redis, TASK)  # in another process
        return note(low, found)

    monkeypatch.setattr(OffTemplatePages, "note", adopted_before)
    section.come("new", [12, 13])
    assert proposal_of(section.redis, TASK).gap.stored == 8
    assert len(section.work()) == 8
    assert not OffTemplatePages(section.redis, TASK).count()
    newest = {row["url"]: row for row in rows(section.folder)}
    assert [section.f1(row) >= 0.99 for row in newest.values()] == [True] * 14


def test_a_task_may_look_for_no_example(connection, redesigned):
    redesigned(new=range(6, 12), redesign="ignore")
    assert proposal_of(connection, TASK) is None
    assert not OffTemplatePages(connection, TASK).count()


def test_pages_without_metadata_are_proposed_but_adopted_only_if_many_are_classified_together(connection, redesigned):
    section = redesigned(range(4), kind=PlainSection, most=4, redesign="adopt")
    four = proposal_of(connection, TASK)
    assert (four.state, four.cluster, four.test.lost, four.is_doubtful) == ("proposed", 4, 0, True)
    assert four.problem.startswith("not adopted: its pages declare too little to be surely articles")
    assert unproposed(connection, [TASK]) == {}
    section.come("second", [4, 5, 10, 11, 12])
    eight = proposal_of(connection, TASK)
    assert (eight.state, eight.problem, eight.cluster) == ("adopted", "", 8)


def test_short_pages_without_metadata_are_not_proposed_and_the_reason_is_told(connection, redesigned):
    section = redesigned(new=(), kind=PlainSection, most=1)
    assert unproposed(connection, [TASK]) == {}
    section.come("second", [6])
    assert unproposed(connection, [TASK]) == {}
    section.come("second", range(7, 13))
    assert proposal_of(connection, TASK) is None
    assert "cannot be told from lists" in unproposed(connection, [TASK])[TASK]
    [alarm] = present_alarms(connection)
    assert (alarm.kind, "cannot be told from lists" in alarm.in_words()) == ("template changed", True)
    assert f"`exemplar backtest {TASK} --example {SITE}/posts/" in alarm.advice
    assert any("cannot be told from lists" in raw.decode() for raw in connection.lrange(keys.NOTICES, 0, -1))
    rename_task(connection, TASK, "renamed")
    assert [*unproposed(connection, [TASK, "renamed"])] == ["renamed"]


def test_of_a_task_whose_pages_look_like_lists_an_example_is_proposed(connection, redesigned):
    section = redesigned((), (), kind=PlainSection, most=1, articles=True)
    section.designs["first"][section.articles[0].path] = Response(200, {}, archive())
    section.come("first", range(6))
    section.come("second", range(6, 13))
    proposal = proposal_of(connection, TASK)
    assert (proposal.state, proposal.problem, proposal.test.lost) == ("proposed", "", 0)
    assert proposal.test.counts["same"] + proposal.test.counts["changed"] == len(proposal.test.pages)


def test_a_dismissed_proposal_does_not_come_back(connection, redesigned, clock):
    section = redesigned()
    dismiss(connection, proposal_of(connection, TASK), now=clock())
    section.come("new", range(10, 14))
    assert proposal_of(connection, TASK).state == "dismissed"
    assert "was proposed and dismissed" in unproposed(connection, [TASK])[TASK]


def test_pages_of_a_back_fill_are_no_redesign(connection, redesigned):
    section = redesigned(new=())
    section.come("new", range(6, 12), days=["2020-01-01", "2030-01-01"])
    assert not OffTemplatePages(connection, TASK).count()


def test_notices_are_no_new_template(connection, redesigned):
    section = redesigned(new=())
    notice = "".join(f"<p>Our readers are asked to wait for a while, number {n} in the queue.</p>" for n in range(30))
    body = f"<html><head><title>Wait</title></head><body><div>{notice}</div></body></html>".encode()
    for article in section.articles[6:12]:
        section.designs["new"][article.path] = section.designs["new"][article.path]._replace(body=body)
    section.come("new", range(6, 12))
    assert proposal_of(connection, TASK) is None


def test_lists_are_no_new_template(connection, redesigned):
    section = redesigned(new=(), kind=PlainSection, redesign="adopt")
    titles = [title for title, _ in plain_articles()]
    for number, place in enumerate(section.articles[6:12]):
        chosen = [f'<li><a href="/posts/{n}.html">{title}</a></li>' for n, title in enumerate(titles[number:])]
        body = f"<html><head><title>Page {number}</title></head><body><h1>Page {number}</h1><ul>{''.join(chosen)}</ul>"
        section.designs["second"][place.path] = Response(
            200, {}, f"{body}<p>All of our stories</p></body></html>".encode()
        )
    section.come("second", range(6, 12))
    assert proposal_of(connection, TASK) is None


def test_pages_that_are_not_in_redis_are_taken_from_the_kept_ones_or_fetched(connection, redesigned, tmp_path, clock):
    pages_in_redis = keys.of_task(TASK, "low:pages"), keys.of_task(TASK, "low:pages:at")
    section = redesigned(keep_pages=86400.0)
    connection.delete(*pages_in_redis)
    assert proposal_of(connection, TASK).test.source == "kept pages"
    gap = adopt(connection, TASK).gap
    assert (gap.stored, gap.to_fetch) == (4, 0)
    assert len(section.work()) == 4
    connection.flushall()
    (tmp_path / "b").mkdir()
    section = redesigned(folder=tmp_path / "b")
    connection.delete(*pages_in_redis)
    gap = adopt(connection, TASK).gap
    assert (gap.stored, gap.to_fetch) == (0, 4)
    waiting = section.ledger.lease(10)
    assert {leased.url for leased in waiting} == {SITE + article.path for article in section.articles[6:10]}


def test_a_proposal_of_an_example_that_was_replaced_is_not_adopted(connection, redesigned, clock):
    redesigned()
    example = example_of(connection, TASK)
    keep_example(connection, TASK, example, example.url)
    with pytest.raises(ExemplarError, match="another example"):
        adopt(connection, TASK)
    assert example_of(connection, TASK).url == example.url


def test_a_row_that_a_recheck_has_corrected_is_not_replaced_by_the_earlier_page(connection, redesigned, clock):
    section = redesigned(new=(), revisit=(0.0, 3 * DAY))
    path = section.articles[6].path
    notice = "".join(
        f"<p>The paper is being repaired, and will be back at {n} o'clock in the evening.</p>" for n in range(1, 9)
    )
    right = section.designs["classic"][path]
    section.designs["classic"][path] = Response(200, {}, f"<h1>Works</h1>{notice}".encode())
    section.come("classic", [6])
    assert [*OffTemplatePages(connection, TASK).notes()] == [fingerprint(SITE + path)]
    section.designs["classic"][path] = right
    section.ledger.start_rechecks()
    section.come("classic", [6])
    section.come("new", range(7, 11))
    adopt(connection, TASK)
    section.work()
    newest = {row["url"]: row for row in rows(section.folder)}
    assert section.f1(newest[SITE + path]) >= RIGHT


def test_an_example_that_a_person_has_replaced_closes_the_gap_and_ends_the_proposal(connection, redesigned):
    section = redesigned(new=range(6, 12))
    path = section.articles[7].path
    chosen = StoredPage(SITE + path, section.designs["new"][path].body, section.kind, FETCHED_AT)
    keep_example(connection, TASK, chosen, chosen.url)
    follow_example(section.ledger)
    assert proposal_of(connection, TASK).state == "dismissed"
    assert not OffTemplatePages(connection, TASK).count()
    assert len(section.work()) == 6
    newest = {row["url"]: row for row in rows(section.folder)}
    assert [section.f1(row) >= 0.99 for row in newest.values()] == [True] * 12


def test_only_settled_urls_are_reopened_written_ones_with_a_known_row(connection, ledger):
    plan = RecheckPlan(0.0, 0.0, 1, "00")
    for url in "abcd":
        ledger.add([Found(url)])
    ledger.lease(4)
    for url, state in (("a", "written"), ("b", "rejected"), ("c", "duplicate")):
        ledger.settle(fingerprint(url), state, "")
    assert [ledger.reopen(url) for url in "abcd"] == [None, "rejected", "duplicate", None]
    assert ledger.reopen("a", plan, {"title": "A"}) == "written"
    assert ledger.reopen("a", plan) is None  # it is open
    assert ledger.reopen("unknown", plan) is None
    assert ledger.counts().unaccounted == 0
    leased = {found.url: found.info for found in ledger.lease(10)}
    assert set(leased) == {"a", "b", "c"}
    assert (leased["a"]["title"], leased["a"]["visits"]["version"]) == ("A", 1)
    ledger.settle(fingerprint("a"), "rejected", "no article now")  # its row stays
    assert ledger.state_of("a") == ("written", "recheck: rejected")
