"""The life cycle of the browser. It is started for the first page, and replaced when it has grown or died.

scrapy-playwright's download handler drives one browser; a new browser is a new handler with a new Playwright driver, so
that nothing of the old one stays in memory. A context (cookies, cache) serves some pages and is closed with them; a
browser gets no more pages once it has rendered its maximum number or its processes use too much memory, and ends when
its open pages are done. Only then does the next one start, so there is never more than one.
"""

import asyncio
import contextlib
import dataclasses
import logging
import os
import signal
from typing import Any

from playwright.async_api import Error as PlaywrightError
from scrapy import Request
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import Response
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler
from scrapy_playwright.page import PageMethod

from crawler.fetching.context import context_of
from crawler.fetching.errors import AddressRefused, RenderingFailed
from crawler.guarding.browser_proxy import GuardedProxy
from crawler.guarding.guard import host_and_port
from crawler.rendering.chromium import PAGE_SECONDS, BrowserMissing, find_browser, launch_options
from crawler.rendering.memory import below, resident
from crawler.rendering.scripts import ScriptCache
from crawler.rendering.visit import SETTLE_SECONDS, PageEnds, Visit

PAGES_A_CONTEXT = 50
PAGES_A_BROWSER = 500
MEMORY = 1.5 * 2**30  # bytes of all processes (shared memory counted each time) at which a browser gets no more pages …
MEMORY_MOST = 4 * 2**30  # … and from which it is killed with its open pages
LOOK_EVERY = 1.0  # seconds between two checks of the memory while pages are open
START_SECONDS = 30.0
CLOSE_SECONDS = 5.0  # seconds that a tab or a browser has to close; then its processes are killed
VISIT = "visit"  # key of the `Visit` in the meta of a navigation
FLAGS = ("--blink-settings=imagesEnabled=false", "--js-flags=--max-old-space-size=512")  # the second: MiB a page
WITHOUT_UDP = "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete window[name]"
CUT_OFF = (
    "Target page, context or browser has been closed",
    "Connection closed",
    "Browser has been closed",
    "has been closed",
)

logging.getLogger("scrapy-playwright").setLevel(logging.CRITICAL)  # the spider itself logs failures, in one line


class BrowserGone(Exception):
    """The browser died, or had to be killed, with the page open."""


class Browser:
    """One browser, from its start to its end."""

    def __init__(self, crawler: Any, executable: str, proxy: str, cache: ScriptCache):
        self.executable, self.cache = executable, cache
        self.broken = False
        self.idle = asyncio.Event()
        self.idle.set()
        self._context = {"service_workers": "block", "accept_downloads": False, "ignore_https_errors": True}
        self._context["user_agent"] = user_agent = crawler.settings["USER_AGENT"]
        self._shown = 0  # number of pages that it was given
        self._open: dict[str, int] = {}  # context -> number of its open pages
        self._tabs: set[Any] = set()  # tabs of this program; any other was opened by a page
        self._guarding: dict[str, asyncio.Future[None]] = {}  # by context
        self._opening = 0  # number of tabs that are being opened
        self._pids: list[int] = []
        self._watch: asyncio.Task[None] | None = None
        self._handler = ScrapyPlaywrightDownloadHandler.from_crawler(crawler)
        self._handler.abort_request = lambda request: True  # blocks requests that `Visit` does not see
        self._handler.config = dataclasses.replace(
            self._handler.config,
            launch_options=launch_options(executable, proxy, (*FLAGS, f"--user-agent={user_agent}")),
            startup_context_kwargs={self._context_name(): self._context},
            max_pages_per_context=1000,  # no limit here: the spider limits the number of pages
            restart_disconnected_browser=False,
            target_closed_max_retries=0,
            download_timeout_secs=1.0,
        )

    @property
    def worn_out(self) -> bool:
        """Whether the browser is to get no more pages."""
        grown = self._shown > 0 and resident(self._pids) > MEMORY
        return self.broken or grown or self._shown >= PAGES_A_BROWSER

    async def start(self) -> None:
        """Start the browser. Raises `BrowserMissing` if it does not start."""
        before = set(below(os.getpid()))
        try:
            await asyncio.wait_for(self._handler._launch(), START_SECONDS)
        except (PlaywrightError, OSError, TimeoutError) as error:
            await self.close()
            message = next(iter(str(error).splitlines()), "") or "it does not answer"
            raise BrowserMissing(f"the browser {self.executable} does not start: {message[:200]}") from None
        finally:
            self._pids = [pid for pid in below(os.getpid()) if pid not in before]
        self._handler.browser.on("disconnected", lambda _: self._break())
        self._watch = asyncio.ensure_future(self._watch_memory(before))

    async def show(self, request: Request) -> Response:
        """Render a page. Raises `BrowserGone`, `RenderingFailed`, `RequestRefused`."""
        visit, name = Visit(request, self.cache), self._context_name()
        seconds = request.meta.get("download_timeout") or PAGE_SECONDS
        navigation = Request(
            request.url,
            headers=request.headers,
            dont_filter=True,
            meta={
                "playwright": True,
                "playwright_include_page": True,
                "playwright_context": name,
                "playwright_context_kwargs": self._context,
                "playwright_page_init_callback": self._prepare,
                "playwright_page_methods": [PageMethod(visit.settle)],
                "playwright_page_goto_kwargs": {"wait_until": "commit", "timeout": seconds * 1000},
                VISIT: visit,
            },
        )
        self._take(name)
        try:
            async with asyncio.timeout(seconds + SETTLE_SECONDS + CLOSE_SECONDS):
                return visit.to_response(await self._handler.download_request(navigation))
        except PageEnds:
            assert visit.ending is not None
            return visit.ending.to_response(request)
        except (PlaywrightError, RuntimeError) as error:
            if visit.ending is not None:
                return visit.ending.to_response(request)
            raise self._reason(visit.not_prepared or error) from None
        except TimeoutError:
            raise RenderingFailed("the page's scripts do not end") from None
        finally:
            request.meta["download_latency"] = visit.latency
            await self._leave(visit.tab, name)

    async def close(self) -> None:
        """End the browser and all its processes."""
        self.broken = True
        if self._watch is not None:
            self._watch.cancel()
        with contextlib.suppress(PlaywrightError, TimeoutError, OSError):
            await asyncio.wait_for(self._handler.close(), CLOSE_SECONDS)
        self._kill()

    def _context_name(self) -> str:
        return f"pages-{self._shown // PAGES_A_CONTEXT}"

    async def _prepare(self, page: Any, navigation: Request) -> None:
        """Set up a new tab. Requests of other tabs, which pages open, are not sent."""
        self._opening -= 1
        visit: Visit = navigation.meta[VISIT]
        visit.tab = page
        self._tabs.add(page)
        name = navigation.meta["playwright_context"]
        try:
            if name not in self._guarding:
                self._guarding[name] = asyncio.ensure_future(_guard(page.context))
            await asyncio.shield(self._guarding[name])
            await visit.prepare(page)
        except PlaywrightError as error:  # scrapy-playwright would only log the error; the tab then sends no request
            visit.not_prepared = error

    def _take(self, name: str) -> None:
        self._shown += 1
        self._opening += 1
        self._open[name] = self._open.get(name, 0) + 1
        self.idle.clear()

    async def _leave(self, tab: Any, name: str) -> None:
        """Close a page's tab and those that it opened; after the last page of a used-up context, also the context."""
        self._tabs.discard(tab)
        self._opening -= tab is None
        self._open[name] -= 1
        try:
            wrapper = self._handler.context_wrappers.get(name)
            if wrapper is not None and not self._open[name] and name != self._context_name():
                await self._close(wrapper.context)
            elif tab is not None:
                strays = [] if self._opening else [page for page in tab.context.pages if page not in self._tabs]
                await asyncio.gather(*map(self._close, {tab, *strays}))
        finally:
            if not any(self._open.values()):
                self.idle.set()

    async def _close(self, what: Any) -> None:
        try:
            if what is not None and not self.broken:
                await asyncio.wait_for(what.close(), CLOSE_SECONDS)
        except TimeoutError:  # its renderer hangs, and so do other tabs
            self._break()
            self._kill()
        except PlaywrightError:
            pass  # it is already closed

    def _reason(self, error: Exception) -> Exception:
        text = str(error)
        if self.broken or any(message in text for message in CUT_OFF):
            self._break()
            return BrowserGone()
        if "crashed" in text:
            return RenderingFailed("the page crashed its tab")
        if "net::" in text:
            return RenderingFailed(text.split("net::", 1)[1].split()[0])
        if "Timeout" in text:
            return DownloadTimeoutError()
        return RenderingFailed(next(iter(text.splitlines()), "")[:100])

    def _break(self) -> None:
        self.broken = True
        self.idle.set()

    def _kill(self) -> None:
        for pid in below(os.getpid()):
            if pid in self._pids:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)

    async def _watch_memory(self, others: set[int]) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            self._pids = [pid for pid in below(os.getpid()) if pid not in others]
            if resident(self._pids) > MEMORY_MOST:
                self._break()
                self._kill()
                return


async def _guard(context: Any) -> None:
    """Block requests of tabs that pages open, and UDP connections, independently of the browser's flags."""
    await context.route("**", lambda route: route.abort())
    await context.add_init_script(WITHOUT_UDP)


class Browsers:
    """The browsers of a crawl, one after the other, all with one proxy. Not for several event loops."""

    def __init__(self, crawler: Any):
        self.crawler = crawler
        self.cache = ScriptCache()
        self.started = 0
        self._proxy: GuardedProxy | None = None
        self._current: Browser | None = None
        self._lock = asyncio.Lock()

    async def ready(self) -> Browser:
        """Return the browser for the next page, started if necessary. Raises `BrowserMissing`."""
        async with self._lock:
            if self._current is not None and self._current.worn_out:
                await self._current.idle.wait()
                await self._current.close()
                self._current = None
            if self._current is None:
                executable = find_browser()
                if self._proxy is None:
                    context = context_of(self.crawler)
                    self._proxy = GuardedProxy(context.guard, upstream=context.proxy).__enter__()
                browser = Browser(self.crawler, executable, self._proxy.url, self.cache)
                await browser.start()
                self._current, self.started = browser, self.started + 1
            return self._current

    async def show(self, request: Request) -> Response:
        """Render a page; if the browser dies with it, once more in a new browser."""
        for _ in range(2):
            browser = await self.ready()
            try:
                response = await browser.show(request)
                if response.status == 403:
                    self._check_refused(request)
                return response
            except BrowserGone:
                continue
            except (RenderingFailed, DownloadTimeoutError):
                self._check_refused(request)
                raise
        raise RenderingFailed("browser crashed on this or another page")

    async def close(self) -> None:
        """End browser and proxy."""
        async with self._lock:
            if self._current is not None:
                await self._current.close()
            if self._proxy is not None:
                self._proxy.__exit__(None, None, None)
            self._current = self._proxy = None

    def _check_refused(self, request: Request) -> None:
        """Raise `AddressRefused` if the proxy refused the page's address."""
        address = self._proxy.refused.get(host_and_port(request.url)) if self._proxy else None
        if address is not None:
            raise AddressRefused(address)
