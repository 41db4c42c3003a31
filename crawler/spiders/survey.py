"""Fetches what a survey asks for, batch by batch, through the same guard, pace and robots.txt as any crawl."""

from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from typing import Any

from scrapy import Request
from scrapy.http import Response

from crawler.spiders.pages import Answer, PagesSpider

Steps = Generator[list[str], Mapping[str, Answer], Any]


class SurveySpider(PagesSpider):
    """Asks `steps` for URLs and sends it their answers until it returns; then `result` or `error` is set."""

    name = "survey"
    result: Any = None
    done = False
    error: Exception | None = None

    def __init__(self, steps: Steps, headers: Mapping[str, str], on_page: Callable[[str, Answer], None], **kwargs: Any):
        super().__init__((), self._note, **kwargs)
        self.steps, self.headers, self.on_page = steps, dict(headers), on_page
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

    def _failed(self, failure: Any) -> Iterator[Request]:  # type: ignore[override]
        super()._failed(failure)
        yield from self._if_complete()

    def _if_complete(self) -> Iterator[Request]:
        if all(url in self.known for url in self.batch):
            yield from self._go_on({url: self.known[url] for url in self.batch})

    def _go_on(self, answers: Mapping[str, Answer] | None) -> Iterator[Request]:
        """Send the answers of a batch; the next one may be known already."""
        try:
            while True:
                self.batch = next(self.steps) if answers is None else self.steps.send(answers)
                wanted = [url for url in dict.fromkeys(self.batch) if url not in self.known]
                if wanted:
                    break
                answers = {url: self.known[url] for url in self.batch}
        except StopIteration as end:
            self.result, self.done = end.value, True
            return
        except Exception as error:  # whoever asked is told; here it would only be logged
            self.error = error
            return
        for url in wanted:
            yield Request(
                url,
                callback=self._came,
                errback=self._failed,
                headers=self.headers,
                dont_filter=True,
                cb_kwargs={"asked": url},
            )
