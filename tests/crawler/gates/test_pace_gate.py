"""The gate of the pace by itself; what it does to a crawl is in test_section_spider."""

import asyncio

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from crawler.gates.context import PERMIT, FetchContext
from crawler.gates.errors import AddressRefused, HostClosed, RunEnding
from crawler.gates.pace_gate import PaceMiddleware, in_time, retry_after
from crawler.politeness.pace import HostProblem, Permit
from tests.crawler.gates.crawls import crawl

URL = "http://site.example/a"


class ScriptedPace:
    """A pace that grants the given permits in turn, and notes requests and reports."""

    def __init__(self, *permits):
        self.permits, self.requests, self.reports = iter(permits), [], []

    def request_permit(self, host, interval):
        self.requests.append(host)
        return next(self.permits)

    def in_time(self, host, permit, interval):
        return next(self.permits)

    def report(self, host, at, problem, *, seconds, interval):
        self.reports.append((host, at, problem or seconds))


class Clock:
    """Seconds that pass only while somebody sleeps."""

    now = 0.0

    async def sleep(self, seconds):
        self.now += seconds


def wait(seconds, closed=""):
    return Permit(seconds, closed, 7.0, 0.0)


GRANTED = wait(0.0)


def gate(pace, is_ending=lambda: False):
    clock = Clock()
    context = FetchContext(pace=pace, interval=1.0, is_ending=is_ending, clock=lambda: clock.now, sleep=clock.sleep)
    return PaceMiddleware(crawl(context))


def pass_(pace, is_ending=lambda: False):
    request = Request(URL)
    asyncio.run(gate(pace, is_ending).process_request(request))
    return request


def test_of_the_requests_of_one_host_only_the_first_requests_a_permit():
    pace = ScriptedPace(wait(0.01), wait(0.01), GRANTED, GRANTED)
    passed = []

    async def one(middleware, number):
        await middleware.process_request(Request(f"{URL}/{number}"))
        passed.append((number, len(pace.requests)))

    async def both():
        middleware = gate(pace)
        await asyncio.gather(*(one(middleware, number) for number in (1, 2)))

    asyncio.run(both())
    assert pace.requests == ["site.example:80"] * 4
    assert passed == [(1, 3), (2, 4)]


def test_a_request_that_waits_when_the_run_ends_is_not_sent():
    pace = ScriptedPace(wait(300.0))
    with pytest.raises(RunEnding):
        pass_(pace, lambda: bool(pace.requests))


def test_a_request_does_not_wait_for_a_host_that_is_closed_for_long():
    with pytest.raises(HostClosed, match=r"http 429; Retry-After: 600 s") as raised:
        pass_(ScriptedPace(wait(600.0, "http 429; Retry-After: 600 s")))
    assert raised.value.rest == 600.0


def test_a_request_waits_for_a_host_that_is_closed_for_a_moment():
    pass_(ScriptedPace(wait(3.0, "http 429; Retry-After: 3 s"), GRANTED))


def test_short_waits_for_a_closed_host_do_not_add_up_endlessly():
    with pytest.raises(HostClosed):
        pass_(ScriptedPace(*[wait(0.5, "connection refused")] * 1000))


def test_a_request_that_lost_its_permit_gets_another_before_it_is_sent():
    other = Permit(0.0, "", 8.0, 0.0)
    pace = ScriptedPace(GRANTED, None, wait(0.01), other, other)
    request = pass_(pace)
    asyncio.run(in_time(request))
    assert request.meta[PERMIT].permit is other
    assert list(pace.permits) == []


def test_a_response_is_reported_once():
    pace = ScriptedPace(GRANTED)
    request = pass_(pace)
    request.meta["download_latency"] = 0.25
    for _ in range(2):
        gate(pace).process_response(request, Response(URL))
    assert pace.reports == [("site.example:80", 7.0, 0.25)]


HEADERS = {"Retry-After": "600"}


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (429, {}, HostProblem("http 429", slow=True)),
        (429, HEADERS, HostProblem("http 429; Retry-After: 600 s", 600.0, slow=True)),
        (429, {"Retry-After": "soon"}, HostProblem("http 429", slow=True)),
        (429, {"Retry-After": "9" * 20}, HostProblem("http 429; Retry-After: 86400 s", 86400.0, slow=True)),
        (503, {}, HostProblem("http 503", slow=True, failed=True)),
        (503, HEADERS, HostProblem("http 503; Retry-After: 600 s", 600.0, slow=True)),
        (403, {}, HostProblem("http 403")),
        (403, HEADERS, HostProblem("http 403; Retry-After: 600 s", 600.0, slow=True)),
        (500, HEADERS, HostProblem("http 500", failed=True)),
    ],
)
def test_responses_that_are_problems(status, headers, expected):
    pace = ScriptedPace(GRANTED)
    gate(pace).process_response(pass_(pace), Response(URL, status=status, headers=headers))
    assert pace.reports == [("site.example:80", 7.0, expected)]


@pytest.mark.parametrize("status", [200, 304, 301, 404, 410])
def test_responses_that_are_none(status):
    pace = ScriptedPace(GRANTED)
    gate(pace).process_response(pass_(pace), Response(URL, status=status, headers=HEADERS))
    assert pace.reports == [("site.example:80", 7.0, None)]


@pytest.mark.parametrize(
    ("error", "reported"),
    [
        (ConnectionRefusedError(), [HostProblem("connection refused", failed=True)]),
        (TimeoutError(), [HostProblem("no answer in time", failed=True)]),
        (IgnoreRequest("x"), []),
        (AddressRefused("10.0.0.1"), []),
        (RunEnding(), []),
        (asyncio.CancelledError(), []),
    ],
)
def test_only_a_host_that_is_unavailable_has_failed(error, reported):
    pace = ScriptedPace(GRANTED)
    gate(pace).process_exception(pass_(pace), error)
    assert [problem for _, _, problem in pace.reports] == reported


NOW = 784111777.0  # Sun, 06 Nov 1994 08:49:37 GMT, the RFC's own example


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        # delay-seconds
        ("120", 120.0),
        (" 3 ", 3.0),
        ("1.5", 1.5),
        ("9" * 30, 1e30),
        # the three forms of dates
        ("Sun, 06 Nov 1994 08:51:37 GMT", 120.0),
        ("Sunday, 06-Nov-94 08:51:37 GMT", 120.0),
        ("Sun Nov  6 08:51:37 1994", 120.0),
        ("Sun, 06 Nov 1994 09:51:37 +0100", 120.0),
        # over already
        ("Sun, 06 Nov 1994 08:48:37 GMT", -60.0),
        # nonsense
        ("", None),
        ("soon", None),
        ("٣", None),
        ("Sun, 99 Nov 1994 08:51:37 GMT", None),
        ("Sun", None),
    ],
)
def test_what_a_value_asks_for(value, seconds):
    found = retry_after(value, now=NOW)
    assert found == (pytest.approx(seconds) if seconds is not None else None)


def test_a_date_counts_from_the_answers_own_date():
    later = "Sun, 06 Nov 1994 08:51:37 GMT"
    assert retry_after(later, date="Sun, 06 Nov 1994 08:51:07 GMT", now=NOW) == 30.0
    assert retry_after(later, date="yesterday", now=NOW) == 120.0
