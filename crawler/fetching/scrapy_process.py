"""Scrapy in a process: its set-up, and one spider run to its end.

`crawler.scheduling.crawl_process` runs many spiders in one process.
"""

import logging
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from typing import Any, cast

from workers.errors import ExemplarError

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_UNAVAILABLE = 0, 1, 2, 3
STARTED_BY_US = "EXEMPLAR_STARTED"  # setting: the starter of the spider handles errors of its start


def run_spider(spider: type, settings: Mapping[str, Any], *, has_state: bool = True, **arguments: Any) -> Any:
    """Run a spider to its end and return Scrapy's `Crawler`; `settings` override all others.

    `has_state`: after a signal the spider ends by itself; else Ctrl-C raises `KeyboardInterrupt` at once. Raises the
    error of a spider that cannot be created.
    """
    process = scrapy_process()
    crawler = process.create_crawler(spider)
    crawler.settings.setdict(dict(settings), priority="spider")
    with interrupts_held():
        crawl = process.crawl(crawler, **arguments)
    skip_unread_records()
    with redirect_stdout(sys.stderr):  # standard output is for results
        try:
            process.start(install_signal_handlers=has_state)
        except KeyboardInterrupt:
            from twisted.internet import reactor

            cast("Any", reactor).getThreadPool().stop()  # its threads would keep the process alive
            raise
    if crawl.done() and not crawl.cancelled() and (error := crawl.exception()) is not None:
        raise error
    return crawler


def scrapy_process() -> Any:
    """Return Scrapy's `AsyncCrawlerProcess`.

    Raises `ExemplarError` for a settings module that cannot be imported or has a setting that is refused.
    """
    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "crawler.settings")
    warnings.filterwarnings("ignore", module=r"scrapy|twisted|OpenSSL")
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.utils.project import get_project_settings

    from crawler.gates.settings_in_force import ProcessSettings, put_in_force

    try:
        project = ProcessSettings(get_project_settings())
    except ImportError as error:
        module = os.environ["SCRAPY_SETTINGS_MODULE"]
        raise ExemplarError(f"settings module {module} of Scrapy: {error}; name its folder in PYTHONPATH") from None
    put_in_force(project)
    project.set(STARTED_BY_US, True)
    if logging.getLogger().handlers and not project.get("LOG_FILE"):  # our log; Scrapy's would have each line, too
        project.set("LOG_INSTALL_ROOT_HANDLER", False, priority="cmdline")
    process = AsyncCrawlerProcess(project)
    put_in_force(process.settings)  # a person's add-ons may have changed them
    process.settings = process.settings.copy()  # crawlers take copies, and copies of a copy cost less
    quiet_scrapy()  # after the line above, which sets up Scrapy's logging
    logging.getLogger("scrapy").setLevel(logging.ERROR)
    return process


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Delay Ctrl-C until the end of the block: while Twisted sets up a crawl, an interrupt would print a traceback."""
    interrupts: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: interrupts.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupts:
        raise KeyboardInterrupt


def quiet_scrapy() -> None:
    """Drop needless messages of Scrapy: on missing Referer headers, and on large responses (the ledger has them)."""
    for name in ("downloadermiddlewares.redirect", "downloadermiddlewares.httpcompression", "core.downloader.handlers"):
        logger = logging.getLogger(f"scrapy.{name}")
        if logger.level != logging.ERROR:  # setting a level makes all loggers look up their levels again
            logger.setLevel(logging.ERROR)


def skip_unread_records() -> None:
    """Let loggers drop what no handler writes, before they create a record: Scrapy logs all levels, at each page."""
    root = logging.getLogger()
    least = min((handler.level for handler in root.handlers), default=logging.WARNING)
    root.setLevel(max(least, logging.INFO))


def log_nothing_more() -> None:
    """Log nothing from now on: the user has got one line on the cause, and needs no traceback of Scrapy."""
    for handler in logging.getLogger().handlers:
        handler.addFilter(lambda record: False)
