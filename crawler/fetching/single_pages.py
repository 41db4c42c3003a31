"""Pages by URL, without Redis: for `exemplar extract URL`, `exemplar add URL` and `exemplar try TASK`.

Both run once in a process, because Twisted's reactor does.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from crawler.fetching.spider_process import run_spider
from crawler.guarding.guard import guard_from
from crawler.guarding.resolver import use_guard
from crawler.session import TASKS_FILE, identity_of
from crawler.task_list.file import load
from crawler.task_list.models import Settings, Task
from extractors.html.urls import normalise
from workers.errors import ExemplarError
from workers.inbox import StoredPage

if TYPE_CHECKING:
    from crawler.scouting.fetch import Fetch

Found = TypeVar("Found")


def fetch(urls: Sequence[str], *, delay: float | None = None) -> dict[str, StoredPage | str]:
    """Fetch pages, in a process whose reactor has not run yet: for each URL the page, or why there is none.

    Contact, allowed hosts and delay come from tasks.yaml here if there is one, and from the environment.
    """
    from crawler.fetching.pages_spider import PagesSpider

    answers: dict[str, StoredPage | str] = {}
    said = settings_here(Path(TASKS_FILE))
    _crawl(
        said,
        {"DOWNLOAD_DELAY": said.delay if delay is None else delay},
        PagesSpider,
        urls=list(dict.fromkeys(map(normalise, urls))),
        on_answer=answers.__setitem__,
    )
    return {url: answers.get(normalise(url), "no answer") for url in urls}


def run_survey(
    survey: "Callable[[Fetch], Awaitable[Found]]",
    said: Settings,
    *,
    task: Task | None = None,
    on_page: Callable[[str, StoredPage | str], None] = lambda url, answer: None,
) -> Found:
    """Call `survey` with a function that fetches pages, and return what it returns.

    In a process whose reactor has not run yet. `task`: pages are asked for as it says, with its headers, proxy and
    pace. Raises what `survey` raises, and `TaskError` for variables of the task that aren't set.
    """
    from crawler.fetching.survey_spider import SurveySpider
    from crawler.guarding.credentials import credentials_of, proxy_of

    settings: dict[str, Any] = {"DOWNLOAD_DELAY": said.delay}
    asks: dict[str, Any] = {}
    if task is not None:
        settings = {"DOWNLOAD_DELAY": task.delay, "ROBOTSTXT_OBEY": task.robots, "DOWNLOAD_TIMEOUT": task.timeout}
        asks = {"credentials": credentials_of(task), "proxy": proxy_of(task)}
    spider = _crawl(said, settings, SurveySpider, survey=survey, on_page=on_page, **asks)
    if spider.error is not None:
        raise spider.error
    if not spider.done:
        raise ExemplarError("stopped before the end; nothing was written")
    result: Found = spider.result
    return result


def settings_here(file: Path) -> Settings:
    """What a task list says for all tasks; the defaults if there is no such file."""
    return load(file).settings if file.exists() else Settings()


def _crawl(said: Settings, settings: Mapping[str, Any], spider: type, **arguments: Any) -> Any:
    """Run a spider to its end and return it. One process alone keeps its pace by Scrapy's own means."""
    use_guard(guard_from(said.allow_hosts))
    one_at_a_time = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "LOG_LEVEL": "ERROR"}
    return run_spider(spider, identity_of(said) | one_at_a_time | dict(settings), **arguments).spider
