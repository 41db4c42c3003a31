"""One visit: a tab that loads one main document and waits until its scripts have brought the article.

    request → main document → answer looked at → scripts, data → still and quiet → HTML

A visit ends early, before anything is drawn, where the main document is no page (a redirect, an error, another kind of
file), and where the page leads elsewhere. Where it led is left in `ending`; the browser never goes there itself.

Of what a page asks for only scripts and data are let through (`NEEDED`). Style sheets come out empty, because loaders
of scripts wait for them; pictures, films, fonts, frames, beacons and the like are not asked for at all. A frame's text
is not part of a page's HTML either.

Redirects are seen through the DevTools protocol, at the answer: Playwright's own routes never see where they lead.
"""

import asyncio
import contextlib
import time
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urljoin, urlsplit

from playwright.async_api import Error as PlaywrightError
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Headers, HtmlResponse
from scrapy.http import Response as ScrapyResponse

from crawler.politeness.pace import host_of
from crawler.rendering.scripts import ScriptCache, seconds_of
from crawler.run.outcomes import MOVED, of_answer
from workers.inbox import LARGEST_PAGE

SETTLE_SECONDS = 10.0  # at most, from the main document's first byte until what is there is taken
QUIET_SECONDS = 0.2  # between two looks; unchanged from one to the next and nothing on its way: the page is ready
STILL_SECONDS = 2.0  # unchanged for so long, a page is ready although something is on its way (polling, trackers)
SPARSE_SECONDS = 3.0  # unchanged for so long, a page is ready although it shows next to nothing
SPARSE_TEXT = 200  # characters that a page shows as long as its article is not there
NEEDED = frozenset({"script", "xhr", "fetch"})
LEADS_ELSEWHERE = 302  # what Scrapy is told where a page leads on by itself
TOO_LARGE = "the page is larger than 32 MiB"
UNENDING = "the page does not come to its end in time"
# Headers of a request that are the browser's own matter, or would have a shell answered by "not modified".
NOT_FOR_BROWSERS = frozenset(
    {"host", "cookie", "accept-encoding", "connection", "content-length", "user-agent", "proxy-authorization"}
    | {"if-none-match", "if-modified-since"}
)
OF_EVERY_REQUEST = frozenset({"accept", "accept-language"})  # not a task's own headers

# Characters that a page shows, its elements, whether it has been read to its end.
_LOOK = """() => [document.body ? document.body.innerText.length : 0, document.getElementsByTagName('*').length,
document.readyState != 'loading']"""
_SIZE = "() => document.documentElement ? document.documentElement.outerHTML.length : 0"


class PageEnds(Exception):
    """The visit is over before its time; `Visit.ending` says why."""


class RenderingFailed(Exception):
    """The page could not be rendered this time. The text says why."""


@dataclass(frozen=True, slots=True)
class EarlyResponse:
    """What Scrapy is told instead of a page; `error`: that there is none."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    error: Exception | None = None

    def to_response(self, request: Request) -> ScrapyResponse:
        """As Scrapy wants it. Raises `error`."""
        if self.error is not None:
            raise self.error
        return ScrapyResponse(request.url, self.status, cast("dict[Any, Any]", self.headers), self.body)


class Visit:
    """One request's way through a tab."""

    def __init__(self, request: Request, cache: ScriptCache):
        self.request, self.cache = request, cache
        self.ending: EarlyResponse | None = None
        self.latency = 0.0  # seconds to the main document's answer
        self._began = time.monotonic()
        self._frame = ""  # the DevTools' name of the main frame; empty until all is set up
        self._asked = False  # the main document has been asked for
        self._over = asyncio.Event()
        self._open: set[Any] = set()  # requests on their way
        self._tasks: set[asyncio.Task[None]] = set()
        named = {name.decode("latin-1").lower(): b",".join(values) for name, values in request.headers.items()}
        self._headers = {name: value.decode("latin-1") for name, value in named.items() if name not in NOT_FOR_BROWSERS}
        self._private = {name: value for name, value in self._headers.items() if name not in OF_EVERY_REQUEST}

    async def prepare(self, page: Any) -> None:
        """Set a new tab up, before it loads anything."""
        await self._bring_cookies(page)
        tools = await page.context.new_cdp_session(page)
        frames = await tools.send("Page.getFrameTree")
        tools.on("Fetch.requestPaused", lambda event: self._begin(self._look_at(tools, event)))
        looked_at = ("Document", *(("Script", "XHR", "Fetch") if self._private else ()))
        answers = [{"urlPattern": "*", "resourceType": kind, "requestStage": "Response"} for kind in looked_at]
        await tools.send("Fetch.enable", {"patterns": answers})
        page.on("request", self._sent)
        page.on("requestfinished", self._finished)
        page.on("requestfailed", self._failed)
        await page.route("**", lambda route: self._route(page, route))
        self._frame = frames["frameTree"]["frame"]["id"]

    async def settle(self, page: Any) -> None:
        """Wait until the article is there. Raises `PageEnds`, `RenderingFailed`, `IgnoreRequest`."""
        began = changed = time.monotonic()
        before: list[Any] = []
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), QUIET_SECONDS)
            if self.ending is not None:
                raise PageEnds
            found, now = await page.evaluate(_LOOK), time.monotonic()
            if found != before:
                before, changed = found, now
            elif found[2] and self._is_ready(found[0], now - changed):
                break
            if now - began > SETTLE_SECONDS:
                break
        if await page.evaluate(_SIZE) > LARGEST_PAGE:
            raise IgnoreRequest(TOO_LARGE)
        if not before[2]:
            raise RenderingFailed(UNENDING)

    def to_response(self, response: Any) -> ScrapyResponse:
        """The page as it came out, in UTF-8, whatever its source was in: text that scripts bring fits no other."""
        text = response.text if hasattr(response, "text") else response.body.decode("utf-8", "replace")
        body = text.encode("utf-8", "replace")
        if len(body) > LARGEST_PAGE:
            raise IgnoreRequest(TOO_LARGE)
        headers = Headers(response.headers)
        headers["Content-Type"] = "text/html; charset=utf-8"
        for name in ("Content-Length", "Content-Encoding", "Transfer-Encoding", "ETag", "Last-Modified"):
            headers.pop(name, None)
        url = response.url if urlsplit(response.url).scheme in ("http", "https") else self.request.url
        return HtmlResponse(url, response.status, headers, body, encoding="utf-8")

    def _is_ready(self, text: int, still: float) -> bool:
        if text < SPARSE_TEXT:
            return still >= SPARSE_SECONDS
        return not self._open or still >= STILL_SECONDS

    def _end(self, ending: EarlyResponse) -> None:
        self.ending = self.ending or ending
        self._over.set()

    # -- what the page asks for -------------------------------------------------------------------------------------

    async def _route(self, page: Any, route: Any) -> None:
        """Let a request through, or not. Redirects of what is let through are not asked about; the proxy sees them."""
        asked = route.request
        kind = asked.resource_type
        with contextlib.suppress(PlaywrightError):  # the tab has been closed meanwhile
            if asked.is_navigation_request():
                await self._navigate(page, route)
            elif kind == "stylesheet":
                await route.fulfill(status=200, content_type="text/css", body="")
            elif kind not in NEEDED:
                await route.abort()
            elif kind == "script" and (known := self.cache.get(asked.url)):
                await route.fulfill(status=200, headers=known.headers, body=known.body)
            else:
                await route.continue_(headers=self._headers_for(asked, main=False))

    async def _navigate(self, page: Any, route: Any) -> None:
        asked = route.request
        main = asked.frame == page.main_frame
        if main and self._frame and not self._asked:
            self._asked = True
            await route.continue_(headers=self._headers_for(asked, main=True))
            return
        if main and asked.method == "GET":
            self._end(EarlyResponse(LEADS_ELSEWHERE, {"Location": asked.url}))
        elif main:  # a challenge, mostly
            self._end(EarlyResponse(error=RenderingFailed("the page leads on by sending a form")))
        await route.abort("aborted")  # any other error would put a page of the browser's own in its place

    def _headers_for(self, asked: Any, *, main: bool) -> dict[str, str]:
        """The task's headers go to the main document and to its own host, nowhere else."""
        headers: dict[str, str] = asked.headers
        if main:
            return headers | self._headers
        if host_of(asked.url) != host_of(self.request.url):
            return headers
        return headers | self._private

    async def _bring_cookies(self, page: Any) -> None:
        said = b"; ".join(self.request.headers.getlist("Cookie")).decode("latin-1")
        pairs = [pair.strip().partition("=") for pair in said.split(";") if "=" in pair]
        if pairs:
            cookies = [{"name": name, "value": value, "url": self.request.url} for name, _, value in pairs]
            await page.context.add_cookies(cookies)

    # -- what comes -------------------------------------------------------------------------------------------------

    def _begin(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _sent(self, asked: Any) -> None:
        self._open.add(asked)

    def _failed(self, asked: Any) -> None:
        self._open.discard(asked)

    def _finished(self, asked: Any) -> None:
        self._open.discard(asked)
        if asked.resource_type == "script" and self.cache.get(asked.url) is None:
            self._begin(self._keep(asked))

    async def _keep(self, asked: Any) -> None:
        """Keep a script for the pages to come, if the site lets us."""
        with contextlib.suppress(PlaywrightError):  # the tab has been closed meanwhile
            answer = await asked.response()
            if answer is not None and answer.status == 200:
                headers = await answer.all_headers()
                if seconds_of(headers):
                    self.cache.put(asked.url, headers, await answer.body())

    async def _look_at(self, tools: Any, event: dict[str, Any]) -> None:
        """Let an answer through, or end the visit where the main document's is no page.

        What a page loads from its own host has the task's headers, and Chromium would take them along to wherever it is
        redirected: so it isn't.
        """
        step, asked = "Fetch.continueRequest", {"requestId": event["requestId"]}
        headers = {one["name"].lower(): one["value"] for one in event.get("responseHeaders", ())}
        if event.get("resourceType") != "Document":
            to = urljoin(event["request"]["url"], headers.get("location", ""))
            if event.get("responseStatusCode") in MOVED and host_of(to) != host_of(self.request.url):
                step, asked = "Fetch.failRequest", asked | {"errorReason": "BlockedByClient"}
        elif event["frameId"] == self._frame and "responseStatusCode" in event:
            self.latency = time.monotonic() - self._began
            if ending := _ending(event["responseStatusCode"], headers):
                self._end(ending)
                step, asked = "Fetch.failRequest", asked | {"errorReason": "BlockedByClient"}
        with contextlib.suppress(PlaywrightError):  # the tab has been closed meanwhile
            await tools.send(step, asked)


def _ending(status: int, headers: dict[str, str]) -> EarlyResponse | None:
    """How a visit ends where the main document has this answer; None if it is a page."""
    if "content-encoding" in headers:
        headers = {name: value for name, value in headers.items() if name != "content-encoding"}
    if status in MOVED and "location" in headers:
        return EarlyResponse(status, headers)
    body = b"\n" if status == 200 else b""  # its kind says enough
    if headers.get("content-disposition", "").lower().startswith("attachment"):
        return EarlyResponse(200, headers | {"content-type": "application/x-download"}, b"\n")
    if of_answer(status, headers.get("content-type", ""), b"\n").kind != "page":
        return EarlyResponse(status, headers, body)
    if status in (204, 205):
        return EarlyResponse(status, headers)
    length = headers.get("content-length", "")
    return EarlyResponse(error=IgnoreRequest(TOO_LARGE)) if length.isdigit() and int(length) > LARGEST_PAGE else None
