"""Screenshots of single pages, through the same guard and robots.txt as any crawl, in a real browser."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import scrapy
from scrapy import Request
from scrapy.http import Response
from scrapy_playwright.page import PageMethod

from crawler.fetching.answers import verdict_of
from crawler.fetching.shot import Shot
from crawler.guarding.guard import place_of
from crawler.guarding.resolver import refused_at
from crawler.rendering.chromium import PLAIN, SCRIPTS
from crawler.run.outcomes import of_failure
from extractors.visual.image import is_blank, read_png

SCREENSHOT_SECONDS = 15
FORBIDDEN = 403  # what the proxy answers where it connects to nothing


class ScreenshotsSpider(scrapy.Spider):
    """Writes a PNG for each of `shots` and gives what became of it to `on_shot`; `refused`: what the proxy held back.

    Strategy: with JavaScript; blank or failed → once more without; blank or failed again → no screenshot, and why.
    A page that is not there (404, no HTML, refused) is asked for once.
    """

    name = "screenshots"

    def __init__(
        self,
        shots: Sequence[Shot],
        on_shot: Callable[[Shot], None],
        refused: Mapping[tuple[str, int], str] = MappingProxyType({}),
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.shots, self.on_shot, self.refused = shots, on_shot, refused

    async def start(self) -> AsyncIterator[Request]:
        """One request a page."""
        for shot in self.shots:
            yield self._request(shot, SCRIPTS)

    def _request(self, shot: Shot, context: str) -> Request:
        method = PageMethod("screenshot", animations="disabled", timeout=SCREENSHOT_SECONDS * 1000)
        return Request(
            shot.url,
            callback=self._came,
            errback=self._failed,
            dont_filter=True,
            meta={"playwright": True, "playwright_context": context, "playwright_page_methods": [method]},
            cb_kwargs={"shot": shot, "context": context},
        )

    def _came(self, response: Response, shot: Shot, context: str) -> Request | None:
        refused = self.refused.get(place_of(response.url)) if response.status == FORBIDDEN else None
        verdict = of_failure(ConnectionRefusedError(), refused=refused) if refused else verdict_of(response)
        if verdict.kind != "page":
            return self._without(shot, verdict.reason)
        png: bytes = response.meta["playwright_page_methods"][0].result
        if is_blank(read_png(png)):
            return self._again(shot, context, "the page is blank")
        Path(shot.file).write_bytes(png)
        self.on_shot(replace(shot, scripts=context == SCRIPTS))
        return None

    def _failed(self, failure: Any) -> Request | None:
        shot, context = (failure.request.cb_kwargs[name] for name in ("shot", "context"))
        place = place_of(failure.request.url)
        verdict = of_failure(failure.value, refused=self.refused.get(place) or refused_at(*place))
        reason = verdict.reason.splitlines()[0]
        return self._again(shot, context, reason) if verdict.kind == "again" else self._without(shot, reason)

    def _again(self, shot: Shot, context: str, reason: str) -> Request | None:
        return self._request(shot, PLAIN) if context == SCRIPTS else self._without(shot, reason)

    def _without(self, shot: Shot, reason: str) -> Request | None:
        """Give up on a page: no screenshot is better than one of an error."""
        self.on_shot(replace(shot, reason=reason))
        return None
