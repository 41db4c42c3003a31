"""Pages by URL, without Redis: for `exemplar extract URL`, `exemplar add URL` and `exemplar try TASK`.

Only one call of `fetch` or `run_survey` is possible in a process, because Twisted's reactor cannot be restarted.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from crawler.fetching.scrapy_process import run_spider
from crawler.gates.context import FetchContext, context_from
from crawler.task_list.file import load
from crawler.task_list.identity import identity_of
from crawler.task_list.models import Settings, Task
from crawler.task_list.opening import TASKS_FILE
from extractors.html.urls import normalise
from workers.inbox import StoredPage

if TYPE_CHECKING:
    from crawler.scouting.fetch import Fetch

Found = TypeVar("Found")


def fetch(urls: Sequence[str], *, delay: float | None = None) -> dict[str, StoredPage | str]:
    """Fetch pages, in a process whose reactor has not run yet: for each URL the page, or why there is none.

    Contact, allowed hosts and delay are those of tasks.yaml in the present folder, if there is one, and the
    environment.
    """
    return fetch_for(urls, settings_here(Path(TASKS_FILE)), delay=delay)


def fetch_for(urls: Sequence[str], settings: Settings, *, delay: float | None = None) -> dict[str, StoredPage | str]:
    """Fetch pages as `fetch` does, with the settings of a task list."""
    from crawler.fetching.pages_spider import PagesSpider

    answers: dict[str, StoredPage | str] = {}
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
    on_page: Callable[[str, StoredPage | str], None] = lambda url, answer: None,
) -> Found:
    """Call `survey` with a function that fetches pages, and return what it returns.

    In a process whose reactor has not run yet. `task`: pages are requested with its headers, proxy and interval.
    Raises what `survey` raises, and `TaskError` for variables of the task that are not set.
    """
    from crawler.fetching.survey_spider import SurveySpider

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
