"""The two gates every request passes: may it be made (guard), and when (pace)."""

import asyncio
import ipaddress
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from .guard import SCHEMES, Guard
from .politeness import Pace
from .resolver import GUARD

CONTACT_MISSING = (
    "no contact is given to the sites that are crawled: set `settings.contact` in tasks.yaml "
    "(a URL or an e-mail address), or EXEMPLAR_CONTACT"
)


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
        if not self.contact and not guard.lists(*_place(request.url)):
            raise IgnoreRequest(CONTACT_MISSING)

    def process_response(self, request: Request, response: Response) -> Response:
        """Refuse by the address that was connected to, should it ever pass the resolver."""
        host, port = _place(request.url)
        if response.ip_address is not None:
            address = ipaddress.ip_address(str(response.ip_address))
            if not GUARD.get("current", Guard()).allows(address, host, port):
                raise IgnoreRequest(f"address {address} is not public; list the host under allow_hosts if it is yours")
        return response


class PaceMiddleware:
    """Holds each request until its host's turn comes."""

    def __init__(self, pace: Pace | None, interval: float):
        self.pace, self.interval = pace, interval

    @classmethod
    def from_crawler(cls, crawler: Any) -> "PaceMiddleware":
        """Scrapy's way to make one; the spider brings the connection."""
        connection = getattr(crawler.spider, "connection", None)
        return cls(Pace(connection) if connection else None, crawler.settings.getfloat("EXEMPLAR_DELAY", 1.0))

    async def process_request(self, request: Request) -> None:
        """Wait for the turn."""
        if self.pace is not None:
            wait = self.pace.reserve(request.url, self.interval)
            if wait > 0:
                await asyncio.sleep(wait)


def _place(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or SCHEMES.get(parts.scheme, 80)
