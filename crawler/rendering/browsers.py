"""The life cycle of the browser. It is started for the first page, and replaced when it has grown or died.

All runs of a process with the same proxy share one browser; each page has a context (cookies, cache) of its own, which
is closed with it, and each run a cache of scripts. A browser gets no more pages once it has rendered its maximum number
or its processes use too much memory, and ends when its open pages are done. Only then does the next one start, with a
new Playwright driver, so that nothing of the old one stays in memory.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright
from scrapy import Request
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import Response

from crawler.gates.errors import AddressRefused, RenderingFailed
from crawler.gates.pace_gate import in_time
from crawler.guarding.browser_proxy import GuardedProxy
from crawler.guarding.guard import Guard, host_and_port
from crawler.rendering.chromium import PAGE_SECONDS, BrowserMissing, find_browser, launch_options
from crawler.rendering.visit import SETTLE_SECONDS, ScriptCache, Visit
from crawler.run.rendering_choice import TABS
from workers.processes import below, children_of, resident

PAGES_A_BROWSER = 500
MEMORY = 1.5 * 2**30  # bytes of all processes (shared memory counted each time) at which a browser gets no more pages …
MEMORY_MOST = 4 * 2**30  # … and from which it is killed with its open pages
LOOK_EVERY = 1.0  # seconds between two checks of the memory while pages are open
START_SECONDS = 30.0
CLOSE_SECONDS = 5.0  # seconds that a tab or a browser has to close; then its processes are killed
LINGER = 120.0  # seconds without a page after which the browser of a crawl process ends
TABS_OF_ALL = 2 * TABS  # open pages of all runs
FLAGS = ("--blink-settings=imagesEnabled=false", "--js-flags=--max-old-space-size=512")  # the second: MiB a page
CONTEXTS = count(1)  # numbers of the contexts of pages
STARTING = asyncio.Lock()  # of a driver: the process that appears meanwhile is the driver
CUT_OFF = ("has been closed", "Connection closed")  # in messages of Playwright on a browser that has died


Load = Callable[[Request], Awaitable[Response]]  # loads the main document of a page in a browser


class BrowserGone(Exception):
    """The browser died, or had to be killed, with the page open."""


class Browser:
    """One browser, from its start to its end."""

    def __init__(self, executable: str, proxy: str, user_agent: str):
        self.executable = executable
        self.broken = False
        self.idle = asyncio.Event()
        self.idle.set()
        self._options: dict[str, Any] = {
            "service_workers": "block",
            "accept_downloads": False,
            "ignore_https_errors": True,
            "user_agent": user_agent,
        }
        self._launch_options = launch_options(executable, proxy, (*FLAGS, f"--user-agent={user_agent}"))
        self._shown = 0  # number of pages that it was given
        self._visits: set[Visit] = set()  # open pages
        self._drivers: list[int] = []  # the process of Playwright that started the browser
        self._pids: list[int] = []
        self._watch: asyncio.Task[None] | None = None
        self._playwright: Any = None
        self._browser: Any = None

    @property
    def worn_out(self) -> bool:
        """Whether the browser is to get no more pages."""
        grown = self._shown > 0 and resident(self._pids) > MEMORY
        return self.broken or grown or self._shown >= PAGES_A_BROWSER

    async def start(self) -> None:
        """Start the browser. Raises `BrowserMissing` if it does not start."""
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._start_driver()
                self._browser = await self._playwright.chromium.launch(**self._launch_options)
        except (PlaywrightError, OSError, TimeoutError) as error:
            await self.close()
            message = next(iter(str(error).splitlines()), "") or "it does not answer"
            raise BrowserMissing(f"the browser {self.executable} does not start: {message[:200]}") from None
        self._pids = self._processes()
        self._browser.on("disconnected", lambda _: self.end_visits())
        self._watch = asyncio.ensure_future(self._watch_memory())

    async def show(self, request: Request, cache: ScriptCache, load: Load) -> Response:
        """Render a page. Raises `BrowserGone`, `RenderingFailed`, `RequestRefused`."""
        visit = Visit(request, cache)
        seconds = request.meta.get("download_timeout") or PAGE_SECONDS
        self._shown += 1
        self._visits.add(visit)
        self.idle.clear()
        request.meta.update(
            playwright=True,
            playwright_include_page=True,
            playwright_context=f"page {next(CONTEXTS)}",
            playwright_context_kwargs={"lender": self._browser, **self._options},
            playwright_page_init_callback=visit.prepare,
            playwright_page_goto_kwargs={"wait_until": "commit", "timeout": seconds * 1000},
        )
        try:
            async with asyncio.timeout(seconds + SETTLE_SECONDS + CLOSE_SECONDS):
                document = await visit.unless_over(load(request))
                if document is not None:
                    tab = request.meta["playwright_page"]
                    await visit.settle(tab)
                    if visit.ending is None:
                        return visit.to_response(tab.url, document, await visit.html(tab))
        except PlaywrightError as error:
            if visit.ending is None:
                raise self._reason(error) from None
        except TimeoutError:
            raise RenderingFailed("the page's scripts do not end") from None
        finally:
            request.meta["download_latency"] = visit.latency
            await self._leave(visit)
            for name in [name for name in request.meta if name.startswith("playwright")]:
                del request.meta[name]
        return visit.early_response()

    def end_visits(self) -> None:
        """End the open pages, since the browser has died: Playwright would wait forever for a tab that was opening."""
        self._break()
        for visit in self._visits:
            visit.end(BrowserGone())

    async def close(self) -> None:
        """End the browser and all its processes."""
        self.broken = True
        if self._watch is not None:
            self._watch.cancel()
        with contextlib.suppress(PlaywrightError, TimeoutError, OSError):
            async with asyncio.timeout(CLOSE_SECONDS):
                if self._browser is not None:
                    await self._browser.close()
                if self._playwright is not None:
                    await self._playwright.stop()
        self._kill()

    async def _start_driver(self) -> None:
        async with STARTING:
            others = children_of(os.getpid())
            try:
                self._playwright = await async_playwright().start()
            finally:
                self._drivers = [pid for pid in children_of(os.getpid()) if pid not in others]

    async def _leave(self, visit: Visit) -> None:
        """Close a page's context, with all its tabs."""
        try:
            if visit.context is not None and not self.broken:
                await asyncio.wait_for(visit.context.close(), CLOSE_SECONDS)
        except TimeoutError:  # a renderer hangs
            self._break()
            self._kill()
        except PlaywrightError:
            pass  # it is already closed
        finally:
            self._visits.discard(visit)
            if not self._visits:
                self.idle.set()

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

    def _processes(self) -> list[int]:
        """Return the browser's processes; other browsers of this process have drivers of their own."""
        running = [pid for pid in children_of(os.getpid()) if pid in self._drivers]
        return running + [pid for driver in running for pid in below(driver)]

    def _kill(self) -> None:
        for pid in self._processes():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    async def _watch_memory(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            self._pids = self._processes()
            if resident(self._pids) > MEMORY_MOST:
                self._break()
                self._kill()
                return


class Browsers:
    """The browsers of the runs of a process, one after the other, all with one proxy. Not for several event loops.

    `guard` and `upstream`: those of the runs. The browser ends `LINGER` seconds after its last page.
    """

    def __init__(self, guard: Guard, upstream: str, user_agent: str):
        self.guard, self.upstream, self.user_agent = guard, upstream, user_agent
        self.started = 0
        self._proxy: GuardedProxy | None = None
        self._current: Browser | None = None
        self._lock = asyncio.Lock()
        self._tabs = asyncio.Semaphore(TABS_OF_ALL)
        self._resting: asyncio.TimerHandle | None = None
        self._ending: asyncio.Future[None] | None = None

    async def ready(self) -> Browser:
        """Return the browser for the next page, started if necessary. Raises `BrowserMissing`."""
        self._rest()
        async with self._lock:
            if self._current is not None and self._current.worn_out:
                await self._current.idle.wait()
                await self._current.close()
                self._current = None
            if self._current is None:
                executable = find_browser()
                if self._proxy is None:
                    self._proxy = GuardedProxy(self.guard, upstream=self.upstream).__enter__()
                browser = Browser(executable, self._proxy.url, self.user_agent)
                await browser.start()
                self._current, self.started = browser, self.started + 1
            return self._current

    async def show(self, request: Request, cache: ScriptCache, load: Load) -> Response:
        """Render a page, with the scripts of its run; if the browser dies with it, once more in a new browser."""
        async with self._tabs:
            await in_time(request)
            for _ in range(2):
                browser = await self.ready()
                try:
                    response = await browser.show(request, cache, load)
                    if response.status == 403:
                        await self._check_refused(request)
                    return response
                except BrowserGone:
                    continue
                except (RenderingFailed, DownloadTimeoutError):
                    await self._check_refused(request)
                    raise
        raise RenderingFailed("browser crashed on this or another page")

    def _rest(self) -> None:
        """Let the browser end if no further page is shown for a while."""
        if self._resting is not None:
            self._resting.cancel()
        self._resting = asyncio.get_running_loop().call_later(LINGER, self._end)

    def _end(self) -> None:
        if self._current is not None and not self._current.idle.is_set():
            self._rest()
        else:
            self._ending = asyncio.ensure_future(self.close())

    async def close(self) -> None:
        """End browser and proxy."""
        async with self._lock:
            if self._resting is not None:
                self._resting.cancel()
            if self._current is not None:
                await self._current.close()
            if self._proxy is not None:
                self._proxy.__exit__(None, None, None)
            self._current = self._proxy = None

    async def _check_refused(self, request: Request) -> None:
        """Raise `AddressRefused` if the proxy refused the page's address."""
        address = await self._proxy.refused_address(*host_and_port(request.url)) if self._proxy else ""
        if address:
            raise AddressRefused(address)
