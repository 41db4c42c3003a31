"""Fetches what a survey asks for, through the same guard, pace and robots.txt as any crawl."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from scrapy import Request
from scrapy.http import Response

from crawler.fetching.pages_spider import Answer, PagesSpider
from crawler.guarding.credentials import Credentials
from crawler.run.outcomes import Outcome, of_list
from crawler.scouting.fetch import Fetch


class SurveySpider(PagesSpider):
    """Runs `survey` and fetches the URLs that it asks for; at the end `result` or `error` is set.

    `on_page` is told of each answer. `credentials` and `proxy` are those of a task, if the survey is for one.
    """

    name = "survey"
    result: Any = None
    done = False
    error: Exception | None = None

    def __init__(
        self,
        survey: Callable[[Fetch], Awaitable[Any]],
        on_page: Callable[[str, Answer], None],
        credentials: Credentials | None = None,
        proxy: str = "",
        **kwargs: Any,
    ):
        super().__init__((), self._answer, **kwargs)
        self.survey, self.on_page = survey, on_page
        self.credentials, self.proxy = credentials, proxy
        self.answers: dict[str, asyncio.Future[Answer]] = {}  # a page is fetched once, however often it is asked for

    async def start(self) -> AsyncIterator[Request]:
        """Run the survey. The spider is open until it returns; Scrapy cancels it where the spider is stopped before."""
        try:
            self.result = await self.survey(self.fetch)
            self.done = True
        except Exception as error:  # raised again by whoever started the spider; here it would only be logged
            self.error = error
        none: tuple[Request, ...] = ()  # `fetch` has made the requests
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

    def _came(self, response: Response, asked: str) -> None:
        try:
            super()._came(response, asked)
        except Exception as error:  # the survey waits for this page, so it is told
            self._broke(asked, error)

    def _failed(self, failure: Any) -> None:
        try:
            super()._failed(failure)
        except Exception as error:
            self._broke(failure.request.cb_kwargs["asked"], error)

    def _broke(self, url: str, error: Exception) -> None:
        if not self.answers[url].done():
            self.answers[url].set_exception(error)

    def _verdict(self, status: int, content_type: str, body: bytes) -> Outcome:
        """Lists are asked for as well: feeds and packed sitemaps are pages here."""
        verdict = super()._verdict(status, content_type, body)
        as_list = of_list(status, content_type, body)
        return as_list if verdict.kind == "reject" and as_list.kind == "page" else verdict

    def _request(self, url: str) -> Request | None:
        request = super()._request(url)
        if request is not None and self.credentials is not None:
            request.headers.update(self.credentials.open)
        return request
