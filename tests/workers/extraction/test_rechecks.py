"""What a worker writes when an article comes a second time: at a recheck, after it was forgotten, as a reprint."""

from dataclasses import replace
from functools import partial
from weakref import WeakKeyDictionary

import pytest

from extractors import Section
from tests.workers import helpers
from tests.workers.helpers import (
    CHEAP,
    FETCHED_AT,
    TASK,
    article,
    come_again,
    deliver,
    lose_ledger,
    news,
    rows,
    states,
    url,
)
from workers.inbox import Inbox
from workers.page_store import StoredPage
from workers.url_states import RecheckPlan, fingerprint, next_list_recheck, next_recheck

DAY = 86400.0
publish = partial(helpers.publish, method=CHEAP)


def test_an_article_that_other_voters_cut_differently_stayed_the_same(
    connection, worker, ledger, clock, tmp_path, monkeypatch
):
    monkeypatch.setattr(Section, "extract", _extract_as_voted)
    monkeypatch.setattr(Section, "learn", lambda self, *_, **__: _VOTES.update({self: _VOTES.get(self, 1) + 1}))
    publish(connection, tmp_path, method="auto", revisit=(DAY, 3 * DAY))
    [name] = deliver(connection, {1: news(1)})
    worker.extract_pages(TASK, [name])  # it votes from now on
    come_again(ledger, clock, news(1), 1 * DAY)
    worker.extract_pages(TASK, [name])
    assert ledger.state_of(url(1)) == ("written", "unchanged")
    come_again(ledger, clock, news(1, word="corrected"), 2 * DAY)
    worker.extract_pages(TASK, [name])
    assert [(row["version"], row["title"]) for row in rows(tmp_path)] == [(1, "1 voted"), (2, "2 voted")]


_VOTES: "WeakKeyDictionary[Section, int]" = WeakKeyDictionary()
_extract = Section.extract


def _extract_as_voted(self, *args, **more):
    """The article under a title that says how many pages voted on it."""
    return replace(_extract(self, *args, **more), title=f"{_VOTES.get(self, 1)} voted")


def test_an_article_that_cannot_be_had_whole_is_no_new_version(connection, worker, ledger, tmp_path, clock):
    publish(connection, tmp_path, revisit=(DAY, 3 * DAY))
    [name] = deliver(connection, {1: article(1)})
    worker.extract_pages(TASK, [name])
    changed = article(1, word="corrected")
    assert come_again(ledger, clock, changed, 1 * DAY, missing=(url(1) + "?page=2",)) == [name]
    worker.extract_pages(TASK, [name])
    assert len(rows(tmp_path)) == 1
    assert ledger.state_of(url(1)) == ("written", "a page of it is missing")
    assert come_again(ledger, clock, changed, 2 * DAY) == [name]
    worker.extract_pages(TASK, [name])
    assert [row["version"] for row in rows(tmp_path)] == [1, 2]


def test_rechecks_continue_after_redis_lost_the_ledger(connection, worker, ledger, tmp_path, clock):
    publish(connection, tmp_path, revisit=(DAY, 4 * DAY))
    clock.offset = FETCHED_AT.timestamp() - clock()
    began = clock.offset / DAY
    [name] = deliver(connection, {1: article(1)})
    worker.extract_pages(TASK, [name])
    lose_ledger(connection)
    worker.extract_pages(TASK, deliver(connection, {2: article(2)}))
    assert ledger.state_of(url(1)) == ("written", "learnt 1")
    for days, word in ((1.1, "corrected"), (2.2, "corrected"), (3.3, "again"), (4.4, "late")):
        clock.offset = (began + days) * DAY
        assert ledger.start_rechecks() == (2 if days < 4 else 0)
        pages = {
            leased.fingerprint: StoredPage(leased.url, article(1, word=word), "text/html", FETCHED_AT)
            for leased in ledger.lease(2)
            if leased.url == url(1)
        }
        Inbox(connection).deliver(ledger, pages)
        worker.extract_pages(TASK, [*pages])
        ledger.put_back([fingerprint(url(2))])
        for leased in ledger.lease(1):
            ledger.settle(leased.fingerprint, "failed", "http 404")
    mine = [(row["version"], "again" in row["text"]) for row in rows(tmp_path) if row["url"] == url(1)]
    assert mine == [(1, False), (2, True)], "the first recheck only stores the text that it finds"


def test_during_a_recheck_nobody_else_gets_the_article(connection, worker, ledger, tmp_path):
    publish(connection, tmp_path, revisit=(0.0, DAY))
    worker.extract_pages(TASK, deliver(connection, {1: article(1)}))
    ledger.start_rechecks()
    worker.extract_pages(TASK, deliver(connection, {2: article(1, canonical=url(1))}))
    assert states(connection, 2) == ["fetched"], "it waits for the end of the recheck"
    assert len(rows(tmp_path)) == 1


def test_a_page_in_a_recheck_does_not_take_its_url_from_the_page_that_has_written_it(
    connection, worker, ledger, tmp_path
):
    publish(connection, tmp_path, revisit=(0.0, DAY))
    worker.extract_pages(TASK, deliver(connection, {2: article(2, canonical=url(1))}))
    worker.extract_pages(TASK, deliver(connection, {1: article(1, canonical=url(5))}))
    assert ledger.reopen(url(1)) == "written"
    worker.extract_pages(TASK, deliver(connection, {3: article(3, canonical=url(1))}))
    assert states(connection, 2, 3) == ["written", "duplicate"]


@pytest.mark.parametrize(("choice", "second"), [("mark", [url(1)]), ("drop", []), ("keep", [None])])
def test_a_reprint_names_the_first_article_is_dropped_or_is_nothing_special(
    connection, worker, ledger, tmp_path, choice, second
):
    publish(connection, tmp_path, near_duplicates=choice)
    again = article(1).replace(b"</div></div>", b"<p>Editor: J. Wang</p></div></div>")
    worker.extract_pages(TASK, deliver(connection, {1: article(1), 2: again, 3: article(3, word="different")}))
    written = [(row["url"], row["near_duplicate_of"]) for row in rows(tmp_path)]
    assert written[:-1] == [(url(1), None), *((url(2), near) for near in second)]
    state, reason = ledger.state_of(url(2))
    assert (state, reason.startswith("near http")) == (("duplicate", True) if choice == "drop" else ("written", False))


def test_without_revisit_there_is_no_recheck_or_no_further_one():
    assert next_recheck(None, None, 1, "h", now=1e6) is None
    assert next_list_recheck(None, None, "h", has_new=True, now=1e6) is None
    previous = RecheckPlan(DAY, 2e6, 3, "old", row_hash="old row")
    assert next_recheck(None, previous, 4, "h", now=1e6) == RecheckPlan(0.0, 0.0, 4, "h")
