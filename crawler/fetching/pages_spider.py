"""Fetches single URLs that a person named, through the same guard, pace and robots.txt as any crawl."""

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import scrapy
from scrapy import Request
from scrapy.http import Response

from crawler.fetching.answers import content_type, verdict_of_failure
from crawler.run.outcomes import Outcome, of_answer
from extractors.html.urls import normalise
from workers.inbox import StoredPage

Answer = StoredPage | str  # the page, or why there is none


class PagesSpider(scrapy.Spider):
    """Fetches `urls` and gives each answer to `on_answer(url, answer)`. An interval keeps one host's pace."""

    name = "pages"

    def __init__(self, urls: Sequence[str], on_answer: Callable[[str, Answer], None], **kwargs: Any):
        super().__init__(**kwargs)
        self.urls, self.on_answer = urls, on_answer

    async def start(self) -> AsyncIterator[Request]:
        """One request a URL."""
        for url in self.urls:
            if request := self._request(url):
                yield request

    def _request(self, url: str) -> Request | None:
        try:
            return Request(url, callback=self._came, errback=self._failed, dont_filter=True, cb_kwargs={"asked": url})
        except ValueError as error:
            self.on_answer(url, f"invalid URL: {error}")
            return None

    def _came(self, response: Response, asked: str) -> None:
        kind = content_type(response)
        verdict = self._verdict(response.status, kind, response.body)
        if verdict.kind == "page":
            page = StoredPage(normalise(response.url), response.body, kind, datetime.now(UTC))
            self.on_answer(asked, page)
        else:
            self.on_answer(asked, verdict.reason)

    def _verdict(self, status: int, content_type: str, body: bytes) -> Outcome:
        return of_answer(status, content_type, body)

    def _failed(self, failure: Any) -> None:
        self.on_answer(failure.request.cb_kwargs["asked"], verdict_of_failure(failure).reason)
