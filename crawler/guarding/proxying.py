"""A task's proxy: every request of the task goes through it, after the guard's check.

- The proxy's own address is resolved and checked here; a private one has to be listed under allow_hosts.
- A target is resolved here as well, and refused if any of its addresses may not be contacted. One that is not found
  here is refused too: the address to which the proxy would connect is unknown.
- A target in an unusual form of an address (`0177.0.0.1`, `2130706433`) is refused: proxies read it differently.
- Not covered: the proxy resolves the name again, and may get another address.
Proxies of the environment (`HTTP_PROXY` …) are never used.
"""

import asyncio
import base64
import ipaddress
import socket
from typing import Any
from urllib.parse import unquote, urlsplit

from scrapy import Request
from scrapy.exceptions import CannotResolveHostError, NotConfigured

from crawler.fetching.context import PROXY, context_of
from crawler.fetching.errors import AddressRefused, ProxyUnavailable, RequestRefused
from crawler.guarding.guard import Guard, host_and_port, is_odd_spelling


class ProxyMiddleware:
    """Sends requests through `proxy`, a URL whose variables are expanded."""

    def __init__(self, guard: Guard, proxy: str):
        parts = urlsplit(proxy)
        self.guard = guard
        self.place = (parts.hostname or "", parts.port or 80)
        self.login = _basic(parts.username, parts.password)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "ProxyMiddleware":
        """Scrapy's constructor."""
        context = context_of(crawler)
        if not context.proxy:
            raise NotConfigured
        return cls(context.guard, context.proxy)

    async def process_request(self, request: Request) -> None:
        """Check proxy and target. Raises `RequestRefused`, `ProxyUnavailable`, `CannotResolveHostError`."""
        host, port = host_and_port(request.url)
        if is_odd_spelling(host):
            raise RequestRefused("unusual form of an address, with a proxy")
        try:
            addresses = await allowed_addresses(self.guard, *self.place, whose="proxy")
        except CannotResolveHostError:
            raise ProxyUnavailable("proxy not found") from None
        await allowed_addresses(self.guard, host, port)
        # Scrapy looks the name up only for plain http, by the guarded resolver; a tunnel goes to the checked address.
        name = addresses[0] if request.url.startswith("https:") else self.place[0]
        request.meta["proxy"] = f"http://{f'[{name}]' if ':' in name else name}:{self.place[1]}"
        request.meta[PROXY] = self.place
        if self.login:
            request.headers[b"Proxy-Authorization"] = self.login


async def allowed_addresses(guard: Guard, host: str, port: int, whose: str = "address") -> list[str]:
    """Resolve a host and return all its addresses.

    Raises `AddressRefused` if one of them may not be contacted, `CannotResolveHostError` if there is none.
    """
    try:
        answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise CannotResolveHostError(f"{host} is not found") from None
    addresses = [str(answer[4][0]).split("%")[0] for answer in answers]
    for address in addresses:
        if not guard.allows(ipaddress.ip_address(address), host, port):
            raise AddressRefused(address, whose)
    return addresses


def _basic(user: str | None, password: str | None) -> bytes:
    if user is None:
        return b""
    return b"Basic " + base64.b64encode(f"{unquote(user)}:{unquote(password or '')}".encode())
