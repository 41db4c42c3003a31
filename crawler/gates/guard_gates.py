"""The gates of `crawler.guarding`: which addresses are contacted, by a task's proxy or directly, and which get secrets.

A task's proxy gets every request of the task, after the guard's check:
- The proxy's own address is resolved and checked here; a private one has to be listed under allow_hosts.
- A target is resolved here as well, and refused if any of its addresses may not be contacted. One that is not found
  here is refused too: the address to which the proxy would connect is unknown.
- A target in an unusual form of an address (`0177.0.0.1`, `2130706433`) is refused: proxies may interpret it
  differently.
- A remaining risk: the proxy resolves the name again, and may get another address.
Proxies of the environment (`HTTP_PROXY` …) are never used.
"""

from collections.abc import Mapping
from http.cookiejar import DefaultCookiePolicy
from typing import Any

from scrapy import Request
from scrapy.exceptions import CannotResolveHostError, NotConfigured
from scrapy.http import Response
from scrapy.http.cookies import CookieJar

from crawler.gates.context import PROXY, Gate
from crawler.gates.errors import AddressRefused, FetchError, RequestRefused, RunEnding
from crawler.guarding.browser_proxy import Upstream, authority
from crawler.guarding.guard import SCHEMES, Guard, host_and_port, is_odd_spelling, refusal

CONTACT_MISSING = (
    "no contact for site owners is set: add `settings.contact` in tasks.yaml "
    "(a URL or an e-mail address), or EXEMPLAR_CONTACT"
)
HOST_ONLY = DefaultCookiePolicy.DomainStrictNonDomain  # a cookie without Domain is not for subdomains


class UrlGate(Gate):
    """Refuses URLs by their text, and public hosts if no contact is set; before robots.txt is requested."""

    def process_request(self, request: Request) -> None:
        """Raises `RequestRefused`, and `RunEnding` if nothing more is to be fetched."""
        if self.context.is_ending():
            raise RunEnding
        if why := refusal(request.url):
            raise RequestRefused(why)
        if not self.context.contact and not self.context.guard.lists(*host_and_port(request.url)):
            raise RequestRefused(CONTACT_MISSING)


class AddressGate(Gate):
    """Refuses responses by the address that sent them, and turns the resolver's refusals into `AddressRefused`.

    It is next to the downloader, so that all other gates see its error.
    """

    def process_response(self, request: Request, response: Response) -> Response:
        """Check the address of the connection, in case it passed the resolver. Raises `AddressRefused`."""
        address = response.ip_address
        if address is not None and not self.context.guard.allows(address, *_connected_to(request)):
            raise AddressRefused(address)
        return response

    async def process_exception(self, request: Request, exception: Exception) -> None:
        """Handle a host that was not found because the resolver refused its addresses. Raises `AddressRefused`."""
        if isinstance(exception, CannotResolveHostError):
            _, refused = await self.context.guard.addresses_of(*_connected_to(request))
            if refused:
                raise AddressRefused(refused[0]) from exception


def _connected_to(request: Request) -> tuple[str, int]:
    return request.meta.get(PROXY) or host_and_port(request.url)


class ProxyMiddleware(Gate):
    """Sends requests through the task's proxy."""

    def __init__(self, crawler: Any):
        super().__init__(crawler)
        if not self.context.proxy:
            raise NotConfigured
        self.upstream = Upstream.of(self.context.proxy)

    async def process_request(self, request: Request) -> None:
        """Check proxy and target. Raises `RequestRefused`, `FetchError`, `CannotResolveHostError`."""
        guard, upstream, (host, port) = self.context.guard, self.upstream, host_and_port(request.url)
        if is_odd_spelling(host):
            raise RequestRefused("write the IP address as 192.0.2.1")
        try:
            addresses = await allowed_addresses(guard, upstream.host, upstream.port, whose="proxy")
        except CannotResolveHostError:
            raise FetchError("proxy not found") from None
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
    allowed, refused = await guard.addresses_of(host, port)
    if refused:
        raise AddressRefused(refused[0], whose)
    if not allowed:
        raise CannotResolveHostError(f"{host} is not found")
    return allowed


class CredentialsMiddleware(Gate):
    """Adds to each request the secrets that its URL may get, until its response is there.

    So neither a redirect nor an HTTP cache gets them.
    """

    def __init__(self, crawler: Any):
        super().__init__(crawler)
        credentials = self.context.credentials
        if credentials is None or not (credentials.private or credentials.cookies is not None):
            raise NotConfigured
        self.credentials = credentials
        self.jars: dict[int, CookieJar] = {}
        if credentials.cookies:
            self._set_own(credentials.home, credentials.cookies)

    def process_request(self, request: Request) -> None:
        """Send private headers to home only, and each cookie to its site."""
        self._remove_from(request)
        if self.credentials.are_for(request.url):
            request.headers.update(self.credentials.private)
        if self.credentials.cookies is not None:
            self._jar(request.url).add_cookie_header(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Keep the cookies that a site sets."""
        if self.credentials.cookies is not None and "Set-Cookie" in response.headers:
            self._jar(request.url).extract_cookies(response, request)
        self._remove_from(request)
        return response

    def _remove_from(self, request: Request) -> None:
        for name in (*self.credentials.private, *(["Cookie"] if self.credentials.cookies is not None else [])):
            request.headers.pop(name, None)

    def _jar(self, url: str) -> CookieJar:
        """Return the cookie jar of a URL.

        Cookies are bound to hosts, not ports; here another port is another site, except 80 and 443.
        """
        port = host_and_port(url)[1]
        port = 0 if port in SCHEMES.values() else port
        if port not in self.jars:
            self.jars[port] = CookieJar(DefaultCookiePolicy(strict_domain=True, strict_ns_domain=HOST_ONLY))
        return self.jars[port]

    def _set_own(self, home: str, cookies: Mapping[str, str]) -> None:
        safe = "; Secure" if home.startswith("https:") else ""
        lines = [f"{name}={value}; Path=/{safe}" for name, value in cookies.items()]
        self._jar(home).extract_cookies(Response(home, headers={"Set-Cookie": lines}), Request(home))
