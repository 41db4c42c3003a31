"""The spider for single URLs that a person names, with the same guard, pace and robots.txt as any crawl."""

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from scrapy import Request
from scrapy.http import Response

from crawler.fetching.answers import content_type
from crawler.gates.context import FetchContext, GatedSpider
from crawler.gates.errors import outcome_of_failure
from crawler.run.outcomes import Outcome, of_answer
from extractors.html.urls import normalise
from workers.inbox import StoredPage

Answer = StoredPage | str  # the page, or the reason why there is none


class PagesSpider(GatedSpider):
    """Fetches `urls` and passes each answer to `on_answer(url, answer)`."""

    name = "pages"

    def __init__(
        self, context: FetchContext, urls: Sequence[str], on_answer: Callable[[str, Answer], None], **kwargs: Any
    ):
        super().__init__(context, **kwargs)
        self.urls, self.on_answer = urls, on_answer

    async def start(self) -> AsyncIterator[Request]:
        """Yield one request per URL."""
        for url in self.urls:
            if request := self._request(url):
                yield request

    def _request(self, url: str) -> Request | None:
        try:
            return Request(url, self._on_response, errback=self._on_failure, dont_filter=True, cb_kwargs={"given": url})
        except ValueError as error:
            self.on_answer(url, f"invalid URL: {error}")
            return None

    def _on_response(self, response: Response, given: str) -> None:
        kind = content_type(response)
        outcome = self._outcome(response.status, kind, response.body)
        if outcome.kind == "page":
            self.on_answer(given, StoredPage(normalise(response.url), response.body, kind, datetime.now(UTC)))
        else:
            self.on_answer(given, outcome.reason)

    def _outcome(self, status: int, content_type: str, body: bytes) -> Outcome:
        return of_answer(status, content_type, body)

    def _on_failure(self, failure: Any) -> None:
        outcome = outcome_of_failure(failure.value, failure.request)
        self.on_answer(failure.request.cb_kwargs["given"], outcome.reason)
