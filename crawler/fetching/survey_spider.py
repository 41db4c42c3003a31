"""Fetches the pages of a survey, through the same guard and robots.txt as any crawl."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from scrapy import Request
from scrapy.http import Response

from crawler.fetching.pages_spider import Answer, PagesSpider
from crawler.gates.context import FetchContext
from crawler.run.outcomes import Outcome, of_list
from crawler.scouting.fetch import Fetch


class SurveySpider(PagesSpider):
    """Runs `survey` and fetches the URLs that it requests; at the end `result` or `error` is set.

    `on_page` is called with each answer.
    """

    name = "survey"
    result: Any = None
    error: Exception | None = None

    def __init__(
        self,
        context: FetchContext,
        survey: Callable[[Fetch], Awaitable[Any]],
        on_page: Callable[[str, Answer], None],
        **kwargs: Any,
    ):
        super().__init__(context, (), self._answer, **kwargs)
        self.survey, self.on_page = survey, on_page
        self.answers: dict[str, asyncio.Future[Answer]] = {}  # by URL: each page is fetched once

    async def start(self) -> AsyncIterator[Request]:
        """Run the survey. The spider is open until it returns; Scrapy cancels it if the spider is stopped before."""
        try:
            self.result = await self.survey(self.fetch)
        except Exception as error:  # the starter of the spider raises it again; here it would only be logged
            self.error = error
        none: tuple[Request, ...] = ()  # `fetch` makes the requests
        for request in none:
            yield request

    async def fetch(self, url: str) -> Answer:
        """Return the page, or the reason why there is none."""
        if url not in self.answers:
            self.answers[url] = asyncio.get_running_loop().create_future()
            if request := self._request(url):
                assert self.crawler.engine is not None, "the spider runs"
                self.crawler.engine.crawl(request)
        return await self.answers[url]

    def _answer(self, url: str, answer: Answer) -> None:
        self.on_page(url, answer)
        if not self.answers[url].done():  # it is done if the survey was cancelled
            self.answers[url].set_result(answer)

    def _on_response(self, response: Response, given: str) -> None:
        try:
            super()._on_response(response, given)
        except Exception as error:  # the survey waits for this page and gets the error
            self._raise_in_survey(given, error)

    def _on_failure(self, failure: Any) -> None:
        try:
            super()._on_failure(failure)
        except Exception as error:
            self._raise_in_survey(failure.request.cb_kwargs["given"], error)

    def _raise_in_survey(self, url: str, error: Exception) -> None:
        if not self.answers[url].done():
            self.answers[url].set_exception(error)

    def _outcome(self, status: int, content_type: str, body: bytes) -> Outcome:
        """Return the outcome of a response.

        Surveys also request lists, so feeds and compressed sitemaps count as pages.
        """
        outcome = super()._outcome(status, content_type, body)
        as_list = of_list(status, content_type, body)
        return as_list if outcome.kind == "reject" and as_list.kind == "page" else outcome

    def _request(self, url: str) -> Request | None:
        request = super()._request(url)
        if request is not None and self.context.credentials is not None:
            request.headers.update(self.context.credentials.open)
        return request
