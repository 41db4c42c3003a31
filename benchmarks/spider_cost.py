"""CPU time of the section spider per page, including the hand-over to Redis, compared with a tuned plain Scrapy spider.

    python -m benchmarks.spider_cost --rounds 5

nginx serves generated pages on loopback. Both spiders fetch the same pages at the same concurrency, in alternating
processes. The measure is the CPU time, user and system, between the spider's opening and closing; the time of the whole
process, including its start, is printed, too. Extraction does not run.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import redis

from benchmarks.nginx import served, task_list, write_lists
from benchmarks.processes import environment, run
from crawler.task_list.file import loads
from crawler.task_list.models import Task
from crawler.task_list.publication import publish
from workers.redis_access.embedded import Embedded

PAGES = 2000
SIZES = (80_000, 20_000)  # bytes of a page
AT_ONCE: int = Task.model_fields["concurrency"].default
WORDS = 3000  # different words in the pages' text

# Settings of a crawl that only fetches.
PLAIN: dict[str, Any] = {
    "CONCURRENT_ITEMS": 1,
    "CONCURRENT_REQUESTS": AT_ONCE,
    "CONCURRENT_REQUESTS_PER_DOMAIN": AT_ONCE,
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": False,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "REDIRECT_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "HTTPPROXY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "WARNING",
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
        "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,
        "scrapy.downloadermiddlewares.stats.DownloaderStats": None,
    },
    "SPIDER_MIDDLEWARES": {
        "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None,
        "scrapy.spidermiddlewares.referer.RefererMiddleware": None,
        "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
        "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
    },
    "EXTENSIONS": {
        "scrapy.extensions.logstats.LogStats": None,
        "scrapy.extensions.memusage.MemoryUsage": None,
        "scrapy.extensions.corestats.CoreStats": None,
    },
}
METER = "benchmarks.spider_cost.Meter"


class Meter:
    """A Scrapy extension: prints the CPU time of the spider on standard output."""

    def __init__(self, crawler: Any):
        from scrapy import signals

        self.begun = 0.0
        crawler.signals.connect(self.opened, signal=signals.spider_opened)
        crawler.signals.connect(self.closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "Meter":
        """Create the extension (called by Scrapy)."""
        return cls(crawler)

    def opened(self) -> None:
        """Start measuring."""
        self.begun = time.process_time()

    def closed(self) -> None:
        """Stop measuring and print the time."""
        print(json.dumps({"spider": time.process_time() - self.begun}), file=sys.__stdout__, flush=True)


def section_child(task: str) -> None:
    """Run the spider as in a crawl worker, with a meter."""
    import_module("extractors.content.notices")  # otherwise imported with the first list page, once per process
    from crawler import settings
    from crawler.spiders.section import run_section

    settings.EXTENSIONS_BASE[METER] = 0
    report = run_section(task)
    print(json.dumps({"fetched": report.fetched, "problems": report.problems}))


def plain_child(address: str, count: str) -> None:
    """Run a plain Scrapy spider that only fetches."""
    import scrapy
    from scrapy.crawler import CrawlerProcess

    fetched = 0

    class Plain(scrapy.Spider):
        name = "plain"

        async def start(self) -> AsyncIterator[Any]:
            for number in range(int(count)):
                yield scrapy.Request(f"{address}/a/{number}.html", callback=self.came, dont_filter=True)

        def came(self, _: Any) -> None:
            nonlocal fetched
            fetched += 1

    process = CrawlerProcess({**PLAIN, "EXTENSIONS": {**PLAIN["EXTENSIONS"], METER: 0}})
    process.crawl(Plain)
    process.start()
    print(json.dumps({"fetched": fetched}))


def cost_of(child: Callable[..., None], *arguments: str, url: str) -> tuple[float, float]:
    """Return the CPU seconds of the spider and of the whole process. Raises `RuntimeError` if pages are missing."""
    code = f"import sys; from benchmarks import spider_cost; spider_cost.{child.__name__}(*sys.argv[1:])"
    whole, done = run(
        [sys.executable, "-c", code, *arguments],
        env=environment(url),
        cwd=tempfile.gettempdir(),  # without a tasks.yaml
        stdout=subprocess.PIPE,
        check=True,
    )
    said: dict[str, Any] = {}
    for line in done.stdout.splitlines():
        said |= json.loads(line)
    if said["fetched"] < PAGES:
        raise RuntimeError(f"{child.__name__} fetched {said['fetched']} of {PAGES}: {said.get('problems')}")
    return said["spider"], whole


def pages(folder: Path, size: int) -> None:
    """Write the list pages of the articles, and one page of `size` bytes for all articles."""
    rng = random.Random(size)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 11))) for _ in range(WORDS)]
    often = [1 / rank for rank in range(1, WORDS + 1)]  # word frequencies as in natural language
    declared = '<meta property="og:type" content="article">'  # otherwise the example could be judged a list
    text = f"<!DOCTYPE html><html><head><title>A page</title>{declared}</head><body><h1>A page</h1>"
    while len(text) < size:  # half of it markup, as on real pages: zstd compresses it to a fifth
        menu = "".join(
            f'<li class="menu-item menu-item-type-post"><a class="menu-link" href="/menu/{word}/">{word}</a></li>\n'
            for word in rng.choices(words, often, k=5)
        )
        text += f'<ul class="menu">\n{menu}</ul>\n<p>{" ".join(rng.choices(words, often, k=80))}</p>\n'
    (folder / "article.html").write_text(text + "</body></html>")
    write_lists(folder / "list", "a", PAGES)


def announce(url: str, task: str, address: str) -> None:
    """Publish a task for one run, in an empty Redis."""
    tasks = loads(task_list(task, address, "list", "a", PAGES))
    with redis.Redis.from_url(url) as connection:
        connection.flushall()
        publish(connection, tasks, Path("tasks.yaml"))


def main() -> None:
    """Run both alternately and compare them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    for size in SIZES:
        with tempfile.TemporaryDirectory(prefix="cost-") as name:
            folder = Path(name)
            pages(folder, size)
            with served(folder) as address, Embedded(folder / "redis") as url:
                _compare(url, address, size, asked.rounds)


def _compare(url: str, address: str, size: int, rounds: int) -> None:
    ours, plain = [], []
    for _ in range(rounds):
        announce(url, "cost", address)
        ours.append(cost_of(section_child, "cost", url=url))
        plain.append(cost_of(plain_child, address, str(PAGES), url=url))
    section, fetch = (median(spider for spider, _ in taken) * 1000 / PAGES for taken in (ours, plain))
    ratio = median(a / b for (a, _), (b, _) in zip(ours, plain, strict=True))
    with_start = median(a / b for (_, a), (_, b) in zip(ours, plain, strict=True))
    print(
        f"{size // 1000} KB: section spider {section:.2f} ms a page, plain Scrapy {fetch:.2f}; "
        f"ratio {ratio:.2f} (median of {rounds}), whole processes {with_start:.2f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
