"""The spider as a process of its own: what the site sees of it, what the ledger says, how it ends."""

import asyncio
import signal
import socket
from contextlib import ExitStack
from types import SimpleNamespace
from typing import NamedTuple

import pytest
import redis
from scrapy.http import HtmlResponse
from twisted.python.failure import Failure

from crawler.gates.context import FetchContext
from crawler.run.fetches import Answered, Fetch
from crawler.run.outcomes import Outcome
from crawler.run.run_report import BOUNDS
from crawler.spiders.section import SectionSpider
from crawler.spiders.shared import Shared
from evaluation.sample_site import DEAD_LINKS, Response, truth
from tests.crawler.spiders import (
    ARTICLE,
    Child,
    Ended,
    asked_for,
    crawl,
    linked,
    states,
    until,
    write_tasks,
)
from tests.site.server import LoggedRequest, SiteServer
from workers.keys import of_task
from workers.ledger import Ledger
from workers.url_states import Found

pytestmark = pytest.mark.timeout(180)

ARTICLES = [article.path for article in truth("zh")]
[MOVED] = [article for article in truth("zh") if article.other_paths]  # listed under its old path too, which redirects
HTML = {"Content-Type": "text/html; charset=utf-8"}


# One crawl of a section in which each article has a trouble of its own


class Crawled(NamedTuple):
    ended: Ended
    states: dict[str, tuple[str, str] | None]
    requests: list[LoggedRequest]
    elsewhere: list[LoggedRequest]
    counts: dict[str, int]

    def looks(self, path):
        return [request.status for request in self.requests if request.path == path]


(FLAKY, PICTURE, AWAY, FORBIDDEN, MOVED_OFF, BROKEN, RELOADS, EMPTY, MEMBERS, PRIVATE) = [
    path for path in ARTICLES if path != truth("zh")[3].path
][:10]


def trouble(site, other):
    once = iter([503])

    def flaky(request):
        return Response(next(once, 200), HTML, site._pages[FLAKY].body)

    site.robots_txt = f"User-agent: Exemplar\nDisallow: {FORBIDDEN}\nDisallow: /login\n"
    other.robots_txt = "User-agent: *\nDisallow: /\n"
    site.override(FLAKY, flaky)
    site.override(PICTURE, headers={"Content-Type": "image/png"})
    site.override(AWAY, status=302, headers={"Location": "/about.html"})
    site.override(MOVED_OFF, status=301, headers={"Location": other.url + MOVED_OFF})
    site.override(BROKEN, headers={**HTML, "Content-Length": "9000", "Connection": "close"}, body=b"<p>half a page")
    site.override(RELOADS, headers=HTML, body=b'<meta http-equiv="refresh" content="0; url=/about.html">')
    site.override(MEMBERS, status=302, headers={"Location": "/login?back=1"})
    site.override(PRIVATE, status=302, headers={"Location": other.url.replace("127.0.0.1", "127.0.0.2") + PRIVATE})
    site.override(EMPTY, body=b"")


@pytest.fixture(scope="module")
def crawled(redis_url, tmp_path_factory):
    folder = tmp_path_factory.mktemp("crawled")
    with redis.Redis.from_url(redis_url) as connection, SiteServer() as site, SiteServer() as other:
        connection.flushall()
        trouble(site, other)
        write_tasks(folder, site.url, retries=1)
        ended = crawl(folder, redis_url)
        ledger = Ledger(connection, "zh-news")
        said = {path: ledger.state_of(site.url + path) for path in [*linked(site), DEAD_LINKS["zh"]]}
        return Crawled(ended, said, site.requests, other.requests, ledger.counts().to_dict())


def test_every_url_is_accounted_for(crawled):
    assert crawled.counts["unaccounted"] == 0
    assert crawled.counts["leased"] == crawled.counts["waiting"] == 0


def test_each_request_says_who_asks_and_how_to_reach_us(crawled):
    agents = {request.user_agent for request in crawled.requests}
    assert len(agents) == 1
    assert agents.pop().startswith("Exemplar/")
    assert all("(+https://example.org/our-crawler)" in request.user_agent for request in crawled.requests)


def test_robots_txt_is_asked_first_and_obeyed(crawled):
    assert crawled.requests[0].path == "/robots.txt"
    assert crawled.looks(FORBIDDEN) == []


@pytest.mark.parametrize(
    ("path", "looks", "state", "reason"),
    [
        (FORBIDDEN, [], "rejected", "robots.txt forbids it"),
        (DEAD_LINKS["zh"], [404], "rejected", "http 404"),
        (FLAKY, [503, 200], "fetched", ""),
        (AWAY, [302], "rejected", "redirects to http://127.0.0.1:"),  # of another pattern
        (RELOADS, [200], "rejected", "redirects to http://127.0.0.1:"),
        (PICTURE, [200], "rejected", "not a page: image/png"),
        (MEMBERS, [302, 302], "failed", "login: redirects to http://127.0.0.1:"),  # which robots.txt forbids
        (BROKEN, [200, 200], "failed", "the response broke off"),
        (EMPTY, [200, 200], "failed", "empty answer"),
        (PRIVATE, [302], "failed", "address 127.0.0.2 is not public"),
    ],
)
def test_each_trouble_has_its_outcome(crawled, path, looks, state, reason):
    assert crawled.looks(path) == looks
    now, said = crawled.states[path]
    assert (now, said.startswith(reason)) == (state, True), said


def test_another_host_is_asked_for_its_own_robots_txt(crawled):
    assert [request.path for request in crawled.elsewhere] == ["/robots.txt"]
    assert crawled.states[MOVED_OFF] == ("rejected", "robots.txt forbids it")


def test_the_other_articles_are_fetched_exactly_once(crawled):
    untroubled = [path for path in ARTICLES[11:] if path != MOVED.path]
    assert untroubled
    assert [crawled.looks(path) for path in untroubled] == [[200]] * len(untroubled)


def test_failed_articles_are_in_the_report_and_the_exit_code(crawled):
    assert crawled.ended.report["outcome"] == "finished"
    assert crawled.ended.report["failed"] == crawled.counts["failed"] > 0
    assert crawled.ended.code == 1
    assert "Traceback" not in crawled.ended.said


# Runs without trouble


def test_two_spiders_of_one_task_fetch_each_page_once(site, connection, redis_url, tmp_path):
    def when_both_are_there(request):
        until(lambda: connection.zcard(of_task("zh-news", "crew")) == 2, within=30.0)
        return Response(404, HTML, b"")

    site.override("/robots.txt", when_both_are_there)
    write_tasks(tmp_path, site.url, delay=0.1)
    gone = [Found(f"{site.url}{ARTICLE}1101/{number}.html") for number in range(40)]
    Ledger(connection, "zh-news").add(gone)
    with Child("zh-news", tmp_path, redis_url) as one, Child("zh-news", tmp_path, redis_url) as two:
        ended = [one.end(), two.end()]
    assert [each.report["outcome"] for each in ended] == ["finished", "finished"], ended
    looks = asked_for(site)
    again = [path for path in looks if path != MOVED.path and looks.count(path) > 1]
    assert again == []
    assert set(looks) >= linked(site)
    assert sorted(each.report["lists"] > 0 for each in ended) == [False, True]
    assert all(each.report["fetched"] + each.report["rejected"] for each in ended)


# Ends


def test_a_site_that_is_away_ends_in_a_report_without_a_traceback(connection, redis_url, tmp_path):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound, not listening: nobody else gets the port
        write_tasks(tmp_path, f"http://127.0.0.1:{closed.getsockname()[1]}")
        ended = crawl(tmp_path, redis_url)
    assert ended.code == 1
    assert [problem for problem in ended.report["problems"] if "start page" in problem and "refused" in problem]
    assert "Traceback" not in ended.said


def test_sigterm_ends_a_run_in_order_with_its_pages(site, connection, redis_url, tmp_path):
    write_tasks(tmp_path, site.url, delay=0.2)
    with Child("zh-news", tmp_path, redis_url) as child:
        until(lambda: len(asked_for(site)) >= 4)
        ended = child.stop(signal.SIGTERM)
    assert (ended.code, ended.report["outcome"]) == (1, "stopped")
    came = [request for request in site.requests if request.path in ARTICLES and request.status == 200]
    now = states(connection)
    assert ended.report["fetched"] == now["fetched"] == len(came)
    assert "leased" not in now
    assert now["waiting"] + now["fetched"] + now.get("rejected", 0) == now["seen"]


# What is wrong from the start


def one_line(ended, *words):
    assert ended.code not in (0, None)
    assert len(ended.said.strip().splitlines()) == 1, ended.said
    for word in words:
        assert word in ended.said


@pytest.mark.parametrize(
    ("task", "keys", "words"),
    [
        ("zh-new", {}, ["unknown task 'zh-new'", "zh-news"]),
        ("zh-news", {"headers": "{X-Key: '${NOT_SET_ANYWHERE}'}"}, ["NOT_SET_ANYWHERE is not set"]),
    ],
)
def test_a_task_list_that_cannot_be_used_is_one_line(connection, redis_url, tmp_path, task, keys, words):
    write_tasks(tmp_path, "http://127.0.0.1:9", **keys)
    one_line(crawl(tmp_path, redis_url, task), *words)


def test_a_redis_that_is_not_there_is_one_line(tmp_path):
    write_tasks(tmp_path, "http://127.0.0.1:9")
    ended = crawl(tmp_path, f"unix://{tmp_path}/nobody")
    one_line(ended, "does not answer")
    assert ended.code == 3


# Surprises in a callback, told to the spider itself


class Noted:
    """A run that hands out `fetches` one by one and notes what it is told; it stumbles over answers with `error`."""

    task = SimpleNamespace(name="news")
    report = SimpleNamespace(problem=lambda text: None)
    bounds = BOUNDS
    unreachable = ""

    def __init__(self, error=None, *fetches):
        self.error, self.fetches, self.told = error, [*fetches], []

    def next(self):
        return [self.fetches.pop(0)] if self.fetches else []

    def pause(self):
        return None

    def settle(self, fetch, answer):
        if self.error is not None and isinstance(answer, Answered):
            raise self.error
        self.told.append((fetch.url, answer))
        return []


FETCH = Fetch("http://site.example/1")
NEXT = Fetch("http://site.example/2", headers={"If-None-Match": "x"})


class Engine:
    """Scrapy's engine as far as a spider calls it."""

    running = True

    def __init__(self):
        self.closed = []

    async def close_spider_async(self, reason):
        self.closed.append(reason)


def spider_of(run):
    spider = SectionSpider(FetchContext(), ExitStack(), run, Shared(None, None))
    spider.crawler = SimpleNamespace(engine=Engine())
    return spider


def told(run, came):
    """What a spider requests after an answer or a failure, and after the answers to that; and its outcome."""
    spider, requested = spider_of(run), []

    async def follow():
        waiting = [(request, came) for request in spider._requests([FETCH])]
        while waiting:
            request, answer = waiting.pop(0)
            if isinstance(answer, Exception):
                failure = Failure(answer)
                failure.request = request
                further = request.errback(failure)
            else:
                further = request.callback(answer, **request.cb_kwargs)
            requested.extend(further)
            waiting += [(request, HtmlResponse(request.url, body=b"<p>y</p>")) for request in further]

    asyncio.run(follow())
    return requested, spider.outcome


ANSWER = HtmlResponse(FETCH.url, body=b"<p>x</p>", headers={"Content-Type": "text/html"})


def test_a_surprise_with_one_page_is_told_and_the_run_goes_on():
    run = Noted(RuntimeError("no such luck"), NEXT)
    requests, outcome = told(run, ANSWER)
    assert [url for url, _ in run.told] == [FETCH.url, NEXT.url]
    none = run.told[0][1]
    assert (none.cause, none.outcome) == ("surprise", Outcome("again", "unexpected RuntimeError: no such luck"))
    assert ([request.url for request in requests], outcome) == ([NEXT.url], "finished")


def test_redis_away_is_no_surprise_and_not_the_same_as_nothing_to_do():
    run = Noted(redis.ConnectionError("gone"), NEXT)
    assert told(run, ANSWER) == ([], "redis")
    assert (run.told, run.fetches) == ([], [NEXT])


def test_a_url_that_no_request_can_be_made_of_is_settled():
    run = Noted(None, Fetch("http://host:99999:/"), NEXT)
    requests, outcome = told(run, ANSWER)
    assert ([request.url for request in requests], outcome) == ([NEXT.url], "finished")
    assert run.told[1][1].outcome.kind == "fail"


def test_a_spider_that_is_closed_settles_the_fetches_that_were_not_sent_before_its_run_ends():
    run = Noted()
    run.report, run.ended = SimpleNamespace(outcome=""), []
    run.end = lambda outcome: run.ended.append((outcome, [answer.cause for _, answer in run.told]))
    run.in_flight = {FETCH, NEXT}
    spider_of(run).closed("shutdown")
    assert run.ended == [("stopped", ["run ending", "run ending"])]
