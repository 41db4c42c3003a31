"""The gates by themselves; what they do to a crawl is in test_section_spider."""

import asyncio
import ipaddress

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from crawler.fetching import middlewares
from crawler.fetching.middlewares import GuardMiddleware, HostClosed, PaceMiddleware, RunEnding
from crawler.guarding import resolver
from crawler.guarding.guard import Guard
from crawler.politeness.pace import Trouble, Turn

URL = "http://site.example/a"


@pytest.fixture(autouse=True)
def _guard(monkeypatch):
    monkeypatch.setitem(resolver.GUARD, "current", Guard(["intranet.example:8080"]))


@pytest.mark.parametrize("url", ["file:///etc/hostname", "data:text/html,hi", "ftp://site.example/"])
def test_other_schemes_do_not_pass(url):
    with pytest.raises(IgnoreRequest, match="only http and https"):
        GuardMiddleware("a@example.org").process_request(Request(url))


def test_without_a_contact_only_listed_hosts_pass():
    gate = GuardMiddleware("")
    gate.process_request(Request("http://intranet.example:8080/"))
    for url in (URL, "http://intranet.example/"):
        with pytest.raises(IgnoreRequest, match=r"settings\.contact"):
            gate.process_request(Request(url))


def test_an_answer_from_a_private_address_does_not_pass_whatever_led_there():
    gate = GuardMiddleware("a@example.org")
    answers = [Response(URL, ip_address=ipaddress.ip_address(text)) for text in ("93.184.216.34", "10.0.0.1")]
    assert gate.process_response(Request(URL), answers[0]) is answers[0]
    with pytest.raises(IgnoreRequest, match=r"10\.0\.0\.1 is not public"):
        gate.process_response(Request(URL), answers[1])


class Told:
    """A pace that answers as it is told, and notes what it hears."""

    def __init__(self, *turns):
        self.turns, self.asked, self.heard = iter(turns), [], []

    def ask(self, host, interval):
        self.asked.append(host)
        return next(self.turns)

    def in_time(self, host, turn, interval):
        return next(self.turns)

    def came(self, host, turn, seconds):
        self.heard.append((host, turn, seconds))

    def trouble(self, host, turn, trouble):
        self.heard.append((host, turn, trouble))


def wait(seconds, closed=""):
    return Turn(seconds, closed, 7.0, 0.0)


OURS = wait(0.0)


def gate(pace, ending=lambda: False):
    return PaceMiddleware(pace, 1.0, ending)


def pass_(pace, ending=lambda: False, url=URL):
    request = Request(url)
    asyncio.run(gate(pace, ending).process_request(request))
    return request


def test_requests_of_one_host_stand_in_line_and_only_the_first_asks():
    pace = Told(wait(0.01), wait(0.01), OURS, OURS)
    turns = []

    async def one(middleware, number):
        await middleware.process_request(Request(f"{URL}/{number}"))
        turns.append((number, len(pace.asked)))

    async def both():
        middleware = gate(pace)
        await asyncio.gather(*(one(middleware, number) for number in (1, 2)))

    asyncio.run(both())
    assert pace.asked == ["site.example:80"] * 4
    assert turns == [(1, 3), (2, 4)]


def test_who_waits_when_the_run_ends_is_not_sent():
    pace = Told(wait(300.0))
    with pytest.raises(RunEnding):
        pass_(pace, lambda: bool(pace.asked))


def test_a_host_that_is_closed_for_long_is_not_waited_for():
    with pytest.raises(HostClosed, match=r"http 429; the host asks for 600 s") as raised:
        pass_(Told(wait(600.0, "http 429; the host asks for 600 s")))
    assert raised.value.seconds == 600.0


def test_a_host_that_is_closed_for_a_moment_is_waited_for():
    pass_(Told(wait(0.01, "http 429; the host asks for 3 s"), OURS))


def test_short_waits_for_a_closed_host_do_not_add_up_for_ever(monkeypatch):
    async def no_time(seconds, ending):
        pass

    monkeypatch.setattr(middlewares, "sleep", no_time)
    with pytest.raises(HostClosed):
        pass_(Told(*[wait(0.5, "connection refused")] * 1000))


def test_a_request_that_lost_its_turn_takes_another_before_it_is_sent():
    again = Turn(0.0, "", 8.0, 0.0)
    pace = Told(OURS, None, wait(0.01), again, again)
    request = pass_(pace)
    asyncio.run(gate(pace).in_time(request))
    assert request.meta["turn"] == ("site.example:80", again)
    assert list(pace.turns) == []


def test_what_came_of_a_request_is_reported_once():
    pace = Told(OURS)
    request = pass_(pace)
    request.meta["download_latency"] = 0.25
    for _ in range(2):
        gate(pace).process_response(request, Response(URL))
    assert pace.heard == [("site.example:80", 7.0, 0.25)]


HEADERS = {"Retry-After": "600"}


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (429, {}, Trouble("http 429", slow=True)),
        (429, HEADERS, Trouble("http 429; the host asks for 600 s", 600.0, slow=True)),
        (429, {"Retry-After": "soon"}, Trouble("http 429", slow=True)),
        (429, {"Retry-After": "0"}, Trouble("http 429", slow=True)),
        (429, {"Retry-After": "9" * 20}, Trouble("http 429; the host asks for 86400 s", 86400.0, slow=True)),
        (503, {}, Trouble("http 503", slow=True, failed=True)),
        (503, HEADERS, Trouble("http 503; the host asks for 600 s", 600.0, slow=True)),
        (403, {}, Trouble("http 403")),
        (403, HEADERS, Trouble("http 403; the host asks for 600 s", 600.0, slow=True)),
        (500, HEADERS, Trouble("http 500", failed=True)),
        (502, {}, Trouble("http 502", failed=True)),
    ],
)
def test_answers_that_are_troubles(status, headers, expected):
    pace = Told(OURS)
    gate(pace).process_response(pass_(pace), Response(URL, status=status, headers=headers))
    assert pace.heard == [("site.example:80", 7.0, expected)]


@pytest.mark.parametrize("status", [200, 304, 301, 404, 410])
def test_answers_that_are_none(status):
    pace = Told(OURS)
    gate(pace).process_response(pass_(pace), Response(URL, status=status, headers=HEADERS))
    assert pace.heard == [("site.example:80", 7.0, None)]


@pytest.mark.parametrize(
    ("error", "reported"),
    [
        (ConnectionRefusedError(), [Trouble("connection refused", failed=True)]),
        (TimeoutError(), [Trouble("no answer in time", failed=True)]),
        (IgnoreRequest("robots.txt"), []),
        (RunEnding(), []),
        (asyncio.CancelledError(), []),
    ],
)
def test_only_a_host_that_is_not_there_is_a_failure(error, reported):
    pace = Told(OURS)
    gate(pace).process_exception(pass_(pace), error)
    assert [trouble for _, _, trouble in pace.heard] == reported


def test_a_request_that_got_no_turn_is_no_failure():
    pace = Told()
    gate(pace).process_exception(Request(URL), TimeoutError())
    assert pace.heard == []
