"""The gates every request passes: may it be made (guard; robots.txt in `host_rules`), and when (pace).

What came of it is reported.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any, cast

from scrapy import Request
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Response

from crawler.guarding.guard import Guard, place_of
from crawler.guarding.resolver import GUARD, refused_at
from crawler.politeness.addresses import AddressBook
from crawler.politeness.pace import DEFAULT_INTERVAL, PATIENCE, Pace, Trouble, Turn, host_of
from crawler.politeness.retry_after import trouble_of
from crawler.run.outcomes import NO_ANSWER, Outcome, of_failure

CONTACT_MISSING = (
    "no contact is given to the sites that are crawled: set `settings.contact` in tasks.yaml "
    "(a URL or an e-mail address), or EXEMPLAR_CONTACT"
)
MARGIN = 0.02  # seconds on top of an interval: a request leaves some milliseconds after its turn, not all by the same
PROXY_PLACE = "proxy_place"  # in a request's meta: name and port of the proxy that it goes through
NAP = 0.25  # seconds between looks whether the run ends, for who waits


class RunEnding(IgnoreRequest):
    """The run ends while the request waited for its turn: it was never sent."""


class RobotsUnreachable(IgnoreRequest):
    """robots.txt can't be had now, so the request was never sent. The text says why."""


class HostClosed(IgnoreRequest):
    """The host may not be asked for longer than a request waits, so it was never sent. The text says why."""

    def __init__(self, why: str, seconds: float):
        super().__init__(why)
        self.seconds = seconds  # until it may be asked again


def why_none(error: BaseException, request: Request) -> Outcome:
    """What it means that a request got no answer; where it went through a proxy, that one may be at fault."""
    verdict = of_failure(error, refused=refused_address(error, request.url))
    place = request.meta.get(PROXY_PLACE)
    if place and verdict.kind == "again" and not isinstance(error, IgnoreRequest):
        return Outcome("again", f"{verdict.reason}, by proxy {place[0]}:{place[1]}")
    return verdict


class UrlMiddleware:
    """Refuses first what a URL's text shows, before a robots.txt is asked for."""

    def process_request(self, request: Request) -> None:
        """Refuse by the URL's text."""
        if refusal := GUARD.get("current", Guard()).refusal(request.url):
            raise IgnoreRequest(refusal)


class GuardMiddleware:
    """Refuses what must not be fetched, before and after: by the URL, and by the address that answered."""

    def __init__(self, contact: str):
        self.contact = contact

    @classmethod
    def from_crawler(cls, crawler: Any) -> "GuardMiddleware":
        """Scrapy's way to make one."""
        return cls(crawler.settings.get("EXEMPLAR_CONTACT", ""))

    def process_request(self, request: Request) -> None:
        """Refuse by the URL's text, and public hosts as long as nobody can be reached about us."""
        guard = GUARD.get("current", Guard())
        if refusal := guard.refusal(request.url):
            raise IgnoreRequest(refusal)
        if not self.contact and not guard.lists(*place_of(request.url)):
            raise IgnoreRequest(CONTACT_MISSING)

    def process_response(self, request: Request, response: Response) -> Response:
        """Refuse by the address that was connected to, should it ever pass the resolver."""
        host, port = request.meta.get(PROXY_PLACE) or place_of(request.url)
        if response.ip_address is not None:
            address = response.ip_address
            if not GUARD.get("current", Guard()).allows(address, host, port):
                raise IgnoreRequest(f"address {address} is not public; list the host under allow_hosts if it is yours")
        return response


def refused_address(error: BaseException, url: str) -> str | None:
    """The address that the guard held back, if that is why a URL's host was not found."""
    if type(error).__name__ not in ("DNSLookupError", "CannotResolveHostError"):
        return None
    return refused_at(*place_of(url))


class PaceMiddleware:
    """Holds each request until its host's turn comes, and reports what came of it.

    Requests of one host stand in line, and the first of them asks. Where the host is closed for longer than `PATIENCE`
    they are given back as `HostClosed`.
    """

    def __init__(
        self,
        pace: Pace,
        interval: float,
        ending: Callable[[], bool],
        asked: Callable[..., Any] = lambda step, *args: step(*args),
        addresses: AddressBook | None = None,
    ):
        self.pace, self.ending, self.asked, self.addresses = pace, ending, asked, addresses
        self.interval = interval + MARGIN if interval else 0.0
        self._lines: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @classmethod
    def of(cls, crawler: Any) -> "PaceMiddleware | None":
        """The crawler's one; None if its spider has no connection, and keeps the pace by itself."""
        spider = crawler.spider
        if not hasattr(spider, "connection"):
            return None
        if not hasattr(spider, "pace"):
            settings = crawler.settings
            interval = settings.getfloat("EXEMPLAR_DELAY", DEFAULT_INTERVAL)
            addresses = AddressBook(_resolver()) if settings.getbool("EXEMPLAR_PER_ADDRESS") else None
            spider.pace = cls(Pace(spider.connection), interval, spider.is_ending, spider.asked, addresses)
        return cast(PaceMiddleware, spider.pace)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "PaceMiddleware":
        """Scrapy's way to make one; the spider brings the connection, and ends its run when Redis is away."""
        found = cls.of(crawler)
        if found is None:
            raise NotConfigured
        return found

    async def process_request(self, request: Request) -> None:
        """Wait for the turn. Raises `RunEnding` if the run ends before it comes, `HostClosed` if it is too far off."""
        host = host_of(request.url) if self.addresses is None else await self.addresses.limiter_of(request.url)
        async with self._lines[host]:
            waited = 0.0
            while not self.ending():
                turn: Turn | None = self.asked(self.pace.ask, host, self.interval)
                if turn is None:  # Redis is away: the run ends
                    continue
                if turn.wait == 0:
                    request.meta["turn"] = host, turn
                    return
                if turn.closed:
                    waited += turn.wait
                    if waited > PATIENCE:
                        raise HostClosed(turn.closed, turn.wait)
                await sleep(turn.wait, self.ending)
        raise RunEnding("the run ends")

    async def in_time(self, request: Request) -> None:
        """Call just before the request is sent: if it is late for its turn, it takes or waits for another."""
        while "turn" in request.meta:
            host, turn = request.meta["turn"]
            turn = self.asked(self.pace.in_time, host, turn, self.interval)
            if turn is not None:
                request.meta["turn"] = host, turn
                return
            del request.meta["turn"]
            await self.process_request(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Report an answer."""
        host, turn = request.meta.pop("turn", (None, None))
        if host is not None:
            if trouble := trouble_of(response):
                self.asked(self.pace.trouble, host, turn.at, trouble)
            else:
                self.asked(self.pace.came, host, turn.at, request.meta.get("download_latency"))
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Report that there was no answer."""
        host, turn = request.meta.pop("turn", (None, None))
        if host is None or refused_address(exception, request.url):
            return
        name = type(exception).__name__
        if name in NO_ANSWER:
            self.asked(self.pace.trouble, host, turn.at, Trouble(of_failure(exception).reason, failed=True))

    async def crawl_delay(self, url: str, seconds: float, kept: float) -> None:
        """Let the Crawl-delay of a URL's host count for everyone, for `kept` seconds."""
        host = host_of(url) if self.addresses is None else await self.addresses.limiter_of(url)
        self.asked(self.pace.crawl_delay, host, seconds, kept)


def _resolver() -> Any:
    from twisted.internet import reactor

    return reactor.nameResolver


async def sleep(seconds: float, ending: Callable[[], bool]) -> None:
    """Sleep, but not on when the run ends."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0 and not ending():
        await asyncio.sleep(min(left, NAP))
