"""A run under back-pressure: it pauses, reads lists all the same, and goes on when pages are settled."""

from crawler.run.fetches import ArticleFetch, ListFetch
from crawler.run.run_report import RunBounds, RunOptions
from crawler.run.section_run import PRESSURE_PAUSE, SectionRun
from tests.crawler.clock import HandClock
from tests.crawler.run.sections import links, page, task, url
from workers.backpressure import Marks
from workers.ledger import Ledger
from workers.reporting.presence import alive
from workers.url_states import Found, fingerprint


def begun(connection, clock, marks, **keys_):
    run = SectionRun(connection, task(render="false", **keys_), RunOptions(), RunBounds(monotonic=clock), marks=marks)
    run.begin()
    run.store_example(page(url(5)))  # one page that waits for extraction
    return run


def test_a_run_pauses_at_the_mark_and_goes_on_below_it(connection):
    clock = HandClock()
    run = begun(connection, clock, Marks(task_pages=1))
    run.lists.read(run.next_list(), page(url(""), links(9, 8)))
    assert not any(isinstance(fetch, ArticleFetch) for fetch in run.next())
    assert run.pause() == PRESSURE_PAUSE
    Ledger(connection, "news").settle(fingerprint(url(5)), "written", "")
    clock.now += 20
    assert [fetch.url for fetch in run.next() if isinstance(fetch, ArticleFetch)] == [url(9), url(8)]
    assert run.pressure.level == "go"
    assert any(remark.startswith("the run paused for 20 s") for remark in run.end("finished").remarks)
    assert alive(connection) == []


def test_a_paused_run_with_nothing_to_fetch_ends(connection):
    run = begun(connection, HandClock(), Marks(task_pages=1))
    run.next()
    assert run.pressure.level == "pause"
    assert run.pause() is None


def test_lists_are_read_while_pages_wait_but_not_while_memory_is_short(connection):
    run = begun(connection, HandClock(), Marks(task_pages=1))
    assert any(isinstance(fetch, ListFetch) for fetch in run.next())
    other = begun(connection, HandClock(), Marks(memory=1e-9))
    assert (other.next(), other.pause()) == ([], PRESSURE_PAUSE)


def test_a_slow_run_has_a_quarter_in_flight(connection):
    run = begun(connection, HandClock(), Marks(task_pages=4), concurrency=8)
    run.ledger.add([Found(url(number)) for number in range(20, 40)])
    for leased in run.articles.lease(2):
        run.articles.hand_in(leased.fingerprint, page(leased.url))
    run.articles.flush()
    assert sum(isinstance(fetch, ArticleFetch) for fetch in run.next()) == 2
    assert run.pressure.level == "slow"
