"""What a task sends about itself: headers, cookies, a login. Secrets go to the example's host and nowhere else.

    home        the example's scheme, host and port; https on its usual port is home too where the example is http
    open        headers that any site may see (`OPEN`), as long as no variable is in them: sent with every request
    private     all other headers, and the login: only home, on every hop anew, robots.txt included
    cookies     a jar for each run, if the task says `cookies:`; what the task sets is home's own, what sites set goes
                back to where it came from

Values are filled in (`${NAME}`) here, at the start of a run, and are kept in memory only.
"""

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.http.cookies import CookieJar

from crawler.guarding.guard import SCHEMES, place_of
from crawler.task_list.environment import expand
from crawler.task_list.mistakes import TaskError
from crawler.task_list.models import Task

OPEN = frozenset({
    "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "dnt", "from", "pragma",
    "referer", "sec-gpc", "upgrade-insecure-requests", "user-agent",
})  # fmt: skip

HOST_ONLY = DefaultCookiePolicy.DomainStrictNonDomain  # a cookie without Domain is not for subdomains


@dataclass(frozen=True)
class Credentials:
    """A task's headers, cookies and login, variables filled in. `cookies`: None for no jar at all."""

    home: str
    open: Mapping[str, str] = field(default_factory=dict)
    private: Mapping[str, str] = field(default_factory=dict, repr=False)
    cookies: Mapping[str, str] | None = field(default=None, repr=False)

    def are_for(self, url: str) -> bool:
        """Whether a URL is home: the example's host and port, by its scheme or a better one."""
        here, there = urlsplit(self.home), urlsplit(url)
        if place_of(url) == place_of(self.home):
            return here.scheme == there.scheme
        usual = all(place_of(each)[1] == SCHEMES.get(urlsplit(each).scheme) for each in (self.home, url))
        return here.hostname == there.hostname and usual and (here.scheme, there.scheme) == ("http", "https")


def credentials_of(task: Task, environ: Mapping[str, str] = os.environ) -> Credentials:
    """Fill in what a task says. Raises `TaskError` for a variable that isn't set, or whose value can't be sent."""
    headers = {name: _filled(name, value, environ) for name, value in task.headers.items()}
    is_open = {name: name.lower() in OPEN and "${" not in task.headers[name] for name in headers}
    private = {name: value for name, value in headers.items() if not is_open[name]}
    if task.auth is not None:
        login = f"{expand(task.auth.user, environ)}:{expand(task.auth.password, environ)}"
        private["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
    cookies = task.cookies
    if cookies is not None:
        cookies = {name: _filled(f"cookie {name}", value, environ, "\r\n\0;") for name, value in cookies.items()}
    return Credentials(task.example, {name: headers[name] for name in headers if is_open[name]}, private, cookies)


def proxy_of(task: Task, environ: Mapping[str, str] = os.environ) -> str:
    """Fill in the URL of a task's proxy; empty if it has none. Raises `TaskError`."""
    proxy = expand(task.proxy, environ) if task.proxy else ""
    if proxy and not is_proxy(proxy):
        raise TaskError("proxy: with its variables expanded it is not http://host:port")
    return proxy


class CredentialsMiddleware:
    """Gives each request what it may have, and takes from it what a redirect brought along."""

    def __init__(self, credentials: Credentials):
        self.credentials = credentials
        self.jars: dict[int, CookieJar] = {}
        if credentials.cookies:
            self._set_own(credentials.home, credentials.cookies)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "CredentialsMiddleware":
        """Scrapy's way to make one; the spider brings the credentials."""
        credentials = getattr(crawler.spider, "credentials", None)
        if credentials is None or not (credentials.private or credentials.cookies is not None):
            raise NotConfigured
        return cls(credentials)

    def process_request(self, request: Request) -> None:
        """Private headers at home and nowhere else; cookies where they belong."""
        said = self.credentials
        at_home = said.are_for(request.url)
        for name, value in said.private.items():
            request.headers.pop(name, None)
            if at_home:
                request.headers[name] = value
        if said.cookies is not None:
            request.headers.pop("Cookie", None)
            self._jar(request.url).add_cookie_header(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Keep the cookies that a site sets."""
        if self.credentials.cookies is not None and "Set-Cookie" in response.headers:
            self._jar(request.url).extract_cookies(response, request)
        return response

    def _jar(self, url: str) -> CookieJar:
        """Cookies know hosts, not ports: another port is another site, except the two usual ones."""
        port = place_of(url)[1]
        port = 0 if port in SCHEMES.values() else port
        if port not in self.jars:
            self.jars[port] = CookieJar(DefaultCookiePolicy(strict_domain=True, strict_ns_domain=HOST_ONLY))
        return self.jars[port]

    def _set_own(self, home: str, cookies: Mapping[str, str]) -> None:
        safe = "; Secure" if home.startswith("https:") else ""
        lines = [f"{name}={value}; Path=/{safe}" for name, value in cookies.items()]
        self._jar(home).extract_cookies(Response(home, headers={"Set-Cookie": lines}), Request(home))


def is_proxy(url: str) -> bool:
    """Whether a URL is one of a proxy that we can use: `http://`, perhaps with user and password."""
    try:
        parts = urlsplit(url)
        return parts.scheme == "http" and bool(parts.hostname) and (parts.port or 1) > 0 and parts.path in ("", "/")
    except ValueError:
        return False


def _filled(name: str, value: str, environ: Mapping[str, str], forbidden: str = "\r\n\0") -> str:
    filled = expand(value, environ)
    if any(character in filled for character in forbidden):
        raise TaskError(f"{name}: with its variables expanded it contains a line break or another forbidden character")
    return filled
