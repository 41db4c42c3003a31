"""The gates by themselves; what they do to a crawl is in test_section_spider."""

import asyncio
import ipaddress

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from crawler import resolver
from crawler.guard import Guard
from crawler.middlewares import Ending, GuardMiddleware, PaceMiddleware

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


def test_requests_of_one_host_stand_in_line_and_only_the_first_asks():
    asked = []
    waits = iter([0.01, 0.01, 0.0, 0.0])

    def ask(url):
        asked.append(url)
        return next(waits)

    async def both():
        gate = PaceMiddleware(ask, lambda: False)
        await asyncio.gather(*(gate.process_request(Request(f"{URL}/{number}")) for number in (1, 2)))

    asyncio.run(both())
    assert asked == [f"{URL}/1"] * 3 + [f"{URL}/2"]


def test_who_waits_when_the_run_ends_is_not_sent():
    ending = []

    def ask(url):
        ending.append(True)
        return 300.0

    with pytest.raises(Ending):
        asyncio.run(PaceMiddleware(ask, lambda: bool(ending)).process_request(Request(URL)))
