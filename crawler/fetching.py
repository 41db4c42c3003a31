"""Single pages by URL, without task and without Redis: for `exemplar extract URL`."""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path

from extractors.urls import normalise
from workers.inbox import StoredPage

from .guard import guard_from
from .resolver import use_guard
from .session import TASKS_FILE, identity_of
from .spider_process import quiet_scrapy
from .tasks import Settings, load


def fetch(urls: Sequence[str], *, delay: float | None = None) -> dict[str, StoredPage | str]:
    """Fetch pages, in a process whose reactor has not run yet: for each URL the page, or why there is none.

    Contact, allowed hosts and delay come from tasks.yaml here if there is one, and from the environment.
    """
    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "crawler.settings")
    warnings.filterwarnings("ignore", module=r"scrapy|twisted|OpenSSL")
    from scrapy.crawler import CrawlerProcess
    from scrapy.utils.project import get_project_settings

    from .spiders.pages import PagesSpider

    said = _settings_here()
    use_guard(guard_from(said.allow_hosts))
    settings = get_project_settings()
    settings.setdict(
        identity_of(said)
        | {
            # One process alone keeps its pace by Scrapy's own means.
            "DOWNLOAD_DELAY": said.delay if delay is None else delay,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
            "LOG_LEVEL": "ERROR",
        },
        priority="cmdline",
    )
    answers: dict[str, StoredPage | str] = {}
    process = CrawlerProcess(settings)
    quiet_scrapy()  # now, since the line above sets up Scrapy's logging
    process.crawl(PagesSpider, urls=list(dict.fromkeys(map(normalise, urls))), on_answer=answers.__setitem__)
    process.start()
    return {url: answers.get(normalise(url), "no answer") for url in urls}


def _settings_here() -> Settings:
    file = Path(TASKS_FILE)
    return load(file).settings if file.exists() else Settings()
