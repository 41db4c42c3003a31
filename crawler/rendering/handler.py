"""Scrapy's side of rendering: which requests go to the browser, and when it is started.

scrapy-playwright's handler loads the pages; a provider of ours lends it the browser that all runs of a process share.
"""

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import NotSupported
from scrapy.http import Response
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

from crawler.gates.context import RENDER, Gate, context_of
from crawler.gates.errors import RunEnding
from crawler.gates.limits import LimitedHandler
from crawler.rendering.chromium import BrowserMissing

if TYPE_CHECKING:
    from crawler.rendering.browsers import Browsers
    from crawler.rendering.visit import ScriptCache

READY_AT = 945  # order among the middlewares: after robots.txt and guard, before the pace, so that no permit expires


def browsers_of(crawler: Any) -> "Browsers":
    """Return the browsers of a crawl, which others of the process may share."""
    from crawler.rendering.browsers import Browsers

    context, user_agent = context_of(crawler), crawler.settings["USER_AGENT"]
    key = (context.guard.allow, context.proxy, user_agent)
    if key not in context.browsers:
        context.browsers[key] = Browsers(context.guard, context.proxy, user_agent)
    browsers: Browsers = context.browsers[key]
    return browsers


def rendering_settings(settings: Any) -> dict[str, Any]:
    """Return Scrapy's settings for a crawl in which some requests may be rendered, on top of `settings`."""
    handlers = dict.fromkeys(("http", "https"), "crawler.rendering.handler.RenderingHandler")
    ready = {"crawler.rendering.handler.BrowserReady": READY_AT}
    return {
        "DOWNLOAD_HANDLERS": dict(settings.getdict("DOWNLOAD_HANDLERS")) | handlers,
        "DOWNLOADER_MIDDLEWARES": dict(settings.getdict("DOWNLOADER_MIDDLEWARES")) | ready,
        "PLAYWRIGHT_BROWSER_PROVIDER": LendingProvider,
        "PLAYWRIGHT_ABORT_REQUEST": is_unprepared,
        "PLAYWRIGHT_CONTEXTS": {},  # a context belongs to a page
        "METAREFRESH_IGNORE_TAGS": ["script", "noscript"],  # empty shells redirect browsers without scripts
    }


def is_unprepared(_: Any) -> bool:
    """Whether to block a request of a page: `Visit` decides on all requests of the tabs that it has prepared."""
    return True


class LendingProvider:
    """Lends scrapy-playwright (its interface `BrowserProvider`) the browsers that `Browsers` starts and closes."""

    def __init__(self, config: Any):
        """`config`: that of scrapy-playwright, not used."""

    async def start(self) -> None:
        """Do nothing: `Browsers` starts a browser for the first page."""

    async def launch_browser(self) -> Any:
        """Return a browser that stands for all browsers."""
        return LentBrowser()

    async def launch_persistent_context(self, context_kwargs: dict[str, Any]) -> Any:
        """Raises `NotSupported`."""
        raise NotSupported("no browser context outlives its page")

    async def close(self) -> None:
        """Do nothing: `Browsers` closes the browsers."""


class LentBrowser:
    """Stands for all browsers of a run: each context is made in the browser that its options name as `lender`.

    It has no events: by them, scrapy-playwright would drop a browser that died only after the page was tried again.
    """

    def on(self, event: str, listener: Any) -> None:
        """Do nothing."""

    async def new_context(self, *, lender: Any, **options: Any) -> Any:
        """Return a new browser context of `lender`, Playwright's browser."""
        return await lender.new_context(**options)

    async def close(self) -> None:
        """Do nothing: other runs may use the browsers."""


class RenderingHandler(LimitedHandler, ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """Renders requests with `RENDER`, and downloads all others."""

    def __init__(self, crawler: Any):
        super().__init__(crawler)
        self._scripts: ScriptCache | None = None  # of this run

    async def download_request(self, request: Request) -> Response:
        """Download. For rendered pages it raises `RenderingFailed`, `RequestRefused`."""
        if not request.meta.get(RENDER):
            return await super().download_request(request)
        if self._scripts is None:
            from crawler.rendering.visit import ScriptCache

            self._scripts = ScriptCache()
        return await browsers_of(self.crawler).show(request, self._scripts, self._load)

    async def _load(self, request: Request) -> Response:
        loaded: Response = await ScrapyPlaywrightDownloadHandler.download_request(self, request)
        return loaded

    async def close(self) -> None:
        """End the browsers, unless other runs follow; called by Scrapy at the end."""
        context = context_of(self.crawler)
        for browsers in [] if context.keeps_browsers else context.browsers.values():
            await browsers.close()
        await super().close()


class BrowserReady(Gate):
    """Starts the browser before a rendered request gets its permit, so that requests are not sent in bursts."""

    async def process_request(self, request: Request) -> None:
        """Raises `RunEnding` without a browser: the run ends and the page waits."""
        if not request.meta.get(RENDER):
            return
        try:
            await browsers_of(self.crawler).ready()
        except BrowserMissing as missing:
            self.context.on_browser_missing(str(missing))
            raise RunEnding from None
