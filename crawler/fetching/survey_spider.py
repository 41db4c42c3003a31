"""Fetches what a survey asks for, batch by batch, through the same guard, pace and robots.txt as any crawl."""

from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from typing import Any

from scrapy import Request
from scrapy.http import Response

from crawler.fetching.pages_spider import Answer, PagesSpider
from crawler.guarding.credentials import Credentials
from crawler.run.outcomes import Outcome, of_list

Steps = Generator[list[str], Mapping[str, Answer], Any]


class SurveySpider(PagesSpider):
    """Asks `steps` for URLs and sends it their answers until it returns; then `result` or `error` is set.

    `credentials` and `proxy` are those of a task, if it is for one.
    """

    name = "survey"
    result: Any = None
    done = False
    error: Exception | None = None

    def __init__(
        self,
        steps: Steps,
        on_page: Callable[[str, Answer], None],
        credentials: Credentials | None = None,
        proxy: str = "",
        **kwargs: Any,
    ):
        super().__init__((), self._note, **kwargs)
        self.steps, self.on_page = steps, on_page
        self.credentials, self.proxy = credentials, proxy
        self.known: dict[str, Answer] = {}  # a page is fetched once, however often it is asked for
        self.batch: list[str] = []

    async def start(self) -> AsyncIterator[Request]:
        """The first batch."""
        for request in self._go_on(None):
            yield request

    def _note(self, url: str, answer: Answer) -> None:
        self.known[url] = answer
        self.on_page(url, answer)

    def _came(self, response: Response, asked: str) -> Iterator[Request]:  # type: ignore[override]
        super()._came(response, asked)
        yield from self._if_complete()

    def _verdict(self, status: int, content_type: str, body: bytes) -> Outcome:
        """Lists are asked for as well: feeds and packed sitemaps are pages here."""
        verdict = super()._verdict(status, content_type, body)
        as_list = of_list(status, content_type, body)
        return as_list if verdict.kind == "reject" and as_list.kind == "page" else verdict

    def _failed(self, failure: Any) -> Iterator[Request]:  # type: ignore[override]
        super()._failed(failure)
        yield from self._if_complete()

    def _if_complete(self) -> Iterator[Request]:
        if all(url in self.known for url in self.batch):
            yield from self._go_on({url: self.known[url] for url in self.batch})

    def _go_on(self, answers: Mapping[str, Answer] | None) -> Iterator[Request]:
        """Send the answers of a batch; of the next one all may be known already."""
        requests: list[Request] = []
        while not requests:
            try:
                self.batch = next(self.steps) if answers is None else self.steps.send(answers)
            except StopIteration as end:
                self.result, self.done = end.value, True
                return
            except Exception as error:  # whoever asked is told; here it would only be logged
                self.error = error
                return
            wanted = [url for url in dict.fromkeys(self.batch) if url not in self.known]
            requests = [request for url in wanted if (request := self._request(url))]
            answers = {url: self.known[url] for url in self.batch if url in self.known}
        yield from requests

    def _request(self, url: str) -> Request | None:
        request = super()._request(url)
        if request is not None and self.credentials is not None:
            request.headers.update(self.credentials.open)
        return request
