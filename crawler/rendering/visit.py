"""One visit: a tab that loads one main document and waits until its scripts have loaded the article.

    request → main document → response checked → scripts, data → unchanged and no requests → HTML

A visit ends early, before anything is drawn, if the main document is not a page (a redirect, an error, another kind
of file), or if the page navigates elsewhere. The target is kept in `ending`; the browser never loads it itself.

Of a page's requests only those for scripts and data are sent (`NEEDED`). Requests for style sheets get an empty
response, because script loaders wait for them; pictures, videos, fonts, frames, beacons and the like are blocked. A
frame's text is not part of a page's HTML either.

Scripts are requested once, not once per page (`ScriptCache`): Chromium does not use its own cache while requests are
intercepted, and the scripts of a site's pages are mostly the same few files. Kept are responses that RFC 9111 allows to
store: those with a maximum age or a date of modification.

Redirects are seen through the DevTools protocol, at the response: Playwright's own routes never see their targets.
"""

import asyncio
import contextlib
import re
import time
from collections.abc import Awaitable
from typing import Any, cast
from urllib.parse import urljoin, urlsplit

from playwright.async_api import Error as PlaywrightError
from scrapy import Request
from scrapy.http import Headers, HtmlResponse
from scrapy.http import Response as ScrapyResponse

from crawler.gates.connections import TOO_LARGE
from crawler.gates.errors import RenderingFailed, RequestRefused
from crawler.politeness.pace import host_of
from crawler.run.outcomes import MOVED, of_answer
from workers.inbox import LARGEST_PAGE

SETTLE_SECONDS = 10.0  # seconds at most, from the main document's first byte until the HTML is read
QUIET_SECONDS = 0.2  # seconds between two checks; a page that has not changed and has no open request is ready
STILL_SECONDS = 5.0  # seconds without a change after which a page is ready despite open requests (polling, trackers)
SPARSE_SECONDS = 3.0  # seconds without a change after which a page is ready although it has hardly any text
SPARSE_TEXT = 200  # characters of a page whose article is not loaded
COOKIES = "render_cookies"  # key of a request's meta: the cookies of the page whose scripts lead to it
WITHOUT_UDP = "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete window[name]"
NEEDED = frozenset({"script", "xhr", "fetch"})
NAVIGATES = 302  # status for Scrapy if a page itself navigates elsewhere
UNENDING = "the page did not load in time"
# Headers of a request that the browser sets itself, or that would give a 304 instead of an empty shell.
NOT_FOR_BROWSERS = frozenset(
    {"host", "cookie", "accept-encoding", "connection", "content-length", "user-agent", "proxy-authorization"}
    | {"if-none-match", "if-modified-since"}
)
OF_EVERY_REQUEST = frozenset({"accept", "accept-language"})  # not a task's own headers

SCRIPT_MOST = 4 * 2**20  # bytes of one script that is kept
SCRIPTS_MOST = 48 * 2**20  # bytes of all scripts that are kept
OF_THE_CONNECTION = frozenset({"content-encoding", "content-length", "transfer-encoding", "set-cookie", "connection"})
_MAX_AGE = re.compile(r"max-age\s*=\s*\"?(\d+)")

# Number of visible characters and of elements, and whether the page has been parsed to its end.
_LOOK = """() => [document.body ? document.body.innerText.length : 0, document.getElementsByTagName('*').length,
document.readyState != 'loading']"""
# The page with its open shadow roots as templates
_WHOLE = """() => {
  const roots = [];
  const find = (node) => node.querySelectorAll('*').forEach(
    ({shadowRoot: root}) => root && roots.push(root) && find(root));
  find(document);
  return '<!DOCTYPE html><html>' + document.documentElement.getHTML({shadowRoots: roots}) + '</html>';
}"""
_SIZE = "() => document.documentElement ? document.documentElement.outerHTML.length : 0"


class ScriptCache:
    """Scripts by URL, in the form for the browser: headers and body. The oldest ones are dropped."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[dict[str, str], bytes]] = {}
        self._bytes = 0

    def get(self, url: str) -> tuple[dict[str, str], bytes] | None:
        """Return headers and body of a script, if it is kept."""
        return self._kept.get(url)

    def put(self, url: str, headers: dict[str, str], body: bytes) -> None:
        """Keep a script that was answered with 200; `headers` in lower case."""
        if url in self._kept or len(body) > SCRIPT_MOST:
            return
        plain = {name: value for name, value in headers.items() if name not in OF_THE_CONNECTION}
        self._kept[url] = plain, body
        self._bytes += len(body)
        while self._bytes > SCRIPTS_MOST:
            self._bytes -= len(self._kept.pop(next(iter(self._kept)))[1])


def may_be_kept(headers: dict[str, str]) -> bool:
    """Whether a response with these headers may be used again within a run: RFC 9111 allows to store it."""
    control = headers.get("cache-control", "").lower()
    if "no-store" in control or "no-cache" in control or headers.get("vary", "").strip() == "*":
        return False
    age = _MAX_AGE.search(control)
    return age[1].strip("0") != "" if age else "last-modified" in headers


class Visit:
    """One request in a tab. `ending`: once it ends early, what Scrapy gets instead of a page."""

    def __init__(self, request: Request, cache: ScriptCache):
        self.request, self.cache = request, cache
        self.ending: ScrapyResponse | Exception | None = None
        self.context: Any = None  # Playwright's, of this page alone
        self.latency = 0.0  # seconds to the main document's response
        self._began = time.monotonic()
        self._is_sparse = False
        self._frame = ""  # the id of the main frame in DevTools; empty until the tab is set up
        self._requested = False  # whether the main document was requested
        self._over = asyncio.Event()
        self._open: set[Any] = set()  # requests without response
        self._brought: set[tuple[str, str]] = set()  # cookies of the request, which only its gates may send on
        self._tasks: set[asyncio.Task[None]] = set()
        named = {name.decode("latin-1").lower(): b",".join(values) for name, values in request.headers.items()}
        self._headers = {name: value.decode("latin-1") for name, value in named.items() if name not in NOT_FOR_BROWSERS}
        self._private = {name: value for name, value in self._headers.items() if name not in OF_EVERY_REQUEST}

    async def unless_over(self, loading: Awaitable[ScrapyResponse]) -> ScrapyResponse | None:
        """Return the main document's response; None if the visit ends before. Raises Playwright's errors."""
        task, over = asyncio.ensure_future(loading), asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait((task, over), return_when=asyncio.FIRST_COMPLETED)
            return await task if task.done() else None
        finally:
            task.cancel()
            over.cancel()

    async def prepare(self, page: Any, _: Request) -> None:
        """Set up a new tab before it loads anything; if this fails, its requests are blocked (`is_unprepared`)."""
        self.context = page.context
        await self.context.route("**", _block)  # requests of tabs that the page opens
        await self.context.add_init_script(WITHOUT_UDP)
        await self._bring_cookies(page)
        tools = await page.context.new_cdp_session(page)
        frames = await tools.send("Page.getFrameTree")
        tools.on("Fetch.requestPaused", lambda event: self._begin(self._check(tools, event)))
        checked = ("Document", *(("Script", "XHR", "Fetch") if self._private else ()))
        answers = [{"urlPattern": "*", "resourceType": kind, "requestStage": "Response"} for kind in checked]
        await tools.send("Fetch.enable", {"patterns": answers})
        page.on("request", lambda request: self._open.add(request))
        page.on("requestfinished", self._finished)
        page.on("requestfailed", lambda request: self._open.discard(request))
        await page.route("**", lambda route: self._route(page, route))
        self._frame = frames["frameTree"]["frame"]["id"]

    async def settle(self, page: Any) -> None:
        """Wait until the article is loaded, or the visit ends early. Raises `RenderingFailed`, `RequestRefused`."""
        began = changed = time.monotonic()
        before: list[Any] = []
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), QUIET_SECONDS)
            if self.ending is not None:
                return
            state, now = await page.evaluate(_LOOK), time.monotonic()
            if state != before:
                before, changed = state, now
            elif state[2] and self._is_ready(state[0], now - changed):
                break
            if now - began > SETTLE_SECONDS:
                break
        if await page.evaluate(_SIZE) > LARGEST_PAGE:
            raise RequestRefused(TOO_LARGE)
        if not before[2]:
            raise RenderingFailed(UNENDING)
        self._is_sparse = before[0] < SPARSE_TEXT

    async def html(self, page: Any) -> str:
        """Return the page's HTML, with its shadow roots if there is hardly any text beside them."""
        text: str = await (page.evaluate(_WHOLE) if self._is_sparse else page.content())
        return text

    def to_response(self, url: str, document: ScrapyResponse, text: str) -> ScrapyResponse:
        """The rendered page, in UTF-8, since scripts may add characters that the encoding of its source lacks.

        `document`: the main document's response.
        """
        body = text.encode("utf-8", "replace")
        if len(body) > LARGEST_PAGE:
            raise RequestRefused(TOO_LARGE)
        headers = Headers(document.headers)
        headers["Content-Type"] = "text/html; charset=utf-8"
        for name in ("Content-Length", "Content-Encoding", "Transfer-Encoding", "ETag", "Last-Modified"):
            headers.pop(name, None)
        asked = self.request.url
        if urlsplit(url).scheme not in ("http", "https") or url.startswith((f"{asked}?", f"{asked}&")):
            url = asked  # parameters that scripts add choose no page
        return HtmlResponse(url, document.status, headers, body, encoding="utf-8")

    def _is_ready(self, text: int, still: float) -> bool:
        if self._open:
            return still >= STILL_SECONDS
        return text >= SPARSE_TEXT or still >= SPARSE_SECONDS

    def early_response(self) -> ScrapyResponse:
        """Return what Scrapy gets after an early end. Raises the error that it is instead."""
        if isinstance(self.ending, Exception):
            raise self.ending
        assert self.ending is not None
        return self.ending

    def end(self, ending: ScrapyResponse | Exception) -> None:
        """End the visit, unless it has already ended in another way."""
        if self.ending is None:
            self.ending = ending
        self._over.set()

    def _response(self, status: int, headers: dict[str, str], body: bytes = b"") -> ScrapyResponse:
        return ScrapyResponse(self.request.url, status, cast("dict[Any, Any]", headers), body)

    # -- requests of the page ---------------------------------------------------------------------------------------

    async def _route(self, page: Any, route: Any) -> None:
        """Send a request or block it. This function is not called for redirects; the proxy checks them."""
        request = route.request
        kind = request.resource_type
        with contextlib.suppress(PlaywrightError):  # the tab has been closed meanwhile
            if request.is_navigation_request():
                await self._navigate(page, route)
            elif kind == "stylesheet":
                await route.fulfill(status=200, content_type="text/css", body="")
            elif kind not in NEEDED:
                await route.abort()
            elif kind == "script" and (known := self.cache.get(request.url)):
                await route.fulfill(status=200, headers=known[0], body=known[1])
            else:
                await route.continue_(headers=self._headers_for(request, main=False))

    async def _navigate(self, page: Any, route: Any) -> None:
        request = route.request
        main = request.frame == page.main_frame
        if main and self._frame and not self._requested:
            self._requested = True
            await route.continue_(headers=self._headers_for(request, main=True))
            return
        if main and request.method == "GET":
            await self._pass_cookies_on()
            self.end(self._response(NAVIGATES, {"Location": request.url}))
        elif main:  # mostly a challenge
            self.end(RenderingFailed("the page redirects by a form"))
        await route.abort("aborted")  # for any other error Chromium would show a page of its own

    def _headers_for(self, request: Any, *, main: bool) -> dict[str, str]:
        """Return the headers of a request: those of the task only for the main document and its host."""
        headers: dict[str, str] = request.headers
        if main:
            return headers | self._headers
        if host_of(request.url) != host_of(self.request.url):
            return headers
        return headers | self._private

    async def _bring_cookies(self, page: Any) -> None:
        header = b"; ".join(self.request.headers.getlist("Cookie")).decode("latin-1")
        pairs = [pair.strip().partition("=") for pair in header.split(";") if "=" in pair]
        self._brought = {(name, value) for name, _, value in pairs}
        root = urljoin(self.request.url, "/")
        own = [{"name": name, "value": value, "url": root} for name, value in self._brought]
        if cookies := [*own, *self.request.meta.get(COOKIES, ())]:
            await page.context.add_cookies(cookies)

    async def _pass_cookies_on(self) -> None:
        """Keep the page's cookies for its target: sites that check browsers set one, and load the page again."""
        cookies = await self.context.cookies()
        kept = [cookie for cookie in cookies if (cookie["name"], cookie["value"]) not in self._brought]
        self.request.meta[COOKIES] = kept

    # -- responses --------------------------------------------------------------------------------------------------

    def _begin(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _finished(self, request: Any) -> None:
        self._open.discard(request)
        if request.resource_type == "script" and self.cache.get(request.url) is None:
            self._begin(self._keep(request))

    async def _keep(self, request: Any) -> None:
        """Keep a script for later pages, if its headers allow it."""
        with contextlib.suppress(PlaywrightError):  # the tab has been closed meanwhile
            response = await request.response()
            if response is not None and response.status == 200:
                headers = await response.all_headers()
                if may_be_kept(headers):
                    self.cache.put(request.url, headers, await response.body())

    async def _check(self, tools: Any, event: dict[str, Any]) -> None:
        """Continue with a response, or end the visit if the main document's response is not a page.

        Requests to the page's own host have the task's headers, and Chromium would send them to a redirect's target:
        redirects to other hosts are blocked.
        """
        method, arguments = "Fetch.continueRequest", {"requestId": event["requestId"]}
        headers = {header["name"].lower(): header["value"] for header in event.get("responseHeaders", ())}
        if event.get("resourceType") != "Document":
            target = urljoin(event["request"]["url"], headers.get("location", ""))
            if event.get("responseStatusCode") in MOVED and host_of(target) != host_of(self.request.url):
                method, arguments = "Fetch.failRequest", arguments | {"errorReason": "BlockedByClient"}
        elif event["frameId"] == self._frame and "responseStatusCode" in event:
            ending = None if self.latency else self._ending_of(event["responseStatusCode"], headers)
            if ending:
                self.end(ending)
            if ending or self.latency:  # a second document is a download that a script starts
                method, arguments = "Fetch.failRequest", arguments | {"errorReason": "BlockedByClient"}
            self.latency = self.latency or time.monotonic() - self._began
        with contextlib.suppress(PlaywrightError):  # the tab has been closed meanwhile
            await tools.send(method, arguments)

    def _ending_of(self, status: int, headers: dict[str, str]) -> ScrapyResponse | Exception | None:
        """Return the early end of the visit if its main document has this response; None if it is a page."""
        if "content-encoding" in headers:
            headers = {name: value for name, value in headers.items() if name != "content-encoding"}
        if status in MOVED and "location" in headers:
            return self._response(status, headers)
        body = b"\n" if status == 200 else b""  # not empty, so that the media type decides
        if headers.get("content-disposition", "").lower().startswith("attachment"):
            return self._response(200, headers | {"content-type": "application/x-download"}, b"\n")
        if of_answer(status, headers.get("content-type", ""), b"\n").kind != "page":
            return self._response(status, headers, body)
        if status in (204, 205):
            return self._response(status, headers)
        length = headers.get("content-length", "")
        return RequestRefused(TOO_LARGE) if length.isdigit() and int(length) > LARGEST_PAGE else None


async def _block(route: Any) -> None:
    with contextlib.suppress(PlaywrightError):  # the tab has been closed meanwhile
        await route.abort()
