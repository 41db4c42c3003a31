"""The gates every request passes: may it be made (robots.txt, guard), and when (pace)."""

import asyncio
import ipaddress
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from w3lib.url import safe_url_string

from . import robots
from .guard import SCHEMES, Guard
from .politeness import DEFAULT_INTERVAL, Pace, host_of
from .resolver import GUARD, refused_at
from .verdicts import of_failure

CONTACT_MISSING = (
    "no contact is given to the sites that are crawled: set `settings.contact` in tasks.yaml "
    "(a URL or an e-mail address), or EXEMPLAR_CONTACT"
)
MOVED = frozenset({301, 302, 303, 307, 308})
ROBOTS_PRIORITY = 1000  # before all pages
ROBOTS_PAUSES = (2.0, 5.0)  # seconds before it is asked for again
PROXY_PLACE = "proxy_place"  # in a request's meta: name and port of the proxy that it goes through
NAP = 0.25  # seconds between looks whether the run ends, for who waits


class Ending(IgnoreRequest):
    """The run ends while the request waited for its turn: it was never sent."""


class RobotsUnreachable(IgnoreRequest):
    """robots.txt can't be had now, so the request was never sent. The text says why."""


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
            address = ipaddress.ip_address(str(response.ip_address))
            if not GUARD.get("current", Guard()).allows(address, host, port):
                raise IgnoreRequest(f"address {address} is not public; list the host under allow_hosts if it is yours")
        return response


class RobotsMiddleware:
    """Asks each host for its robots.txt, once a day, and obeys it. While one request asks, the host's others wait."""

    def __init__(self, crawler: Any):
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self.crawler = crawler
        self.product: str = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"].split("/")[0]
        self.ending: Callable[[], bool] = getattr(crawler.spider, "is_ending", lambda: False)
        self.cache = robots.RobotsCache()
        self._lines: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "RobotsMiddleware":
        """Scrapy's way to make one."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Refuse what robots.txt forbids, and everything as long as it can't be had."""
        if request.meta.get("dont_obey_robotstxt") or urlsplit(request.url).scheme not in SCHEMES:
            return
        said = await self._said_of(request.url)
        if isinstance(said, robots.Unreachable):
            raise RobotsUnreachable(said.reason)
        if not said.allows(request.url):
            raise IgnoreRequest("Forbidden by robots.txt")

    async def _said_of(self, url: str) -> robots.Robots | robots.Unreachable:
        host = host_of(url)
        async with self._lines[host]:
            known = self.cache.get(host)
            if known is None:
                known, seconds = await self._ask_patiently(robots.url_of(url))
                self.cache.put(host, known, seconds)
            return known

    async def _ask_patiently(self, url: str) -> tuple[robots.Robots | robots.Unreachable, float]:
        """As `_ask`, and again after a pause while it can't be had. Raises `Ending` if the run ends meanwhile."""
        for pause in ROBOTS_PAUSES:
            said, seconds = await self._ask(url)
            if not isinstance(said, robots.Unreachable):
                return said, seconds
            await sleep(pause, self.ending)
            if self.ending():
                raise Ending("the run ends")
        return await self._ask(url)

    async def _ask(self, url: str) -> tuple[robots.Robots | robots.Unreachable, float]:
        """What robots.txt says, and for how many seconds that counts.

        Where the guard holds robots.txt back it holds the page back as well: its error goes on to say why.
        """
        hop = url
        try:
            for _ in range(robots.REDIRECTS + 1):
                response = await self.crawler.engine.download_async(_request_for_robots(hop))
                if response.status not in MOVED or b"Location" not in response.headers:
                    return robots.of_answer(response.status, response.body, self.product)
                hop = urljoin(hop, safe_url_string(response.headers[b"Location"]))
        except Ending:
            raise
        except Exception as error:
            refused = refused_address(error, hop)
            if hop == url and (refused or isinstance(error, IgnoreRequest)):
                raise
            return robots.unreachable(of_failure(error, refused=refused).reason)
        return robots.ALLOWS_ALL, robots.KEPT


def _request_for_robots(url: str) -> Request:
    meta = {"dont_obey_robotstxt": True, "dont_redirect": True}
    return Request(url, priority=ROBOTS_PRIORITY, meta=meta, callback=NO_CALLBACK)


def refused_address(error: BaseException, url: str) -> str | None:
    """The address that the guard held back, if that is why a URL's host was not found."""
    if type(error).__name__ not in ("DNSLookupError", "CannotResolveHostError"):
        return None
    return refused_at(*place_of(url))


class PaceMiddleware:
    """Holds each request until its host's turn comes. Those of one host stand in line, and the first of them asks."""

    def __init__(self, ask: Callable[[str], float | None], ending: Callable[[], bool]):
        self.ask, self.ending = ask, ending
        self._lines: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "PaceMiddleware":
        """Scrapy's way to make one; the spider brings the connection, and ends its run when Redis is away."""
        spider = crawler.spider
        if not hasattr(spider, "connection"):
            raise NotConfigured
        pace, interval = Pace(spider.connection), crawler.settings.getfloat("EXEMPLAR_DELAY", DEFAULT_INTERVAL)
        return cls(lambda url: spider.asked(pace.ask, url, interval), spider.is_ending)

    async def process_request(self, request: Request) -> None:
        """Wait for the turn. Raises `Ending` if the run ends before it comes."""
        async with self._lines[host_of(request.url)]:
            while not self.ending():
                wait = self.ask(request.url)
                if wait == 0:
                    return
                await sleep(wait or 0, self.ending)
        raise Ending("the run ends")


async def sleep(seconds: float, ending: Callable[[], bool]) -> None:
    """Sleep, but not on when the run ends."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0 and not ending():
        await asyncio.sleep(min(left, NAP))


def place_of(url: str) -> tuple[str, int]:
    """Host and port of a URL."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or SCHEMES.get(parts.scheme, 80)
