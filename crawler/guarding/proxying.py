"""A task's proxy: every request of the task goes through it, and the guard still looks first.

What holds:
- The proxy's own address is looked up and checked here; a private one has to be listed under allow_hosts.
- A target is looked up here as well, and refused if any of its addresses may not be contacted. One that can't be found
  here is refused too: nobody could tell where the proxy would go.
- A target that spells an address oddly (`0177.0.0.1`, `2130706433`) is refused: the proxy may read it otherwise.
What does not: the proxy looks the name up again, so an answer that changes in between is the proxy's to refuse.
Proxies of the environment (`HTTP_PROXY` …) are never used.
"""

import asyncio
import base64
import ipaddress
import socket
from typing import Any
from urllib.parse import unquote, urlsplit

from scrapy import Request
from scrapy.exceptions import CannotResolveHostError, IgnoreRequest, NotConfigured

from crawler.fetching.middlewares import PROXY_PLACE
from crawler.guarding.guard import Guard, is_odd_spelling, place_of
from crawler.guarding.resolver import GUARD, note, refused_at


class ProxyTrouble(Exception):
    """The proxy can't be had now. The text says why."""


class ProxyMiddleware:
    """Sends the requests of a spider that has `proxy` (a URL, variables filled in) through it."""

    def __init__(self, proxy: str):
        parts = urlsplit(proxy)
        self.place = (parts.hostname or "", parts.port or 80)
        self.credentials = _basic(parts.username, parts.password)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "ProxyMiddleware":
        """Scrapy's way to make one."""
        proxy = getattr(crawler.spider, "proxy", "")
        if not proxy:
            raise NotConfigured
        return cls(proxy)

    async def process_request(self, request: Request) -> None:
        """Check proxy and target. Raises `IgnoreRequest` for a target that may not be contacted."""
        host, port = place_of(request.url)
        if is_odd_spelling(host):
            raise IgnoreRequest("unusual form of an address, with a proxy")
        at = await self._addresses()
        await allowed_addresses(host, port)
        # Scrapy looks the name up only for plain http, by the guarded resolver; a tunnel goes to the checked address.
        name = at[0] if request.url.startswith("https:") else self.place[0]
        request.meta["proxy"] = f"http://{f'[{name}]' if ':' in name else name}:{self.place[1]}"
        request.meta[PROXY_PLACE] = self.place
        if self.credentials:
            request.headers[b"Proxy-Authorization"] = self.credentials

    async def _addresses(self) -> list[str]:
        try:
            return await allowed_addresses(*self.place)
        except CannotResolveHostError:
            refused = refused_at(*self.place)
            if refused is None:
                raise ProxyTrouble("proxy not found") from None
            raise IgnoreRequest(f"proxy {refused} is not public; list it under allow_hosts if it is yours") from None


async def allowed_addresses(host: str, port: int) -> list[str]:
    """Look a host up and return all its addresses. Raises `CannotResolveHostError` if one may not be contacted.

    Which one that was is noted as the resolver does it (`resolver.note`).
    """
    guard = GUARD.get("current", Guard())
    try:
        answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise CannotResolveHostError(f"{host} is not found") from None
    found = [str(answer[4][0]).split("%")[0] for answer in answers]
    refused = [text for text in found if not guard.allows(ipaddress.ip_address(text), host, port)]
    note(host, port, refused[0] if refused else None)
    if refused:
        raise CannotResolveHostError(f"{host} has the address {refused[0]}")
    return found


def _basic(user: str | None, password: str | None) -> bytes:
    if user is None:
        return b""
    return b"Basic " + base64.b64encode(f"{unquote(user)}:{unquote(password or '')}".encode())
