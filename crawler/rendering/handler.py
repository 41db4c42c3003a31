"""Scrapy's side of rendering: which requests go to the browser, and when it has to stand ready."""

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import Response
from scrapy.utils.misc import build_from_crawler, load_object

from crawler.fetching.middlewares import RunEnding
from crawler.rendering.chromium import BrowserMissing

if TYPE_CHECKING:
    from crawler.rendering.browsers import Browsers

RENDER = "render"  # in a request's meta
PLAIN_HANDLERS = "EXEMPLAR_PLAIN_HANDLERS"  # setting: scheme -> the handler for what is not rendered
READY_AT = 945  # among the middlewares: what robots.txt or the guard refuse starts no browser, and no turn runs out


def browsers_of(crawler: Any) -> "Browsers":
    """The browsers of a crawl; nothing of Playwright is imported before the first one is asked for."""
    if getattr(crawler, "exemplar_browsers", None) is None:
        from crawler.rendering.browsers import Browsers

        crawler.exemplar_browsers = Browsers(crawler)
    return crawler.exemplar_browsers  # type: ignore[no-any-return]


def rendering_settings(settings: Any) -> dict[str, Any]:
    """Return Scrapy's settings for a crawl in which some requests may be rendered, on top of `settings`."""
    handlers = dict(settings.getwithbase("DOWNLOAD_HANDLERS"))
    plain = {scheme: handlers[scheme] for scheme in ("http", "https")}
    ready = {"crawler.rendering.handler.BrowserReady": READY_AT}
    return {
        PLAIN_HANDLERS: plain,
        "DOWNLOAD_HANDLERS": handlers | dict.fromkeys(plain, "crawler.rendering.handler.RenderingHandler"),
        "DOWNLOADER_MIDDLEWARES": dict(settings.getdict("DOWNLOADER_MIDDLEWARES")) | ready,
        "METAREFRESH_IGNORE_TAGS": ["script", "noscript"],  # shells send readers without scripts elsewhere
    }


class RenderingHandler:
    """Renders what asks for it, and hands on all other requests to the handler that was there before."""

    lazy = True

    def __init__(self, crawler: Any):
        self.crawler = crawler
        self._plain: dict[str, Any] = {}

    @classmethod
    def from_crawler(cls, crawler: Any) -> "RenderingHandler":
        """Scrapy's way to make one; it makes one a scheme."""
        return cls(crawler)

    async def download_request(self, request: Request) -> Response:
        """Raises what the other handler raises; for rendered pages `RenderingFailed`, `IgnoreRequest`."""
        if request.meta.get(RENDER):
            return await browsers_of(self.crawler).show(request)
        scheme = request.url.partition(":")[0]
        if scheme not in self._plain:
            named = self.crawler.settings.getdict(PLAIN_HANDLERS)[scheme]
            self._plain[scheme] = build_from_crawler(load_object(named), self.crawler)
        response: Response = await self._plain[scheme].download_request(request)
        return response

    async def close(self) -> None:
        """Scrapy's word for the end."""
        if getattr(self.crawler, "exemplar_browsers", None) is not None:
            await self.crawler.exemplar_browsers.close()
        for handler in self._plain.values():
            await handler.close()


class BrowserReady:
    """Has the browser started before a rendered request's turn at its host comes, so that none of them bunch."""

    def __init__(self, crawler: Any):
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Any) -> "BrowserReady":
        """Scrapy's way to make one."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Without a browser the run ends and the page waits. Raises `RunEnding`."""
        if not request.meta.get(RENDER):
            return
        try:
            await browsers_of(self.crawler).ready()
        except BrowserMissing as missing:
            self.crawler.spider.without_browser(str(missing))
            raise RunEnding("the run ends") from None
