"""Scrapy's side of rendering: which requests go to the browser, and when it is started."""

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import Response
from scrapy.utils.misc import build_from_crawler, load_object

from crawler.gates.context import RENDER, Gate, context_of
from crawler.gates.errors import RunEnding
from crawler.rendering.chromium import BrowserMissing

if TYPE_CHECKING:
    from crawler.rendering.browsers import Browsers

PLAIN_HANDLERS = "EXEMPLAR_PLAIN_HANDLERS"  # setting: scheme -> the handler for requests that are not rendered
LINGER = 60.0  # seconds after the last run of a crawl process until its browser ends
READY_AT = 945  # order among the middlewares: after robots.txt and guard, before the pace, so that no permit expires


def browsers_of(crawler: Any) -> "Browsers":
    """Return the browsers of a crawl, which others of the process may share; Playwright is imported only here."""
    spider = crawler.spider
    if spider.browsers is None:
        from crawler.rendering.browsers import Browsers

        context, user_agent = context_of(crawler), crawler.settings["USER_AGENT"]
        key = (context.guard.allow, context.proxy, user_agent)
        if key not in context.browsers:
            linger = LINGER if context.keeps_browsers else 0.0
            context.browsers[key] = Browsers(context.guard, context.proxy, user_agent, linger=linger)
        spider.browsers = context.browsers[key]
        spider.browsers.join(spider)
    browsers: Browsers = spider.browsers
    return browsers


def rendering_settings(settings: Any) -> dict[str, Any]:
    """Return Scrapy's settings for a crawl in which some requests may be rendered, on top of `settings`."""
    handlers = dict(settings.getwithbase("DOWNLOAD_HANDLERS"))
    plain = {scheme: handlers[scheme] for scheme in ("http", "https")}
    ready = {"crawler.rendering.handler.BrowserReady": READY_AT}
    return {
        PLAIN_HANDLERS: plain,
        "DOWNLOAD_HANDLERS": handlers | dict.fromkeys(plain, "crawler.rendering.handler.RenderingHandler"),
        "DOWNLOADER_MIDDLEWARES": dict(settings.getdict("DOWNLOADER_MIDDLEWARES")) | ready,
        "METAREFRESH_IGNORE_TAGS": ["script", "noscript"],  # empty shells redirect browsers without scripts
    }


class RenderingHandler:
    """Renders requests with `RENDER`, and passes all others to the handler that was set before."""

    lazy = True

    def __init__(self, crawler: Any):
        self.crawler = crawler
        self._plain: dict[str, Any] = {}

    @classmethod
    def from_crawler(cls, crawler: Any) -> "RenderingHandler":
        """Scrapy's constructor; Scrapy creates one handler for each scheme."""
        return cls(crawler)

    async def download_request(self, request: Request) -> Response:
        """Download. Raises the errors of the other handler; for rendered pages `RenderingFailed`, `RequestRefused`."""
        if request.meta.get(RENDER):
            return await browsers_of(self.crawler).show(request, self.crawler.spider)
        scheme = request.url.partition(":")[0]
        if scheme not in self._plain:
            named = self.crawler.settings.getdict(PLAIN_HANDLERS)[scheme]
            self._plain[scheme] = build_from_crawler(load_object(named), self.crawler)
        response: Response = await self._plain[scheme].download_request(request)
        return response

    async def close(self) -> None:
        """Leave the browsers; called by Scrapy at the end."""
        if self.crawler.spider.browsers is not None:
            await self.crawler.spider.browsers.leave(self.crawler.spider)
        for handler in self._plain.values():
            await handler.close()


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
