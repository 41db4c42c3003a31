"""A task's proxy: every request of the task goes through it, after the guard's check.

- The proxy's own address is resolved and checked here; a private one has to be listed under allow_hosts.
- A target is resolved here as well, and refused if any of its addresses may not be contacted. One that is not found
  here is refused too: the address to which the proxy would connect is unknown.
- A target in an unusual form of an address (`0177.0.0.1`, `2130706433`) is refused: proxies may interpret it
  differently.
- A remaining risk: the proxy resolves the name again, and may get another address.
Proxies of the environment (`HTTP_PROXY` …) are never used.
"""

import ipaddress

from scrapy import Request
from scrapy.exceptions import CannotResolveHostError, NotConfigured

from crawler.gates.context import PROXY, FetchContext, Gate
from crawler.gates.errors import AddressRefused, ProxyUnavailable, RequestRefused
from crawler.guarding.browser_proxy import Upstream, authority
from crawler.guarding.guard import Guard, host_and_port, is_odd_spelling, look_up


class ProxyMiddleware(Gate):
    """Sends requests through the task's proxy."""

    def __init__(self, context: FetchContext):
        super().__init__(context)
        if not context.proxy:
            raise NotConfigured
        self.upstream = Upstream.of(context.proxy)

    async def process_request(self, request: Request) -> None:
        """Check proxy and target. Raises `RequestRefused`, `ProxyUnavailable`, `CannotResolveHostError`."""
        guard, upstream, (host, port) = self.context.guard, self.upstream, host_and_port(request.url)
        if is_odd_spelling(host):
            raise RequestRefused("write the IP address as 192.0.2.1")
        try:
            addresses = await allowed_addresses(guard, upstream.host, upstream.port, whose="proxy")
        except CannotResolveHostError:
            raise ProxyUnavailable("proxy not found") from None
        await allowed_addresses(guard, host, port)
        # Scrapy looks the name up only for plain http, by the guarded resolver; a tunnel goes to the checked address.
        name = addresses[0] if request.url.startswith("https:") else upstream.host
        request.meta["proxy"] = f"http://{authority(name, upstream.port)}"
        request.meta[PROXY] = upstream.host, upstream.port
        if upstream.login:
            request.headers["Proxy-Authorization"] = upstream.login


async def allowed_addresses(guard: Guard, host: str, port: int, whose: str = "address") -> list[str]:
    """Resolve a host and return all its addresses.

    Raises `AddressRefused` if one of them may not be contacted, `CannotResolveHostError` if there is none.
    """
    if not (addresses := await look_up(host, port)):
        raise CannotResolveHostError(f"{host} is not found")
    for address in addresses:
        if not guard.allows(ipaddress.ip_address(address), host, port):
            raise AddressRefused(address, whose)
    return addresses
