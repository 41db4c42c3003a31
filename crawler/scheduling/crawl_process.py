"""The crawl process: one reactor, in which each run is a Scrapy crawler of its own, through Scrapy's engine.

`crawler.scheduling.crawl_worker` starts it, and tells it by lines of JSON on standard input which tasks to run. It
prints lines of JSON:

    {"beat": 104857600}                               each second: it is alive, and has so many bytes of memory
    {"task": "kuaibao", "report": {…}}                a run has ended
    {"task": "kuaibao", "error": "…", "code": 1}      a run could not begin; `code`: an exit code

At SIGTERM all runs hand over their pages and end; at the end of its input those that it has go on to their end. In both
cases the process then ends.
"""

import asyncio
import gc
import json
import logging
import mmap
import os
import signal
import sys
from pathlib import Path
from typing import Any, cast

import redis

from crawler.fetching.scrapy_process import EXIT_FAILED, EXIT_UNAVAILABLE, scrapy_process
from crawler.logs import start_logging
from crawler.rendering.memory import resident
from crawler.spiders.section import SectionSpider
from crawler.spiders.shared import WORK_BYTES, Shared
from crawler.task_list.mistakes import TaskError
from workers.errors import ExemplarError, RedisUnavailable
from workers.redis_access.connection import client, reason

BEAT_EVERY = 1.0  # seconds
STOP_EVERY = 0.2  # seconds between two calls to stop the runs
READ_AT_ONCE = 65536  # bytes

log = logging.getLogger(__name__)


class CrawlProcess:
    """Runs the tasks that it is told. `shared`: what the runs share; `process`: Scrapy's `AsyncCrawlerProcess`."""

    def __init__(self, process: Any, shared: Shared):
        self.process, self.shared = process, shared
        self._runs: set[asyncio.Future[None]] = set()
        self._is_ending = False
        self._end: asyncio.Future[None] | None = None
        self._rest = b""  # of an incomplete line

    def start(self) -> None:
        """Begin to read and to beat; called when the reactor runs."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self._stop)
        loop.add_signal_handler(signal.SIGINT, lambda: None)  # Ctrl-C is for the process that started this one
        loop.add_reader(0, self._read)
        self._beating = asyncio.ensure_future(self._beat())

    def _read(self) -> None:
        data = os.read(0, READ_AT_ONCE)
        if not data:
            asyncio.get_running_loop().remove_reader(0)
            self._is_ending = True
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            run = asyncio.ensure_future(self._run(json.loads(line)))
            self._runs.add(run)
            run.add_done_callback(self._ended)
        self._end_if_over()

    async def _run(self, task: str) -> None:
        """Run a task, and print its report."""
        begun: list[SectionSpider] = []
        try:
            try:
                await self.process.crawl(SectionSpider, task=task, shared=self.shared, on_begin=begun.append)
            finally:
                for spider in begun:
                    if spider.run in self.shared.runs:  # Scrapy could not start it: an extension failed, for example
                        spider.closed("failed")
            write_line({"task": task, "report": begun[0].run.report.to_dict()})
        except (RedisUnavailable, redis.RedisError) as error:
            write_line({"task": task, "error": reason(error), "code": EXIT_UNAVAILABLE})
        except (ExemplarError, TaskError) as error:
            write_line({"task": task, "error": str(error), "code": EXIT_FAILED})
        except Exception as error:
            log.exception("task %s", task)
            write_line({"task": task, "error": f"{type(error).__name__}: {error}", "code": EXIT_FAILED})

    def _ended(self, run: "asyncio.Future[None]") -> None:
        self._runs.discard(run)
        self._end_if_over()

    def _stop(self) -> None:
        self._is_ending = True
        self._stopping = asyncio.ensure_future(self._stop_runs())
        self._end_if_over()

    async def _stop_runs(self) -> None:
        while self._runs:  # more than once: a run may have been at its beginning
            await self.process.stop()
            await asyncio.sleep(STOP_EVERY)

    def _end_if_over(self) -> None:
        if self._is_ending and not self._runs and self._end is None:
            self._end = asyncio.ensure_future(self._close())

    async def _close(self) -> None:
        from twisted.internet import reactor

        await self.shared.close()
        cast("Any", reactor).stop()

    async def _beat(self) -> None:
        while True:
            beat()
            await asyncio.sleep(BEAT_EVERY)


def beat() -> None:
    """Print that the process is alive."""
    write_line({"beat": resident([os.getpid()])})


def write_line(values: Any) -> None:
    """Print a line of JSON."""
    print(json.dumps(values, ensure_ascii=False), flush=True)


def main(work: str) -> None:
    """Run tasks on `$REDIS_URL`. `work`: the file that names the task of the page that is handled."""
    start_logging()
    with Path(work).open("r+b") as file:
        file.truncate(WORK_BYTES)
        handled = mmap.mmap(file.fileno(), WORK_BYTES)
    url = os.environ["REDIS_URL"]
    process = scrapy_process()
    crawls = CrawlProcess(process, Shared.of(client(url), on_wait=beat, work=handled))
    asyncio.get_event_loop().call_soon(crawls.start)  # the loop of Scrapy's reactor
    gc.collect()
    gc.freeze()  # full collections of the garbage of ended runs do not look at what is loaded now
    process.start(stop_after_crawl=False, install_signal_handlers=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
