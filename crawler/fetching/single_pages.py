"""Pages by URL, without Redis: for `exemplar extract URL`, `exemplar add URL` and `exemplar try TASK`.

They pass the same guard, pace and robots.txt as those of any crawl.

Only one call of `fetch` or `run_survey` is possible in a process, because Twisted's reactor cannot be restarted.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy import Request
from scrapy.http import Response

from crawler.fetching.answers import content_type
from crawler.fetching.scrapy_process import run_spider
from crawler.gates.context import FetchContext, GatedSpider, context_from
from crawler.gates.errors import outcome_of_failure
from crawler.run.outcomes import Outcome, of_answer, of_list
from crawler.task_list.file import TASKS_FILE, load
from crawler.task_list.identity import identity_of
from crawler.task_list.models import Settings, Task
from extractors.html.urls import normalise
from workers.inbox import StoredPage

if TYPE_CHECKING:
    from crawler.scouting.survey import Fetch


Answer = StoredPage | str  # the page, or the reason why there is none
Found = TypeVar("Found")


def fetch(urls: Sequence[str], *, delay: float | None = None) -> dict[str, Answer]:
    """Fetch pages, in a process whose reactor has not run yet: for each URL the page, or why there is none.

    Contact, allowed hosts and delay are those of tasks.yaml in the present folder, if there is one, and the
    environment.
    """
    return fetch_for(urls, settings_here(Path(TASKS_FILE)), delay=delay)


def fetch_for(urls: Sequence[str], settings: Settings, *, delay: float | None = None) -> dict[str, Answer]:
    """Fetch pages as `fetch` does, with the settings of a task list."""
    answers: dict[str, Answer] = {}
    _crawl(
        settings,
        {"DOWNLOAD_DELAY": settings.delay if delay is None else delay},
        context_from(settings),
        PagesSpider,
        urls=list(dict.fromkeys(map(normalise, urls))),
        on_answer=answers.__setitem__,
    )
    return {url: answers.get(normalise(url), "no answer") for url in urls}


def run_survey(
    survey: "Callable[[Fetch], Awaitable[Found]]",
    settings: Settings,
    *,
    task: Task | None = None,
    on_page: Callable[[str, Answer], None] = lambda url, answer: None,
) -> Found:
    """Call `survey` with a function that fetches pages, and return what it returns.

    In a process whose reactor has not run yet. `task`: pages are requested with its headers, proxy and interval.
    Raises what `survey` raises, and `TaskError` for variables of the task that are not set.
    """
    of_scrapy: dict[str, Any] = {"DOWNLOAD_DELAY": settings.delay}
    if task is not None:
        of_scrapy = {"DOWNLOAD_DELAY": task.delay, "ROBOTSTXT_OBEY": task.robots, "DOWNLOAD_TIMEOUT": task.timeout}
    spider = _crawl(settings, of_scrapy, context_from(settings, task), SurveySpider, survey=survey, on_page=on_page)
    if spider.error is not None:
        raise spider.error
    result: Found = spider.result
    return result


def settings_here(file: Path) -> Settings:
    """Return the settings of a task list for all tasks; the defaults if there is no such file."""
    return load(file).settings if file.exists() else Settings()


def _crawl(
    settings: Settings, of_scrapy: Mapping[str, Any], context: FetchContext, spider: type, **arguments: Any
) -> Any:
    """Run a spider to its end and return it. Scrapy keeps the interval, one request to a host at a time."""
    one_at_a_time = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "LOG_LEVEL": "ERROR"}
    all_settings = identity_of(settings) | one_at_a_time | dict(of_scrapy)
    return run_spider(spider, all_settings, has_state=False, context=context, **arguments).spider


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
        survey: "Callable[[Fetch], Awaitable[Any]]",
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
