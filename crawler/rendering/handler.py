"""Scrapy's side of rendering: which requests go to the browser, and when it is started."""

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import Response

from crawler.gates.context import RENDER, Gate, context_of
from crawler.gates.errors import RunEnding
from crawler.gates.limits import LimitedHandler
from crawler.rendering.chromium import BrowserMissing

if TYPE_CHECKING:
    from crawler.rendering.browsers import Browsers
    from crawler.rendering.visit import ScriptCache

READY_AT = 945  # order among the middlewares: after robots.txt and guard, before the pace, so that no permit expires


def browsers_of(crawler: Any) -> "Browsers":
    """Return the browsers of a crawl, which others of the process may share; Playwright is imported only here."""
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
        "METAREFRESH_IGNORE_TAGS": ["script", "noscript"],  # empty shells redirect browsers without scripts
    }


class RenderingHandler(LimitedHandler):
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
        return await browsers_of(self.crawler).show(request, self._scripts)

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
