"""The gate that adds a task's secrets to the requests that may have them, at each hop."""

from collections.abc import Mapping
from http.cookiejar import DefaultCookiePolicy

from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.http.cookies import CookieJar

from crawler.gates.context import FetchContext, Gate
from crawler.guarding.guard import SCHEMES, host_and_port

HOST_ONLY = DefaultCookiePolicy.DomainStrictNonDomain  # a cookie without Domain is not for subdomains


class CredentialsMiddleware(Gate):
    """Adds to each request the secrets that its URL may get, until its response is there.

    So neither a redirect nor an HTTP cache gets them.
    """

    def __init__(self, context: FetchContext):
        super().__init__(context)
        credentials = context.credentials
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
