"""The gates every request passes: may it be made (robots.txt, guard), and when (pace)."""

import asyncio
import ipaddress
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Response
from scrapy.robotstxt import RobotParser

from .guard import SCHEMES, Guard
from .politeness import DEFAULT_INTERVAL, Pace, host_of
from .resolver import GUARD

CONTACT_MISSING = (
    "no contact is given to the sites that are crawled: set `settings.contact` in tasks.yaml "
    "(a URL or an e-mail address), or EXEMPLAR_CONTACT"
)
NAP = 0.25  # seconds between looks whether the run ends, for who waits


class Ending(IgnoreRequest):
    """The run ends while the request waited for its turn: it was never sent."""


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
        host, port = place_of(request.url)
        if response.ip_address is not None:
            address = ipaddress.ip_address(str(response.ip_address))
            if not GUARD.get("current", Guard()).allows(address, host, port):
                raise IgnoreRequest(f"address {address} is not public; list the host under allow_hosts if it is yours")
        return response


class RobotsMiddleware(RobotsTxtMiddleware):
    """Scrapy's, one request at a time while a host's robots.txt is fetched.

    In Scrapy 2.19 all that wait for it await one Deferred, whose result only the first of them gets: the others hear
    "no robots.txt" and go on.
    """

    def __init__(self, crawler: Any):
        super().__init__(crawler)
        self._lines: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """The rules of the request's host; None if it has none."""
        async with self._lines[urlsplit(request.url).netloc]:
            return await super().robot_parser(request)


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
