"""A run as a protocol: what it asks for, told answer by answer. Nothing of Scrapy, no network."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from crawler.politeness.host_files import HostFile, HostFiles
from crawler.politeness.pace import HostProblem, host_of
from crawler.run.article_fetches import REFUSALS_UNCOUNTED
from crawler.run.fetches import Answered, ArticleFetch, ExampleFetch, ListFetch, Unanswered
from crawler.run.list_fetches import PAUSES, RETRIES
from crawler.run.outcomes import Outcome
from crawler.run.section_run import SectionRun
from tests.crawler.run.sections import EXAMPLE, HOST, LIST, PROSE, Driver, links, states, task, url
from workers.inbox import StoredPage
from workers.page_store import unpack
from workers.url_states import fingerprint

AGAIN = Outcome("again", "no answer in time")


def answer(address, body=b"<p>text</p>", status=200, **more):
    return Answered(status, StoredPage(address, body, "text/html", datetime.now(UTC)), **more)


def begun(connection, *, example=False, **keys):
    """A run with its first fetches; with the example kept already unless it is what the test is about."""
    run = SectionRun(connection, task(**keys))
    run.begin()
    fetches = run.next()
    if example:
        return run, fetches
    run.settle(fetches[0], answer(EXAMPLE, PROSE))
    return run, run.next()


def listed(run, fetches, *numbers):
    """The run's next fetches after its start page linked to articles; robots.txt has been refused."""
    for fetch in fetches:
        if fetch.url == LIST:
            run.settle(fetch, answer(LIST, links(*numbers)))
        else:
            run.settle(fetch, Unanswered(Outcome("reject", "http 404"), fetch.url))
    return [fetch for fetch in run.next() if isinstance(fetch, ArticleFetch)]


def test_the_example_is_fetched_alone_and_first(connection):
    run, fetches = begun(connection, example=True)
    assert [(type(fetch), fetch.url) for fetch in fetches] == [(ExampleFetch, EXAMPLE)]
    assert (run.next(), run.in_flight) == ([], {*fetches})
    assert run.settle(fetches[0], answer(EXAMPLE)) == []
    assert LIST in [fetch.url for fetch in run.next()]


@pytest.mark.parametrize("host", [HOST, "https://new.example"])
def test_an_example_that_leads_elsewhere_is_not_kept(connection, host):
    run, [fetch] = begun(connection, example=True)
    assert run.settle(fetch, answer(f"{host}/")) == []
    assert f"redirects to {host}/, which does not match the pattern" in run.report.problems[0]
    moved = f"if the site has moved, write https://new.example for {HOST} in example, pattern and start"
    assert (moved in run.report.problems[0]) is (host != HOST)
    assert run.needs_example()


LONG_EXAMPLE = PROSE + b'<a href="/a/5_2.html">2</a>'


def with_example(connection, *listed):
    """A run whose example has two pages, up to its first articles."""
    run, [fetch] = begun(connection, example=True)
    assert run.settle(fetch, answer(EXAMPLE, LONG_EXAMPLE)) == []
    fetches = run.next()
    return run, [fetch for fetch in fetches if isinstance(fetch, ArticleFetch)] + listed_among(run, fetches, *listed)


def listed_among(run, fetches, *numbers):
    return listed(run, [fetch for fetch in fetches if isinstance(fetch, ListFetch)], *numbers)


def test_further_pages_of_the_example_are_fetched_and_its_first_page_only_once(connection, ledger):
    run, [second] = with_example(connection)
    assert (second.url, second.leased.url) == (f"{HOST}/a/5_2.html", EXAMPLE)
    assert run.settle(second, answer(second.url)) == []
    run.end("finished")
    [[lease]] = ledger.take_all([fingerprint(EXAMPLE)], "worker", seconds=9.0)
    page = unpack(lease.page)
    assert (page.url, page.body, [part.url for part in page.parts]) == (EXAMPLE, LONG_EXAMPLE, [second.url])
    assert states(ledger) == {"fetched": 1}


def test_an_example_whose_further_page_fails_is_tried_again_as_any_article(connection, ledger):
    run, [second] = with_example(connection)
    assert run.settle(second, Unanswered(AGAIN, second.url)) == []
    assert (run.report.later, states(ledger)) == (1, {"waiting": 1})


def test_an_example_of_several_pages_survives_the_death_of_its_spider(connection, ledger):
    with_example(connection)
    later = SectionRun(connection, task())
    later.begin()  # the other spider still counts as alive, so its lease is not taken
    later.ledger.reclaim()
    assert [fetch.url for fetch in later.next() if isinstance(fetch, ArticleFetch)] == [EXAMPLE]


def test_no_more_articles_are_in_flight_than_the_task_says(connection):
    run, fetches = begun(connection, concurrency=3)
    first, *_ = articles = listed(run, fetches, *range(10, 20))
    assert len(articles) == 3
    run.settle(first, answer(first.url))
    assert len(run.next()) == 1


def test_a_list_without_an_answer_is_asked_for_again_after_a_pause(connection):
    run, fetches = begun(connection)
    [fetch] = [fetch for fetch in fetches if fetch.url == LIST]
    for pause in PAUSES:
        [fetch] = run.settle(fetch, Unanswered(AGAIN, fetch.url))
        assert (fetch.url, fetch.after) == (LIST, pause)
    assert fetch.tries == RETRIES
    assert run.settle(fetch, Unanswered(AGAIN, fetch.url)) == []
    assert run.report.problems == [f"start page {LIST}: no answer in time"]


def test_a_list_that_could_not_be_handled_is_not_asked_for_again(connection):
    run, fetches = begun(connection)
    [fetch] = [fetch for fetch in fetches if fetch.url == LIST]
    assert run.settle(fetch, Unanswered(Outcome("again", "unexpected KeyError: x"), LIST, "surprise")) == []
    assert run.report.problems == [f"start page {LIST}: unexpected KeyError: x"]


@pytest.mark.parametrize(("place", "unchanged"), [(LIST, 1), (f"{HOST}/elsewhere/", 0)])
def test_a_list_is_asked_for_by_its_state_and_whole_where_another_address_says_that_it_is_unchanged(
    connection, place, unchanged
):
    Driver(connection).read_body(links(1, 2)).complete()
    run, fetches = begun(connection)
    [fetch] = [fetch for fetch in fetches if fetch.url == LIST]
    assert fetch.headers == {"If-None-Match": '"1"'}
    further = run.settle(fetch, answer(place, b"", status=304))
    assert [(whole.url, whole.headers) for whole in further] == [(LIST, {})] * (1 - unchanged)
    assert (run.report.unchanged, run.report.problems) == (unchanged, [])


def test_the_sitemaps_of_a_robots_txt_that_is_kept_are_read_without_a_request_for_it(connection):
    file = HostFile(200, f"Sitemap: {HOST}/map.xml".encode())
    HostFiles(connection, "robots").put(host_of(HOST), file, 60.0)
    run, [first] = begun(connection)
    run.settle(first, answer(LIST, links(1)))
    assert {fetch.url for fetch in run.next()} == {url(1), f"{HOST}/map.xml"}


def test_a_further_page_that_stays_away_is_named_and_the_article_handed_in(connection, ledger):
    run, fetches = begun(connection, retries=0)
    [first] = listed(run, fetches, 1)
    [second] = run.settle(first, answer(url(1), b'<p>one</p><a href="/a/1_2.html">2</a>'))
    assert run.settle(second, Unanswered(AGAIN, second.url)) == []
    run.end("finished")
    [[lease]] = ledger.take_all([fingerprint(url(1))], "worker", seconds=9.0)
    assert unpack(lease.page).missing == (second.url,)


def test_an_article_of_a_host_that_is_asked_too_much_is_put_off_and_at_last_counts_as_a_try(connection, ledger):
    run, fetches = begun(connection)
    [fetch] = listed(run, fetches, 1)
    refusal = answer(url(1), status=429, refusal=HostProblem("http 429", 0.0, slow=True))
    for _ in range(REFUSALS_UNCOUNTED):
        run.settle(fetch, refusal)
    assert states(ledger)["waiting"] == 1
    last = replace(fetch.leased, tries=run.task.retries + 1)
    run.settle(ArticleFetch(fetch.url, leased=last), refusal)
    assert run.report.failed == 1


def test_a_fetch_that_the_end_of_the_run_held_back_says_nothing_of_its_url(connection, ledger):
    run, fetches = begun(connection)
    [fetch] = listed(run, fetches, 1)
    assert run.settle(fetch, Unanswered(Outcome("again", "RunEnding"), fetch.url, "run ending")) == []
    run.end("stopped")
    assert states(ledger) == {"fetched": 1, "waiting": 1}


def test_a_run_whose_own_host_is_closed_asks_for_nothing_more(connection):
    run, fetches = begun(connection)
    run.settle(fetches[0], Unanswered(Outcome("again", "http 429"), fetches[0].url, "host closed", 600.0))
    assert run.unreachable == "127.0.0.1 is closed: http 429; the rest waits for the next run"
    assert run.next() == []


def test_lists_in_flight_belong_to_the_walk_that_asked_for_them(connection):
    def settle(run, fetches, shown):
        for fetch in fetches:
            place = int(fetch.url.partition("page=")[2] or 1)
            body = links(*shown[place - 1]) + f'<a rel="next" href="{LIST}?page={place + 1}">next</a>'.encode()
            assert run.settle(fetch, answer(fetch.url, body if place < len(shown) else links(*shown[-1]))) == []

    def lists_of(run):
        return [fetch for fetch in run.next() if isinstance(fetch, ListFetch)]

    before, after = [(14, 13), (12, 11), (10, 9)], [(18, 17), (16, 15), (14, 13), (12, 11), (10, 9)]
    run, fetches = begun(connection, robots="false")
    settle(run, fetches, before)
    asked = lists_of(run)
    assert [fetch.url for fetch in asked] == [f"{LIST}?page=2"]
    connection.flushall()  # loses the articles of the start page
    run.beat()
    [example] = run.next()
    assert run.settle(example, answer(EXAMPLE, PROSE)) == []
    settle(run, asked, before)
    asked = lists_of(run)
    settle(run, [fetch for fetch in asked if fetch.url != LIST], before)
    settle(run, [fetch for fetch in asked if fetch.url == LIST], after)  # the section has grown by two pages meanwhile
    while asked := lists_of(run):
        settle(run, asked, after)
    assert {number for number in range(9, 19) if run.ledger.state_of(url(number))} == {*range(9, 19)}
