"""A spider in a process of its own, since Scrapy's reactor runs only once in a process.

`run_section` is for the command `exemplar crawl`, which ends after it; a crawl worker starts this module as a child.
"""

import json
import logging
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import redis

from crawler.logs import LOG_FORMAT, complain, logs_json, start_logging
from crawler.run.run_report import RunReport
from crawler.task_list.mistakes import TaskError
from workers.errors import ExemplarError, RedisUnavailable
from workers.redis_access.connection import reason

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_UNAVAILABLE = 0, 1, 2, 3


def run_section(task: str, **arguments: Any) -> RunReport:
    """Run the spider for one task in this process and return its report.

    Arguments as for `scrapy crawl section -a`: tasks (the file), limit, all, since, until, backfill. Raises
    `ExemplarError`, `TaskError` or `redis.RedisError` if the run cannot start.
    """
    given: dict[str, Any] = {name: str(value) for name, value in arguments.items() if value is not None}
    crawler = run_spider("section", {}, task=task, **given)
    error = crawler.settings.get("EXEMPLAR_ERROR")
    if error is not None:
        raise error
    report: RunReport | None = getattr(crawler.spider, "report", None)
    if report is None:
        raise ExemplarError(f"task {task}: the spider ended without a report; run it with --verbose to see why")
    return report


def run_spider(spider: type | str, settings: Mapping[str, Any], *, has_state: bool = True, **arguments: Any) -> Any:
    """Run a spider to its end and return Scrapy's `Crawler`; `settings` override those of the project.

    `has_state`: after a signal the spider ends by itself; else Ctrl-C raises `KeyboardInterrupt` at once.
    """
    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "crawler.settings")
    warnings.filterwarnings("ignore", module=r"scrapy|twisted|OpenSSL")
    from scrapy.crawler import CrawlerProcess
    from scrapy.utils.project import get_project_settings

    project = get_project_settings()
    project.setdict(dict(settings), priority="cmdline")
    if logs_json():
        project.set("LOG_INSTALL_ROOT_HANDLER", False, priority="cmdline")
        logging.getLogger("scrapy.utils.log").setLevel(logging.WARNING)  # drops the list of versions at each run
    process = CrawlerProcess(project)
    quiet_scrapy()  # after the line above, which sets up Scrapy's logging
    logging.getLogger("scrapy").setLevel(logging.ERROR)
    crawler = process.create_crawler(spider)
    hide_start_errors(crawler)
    with interrupts_held():
        process.crawl(crawler, **arguments)
    skip_unread_records()
    with handlers_kept():
        try:
            process.start(install_signal_handlers=has_state)
        except KeyboardInterrupt:
            from twisted.internet import reactor

            reactor.getThreadPool().stop()  # its threads would keep the process alive
            raise
    return crawler


def exit_code(report: RunReport) -> int:
    """Return the exit code of a report."""
    if report.outcome == "redis":
        return EXIT_UNAVAILABLE
    return EXIT_OK if report.ok and not report.failed else EXIT_FAILED


def main(task: str) -> int:
    """Run as the child of a crawl worker: print the report as one line of JSON, or the error."""
    if os.environ.get(LOG_FORMAT) == "json":
        start_logging()
    try:
        report = run_section(task)
    except (RedisUnavailable, redis.RedisError) as error:
        complain(reason(error))
        return EXIT_UNAVAILABLE
    except (ExemplarError, TaskError) as error:
        complain(str(error))
        return EXIT_FAILED
    print(json.dumps(report.to_dict(), ensure_ascii=False))
    return exit_code(report)


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


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Restore all signal handlers at the end of the block.

    Scrapy and Twisted leave their own handlers, which have no effect afterwards.
    """
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}
    descriptor = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(descriptor)
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)
        signal.set_wakeup_fd(descriptor)


def quiet_scrapy() -> None:
    """Drop needless messages of Scrapy: on missing Referer headers, and on large responses (the ledger has them)."""
    for name in ("downloadermiddlewares.redirect", "downloadermiddlewares.httpcompression", "core.downloader.handlers"):
        logging.getLogger(f"scrapy.{name}").setLevel(logging.ERROR)


class _NoTraceback(logging.Filter):
    """Drops Scrapy's traceback of an error at the start: the user gets one line instead."""

    def __init__(self, crawler: Any):
        super().__init__()
        self.crawler = crawler

    def filter(self, record: logging.LogRecord) -> bool:
        return self.crawler.settings.get("EXEMPLAR_ERROR") is None


def skip_unread_records() -> None:
    """Let loggers drop what no handler writes, before they create a record: Scrapy logs all levels, at each page."""
    root = logging.getLogger()
    least = min((handler.level for handler in root.handlers), default=logging.WARNING)
    root.setLevel(max(least, logging.INFO))


def hide_start_errors(crawler: Any) -> None:
    """From now on, log nothing after a failed start of the crawler."""
    for handler in logging.getLogger().handlers:
        handler.addFilter(_NoTraceback(crawler))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
