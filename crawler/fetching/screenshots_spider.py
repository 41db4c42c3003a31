"""The spider for screenshots of single pages, with the same guard and robots.txt as any crawl, in a real browser."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from playwright.async_api import TimeoutError as PlaywrightTimeout
from scrapy import Request
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import Response
from scrapy_playwright.page import PageMethod

from crawler.fetching.answers import content_type
from crawler.fetching.shot import Shot
from crawler.gates.context import FetchContext, GatedSpider
from crawler.gates.errors import AddressRefused
from crawler.gates.failures import outcome_of_failure
from crawler.guarding.guard import host_and_port
from crawler.rendering.chromium import PLAIN, SCRIPTS
from crawler.run.outcomes import of_answer
from extractors.visual.screenshots import is_blank, read_png

SCREENSHOT_SECONDS = 15
FORBIDDEN = 403  # the proxy's status for an address that it refused


class ScreenshotsSpider(GatedSpider):
    """Writes a PNG for each of `shots` and passes the result to `on_shot`; `refused`: addresses that the proxy refused.

    Strategy: with JavaScript; if that is blank or fails, once more without; if that is blank or fails, too, no
    screenshot, but the reason. A page that does not exist (404, no HTML, refused) is requested once.
    """

    name = "screenshots"

    def __init__(
        self,
        context: FetchContext,
        shots: Sequence[Shot],
        on_shot: Callable[[Shot], None],
        refused: Mapping[tuple[str, int], str] = MappingProxyType({}),
        **kwargs: Any,
    ):
        super().__init__(context, **kwargs)
        self.shots, self.on_shot, self.refused = shots, on_shot, refused

    async def start(self) -> AsyncIterator[Request]:
        """Yield one request per page."""
        for shot in self.shots:
            yield self._request(shot, SCRIPTS)

    def _request(self, shot: Shot, context: str) -> Request:
        method = PageMethod("screenshot", animations="disabled", timeout=SCREENSHOT_SECONDS * 1000)
        return Request(
            shot.url,
            callback=self._on_response,
            errback=self._on_failure,
            dont_filter=True,
            meta={"playwright": True, "playwright_context": context, "playwright_page_methods": [method]},
            cb_kwargs={"shot": shot, "context": context},
        )

    def _on_response(self, response: Response, shot: Shot, context: str) -> Request | None:
        refused = self.refused.get(host_and_port(response.url)) if response.status == FORBIDDEN else None
        outcome = of_answer(response.status, content_type(response), response.body)
        if refused:
            outcome = AddressRefused(refused).outcome
        if outcome.kind != "page":
            return self._without(shot, outcome.reason)
        png: bytes = response.meta["playwright_page_methods"][0].result
        if is_blank(read_png(png)):
            return self._again(shot, context, "the page is blank")
        Path(shot.file).write_bytes(png)
        self.on_shot(replace(shot, scripts=context == SCRIPTS))
        return None

    def _on_failure(self, failure: Any) -> Request | None:
        shot, context = (failure.request.cb_kwargs[name] for name in ("shot", "context"))
        error = DownloadTimeoutError() if isinstance(failure.value, PlaywrightTimeout) else failure.value
        if refused := self.refused.get(host_and_port(failure.request.url)):
            error = AddressRefused(refused)
        outcome = outcome_of_failure(error)
        reason = outcome.reason.splitlines()[0]
        return self._again(shot, context, reason) if outcome.kind == "again" else self._without(shot, reason)

    def _again(self, shot: Shot, context: str, reason: str) -> Request | None:
        return self._request(shot, PLAIN) if context == SCRIPTS else self._without(shot, reason)

    def _without(self, shot: Shot, reason: str) -> Request | None:
        """Record that a page gets no screenshot: an image of an error page would be worse."""
        self.on_shot(replace(shot, reason=reason))
        return None
