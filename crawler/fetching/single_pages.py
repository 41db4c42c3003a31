"""Pages by URL, without Redis: for `exemplar extract URL`, `exemplar add URL` and `exemplar try TASK`.

They pass the same guard, pace and robots.txt as those of any crawl.

Only one call of `fetch` or `run_survey` is possible in a process, because Twisted's reactor cannot be restarted.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from crawler.fetching.answers import page_of
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
OutcomeOf = Callable[[int, str, bytes], Outcome]  # status, media type, body
Found = TypeVar("Found")


def fetch(urls: Sequence[str], *, delay: float | None = None) -> dict[str, Answer]:
    """Fetch pages, in a process whose reactor has not run yet: for each URL the page, or why there is none.

    Contact, allowed hosts and delay are those of tasks.yaml in the present folder, if there is one, and the
    environment.
    """
    normal = {url: normalise(url) for url in urls}
    answers: dict[str, Answer] = {}

    async def all_pages(fetch: "Fetch") -> None:
        await asyncio.gather(*map(fetch, normal.values()), return_exceptions=True)

    settings = settings_here(Path(TASKS_FILE))
    run_survey(all_pages, settings, delay=delay, on_page=answers.__setitem__, outcome_of=of_answer)
    return {url: answers.get(name, "no answer") for url, name in normal.items()}


def of_page_or_list(status: int, content_type: str, body: bytes) -> Outcome:
    """Return the outcome of a response for which a page as well as a list counts, also a feed or packed sitemap."""
    outcome, as_list = of_answer(status, content_type, body), of_list(status, content_type, body)
    return as_list if outcome.kind == "reject" and as_list.kind == "page" else outcome


def run_survey(
    survey: "Callable[[Fetch], Awaitable[Found]]",
    settings: Settings,
    *,
    task: Task | None = None,
    delay: float | None = None,
    on_page: Callable[[str, Answer], None] = lambda url, answer: None,
    outcome_of: OutcomeOf = of_page_or_list,
) -> Found:
    """Call `survey` with a function that fetches pages and lists, and return what it returns.

    In a process whose reactor has not run yet. `task`: pages are requested with its headers, proxy and interval.
    `delay`: seconds between two requests to a host, by default those of the settings; Scrapy keeps them.

    Raises what `survey` raises, and `TaskError` for variables of the task that are not set.
    """
    of_scrapy: dict[str, Any] = identity_of(settings) | {
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": settings.delay if delay is None else delay,
        "LOG_LEVEL": "ERROR",
    }
    if task is not None:
        of_scrapy |= {"DOWNLOAD_DELAY": task.delay, "ROBOTSTXT_OBEY": task.robots, "DOWNLOAD_TIMEOUT": task.timeout}
    arguments = {"survey": survey, "on_page": on_page, "outcome_of": outcome_of}
    context = context_from(settings, task)
    spider: PagesSpider = run_spider(PagesSpider, of_scrapy, has_state=False, context=context, **arguments).spider
    if spider.error is not None:
        raise spider.error
    result: Found = spider.result
    return result


def settings_here(file: Path) -> Settings:
    """Return the settings of a task list for all tasks; the defaults if there is no such file."""
    return load(file).settings if file.exists() else Settings()


class PagesSpider(GatedSpider):
    """Runs `survey` and fetches the URLs that it requests; at the end `result` or `error` is set.

    `on_page` is called with each answer. `outcome_of`: the outcome of a response by status, media type and body.
    """

    name = "pages"
    result: Any = None
    error: Exception | None = None

    def __init__(
        self,
        context: FetchContext,
        survey: "Callable[[Fetch], Awaitable[Any]]",
        on_page: Callable[[str, Answer], None],
        outcome_of: OutcomeOf,
        **kwargs: Any,
    ):
        super().__init__(context, **kwargs)
        self.survey, self.on_page, self.outcome_of = survey, on_page, outcome_of
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
            self.answers[url] = asyncio.ensure_future(self._answer(url))
        return await asyncio.shield(self.answers[url])  # others may wait for it, too

    async def _answer(self, url: str) -> Answer:
        answer = await self._download(url)
        self.on_page(url, answer)
        return answer

    async def _download(self, url: str) -> Answer:
        headers = dict(self.context.credentials.open) if self.context.credentials else None
        try:
            request = Request(url, headers=headers, callback=NO_CALLBACK)
        except ValueError as error:
            return f"invalid URL: {error}"
        assert self.crawler.engine is not None, "the spider runs"
        try:
            response = await self.crawler.engine.download_async(request)
        except Exception as error:
            return outcome_of_failure(error, request).reason
        page = page_of(response)
        outcome = self.outcome_of(response.status, page.content_type, page.body)
        return page if outcome.kind == "page" else outcome.reason
