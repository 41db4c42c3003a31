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
from typing import Any, cast

import redis

from crawler.fetching.scrapy_process import EXIT_FAILED, EXIT_UNAVAILABLE, scrapy_process
from crawler.logs import start_logging
from crawler.spiders.section import SectionSpider
from crawler.spiders.shared import WORK_BYTES, Shared
from crawler.task_list.mistakes import TaskError
from workers.errors import ExemplarError, RedisUnavailable
from workers.processes import resident
from workers.redis_access.connection import client, reason

BEAT_EVERY = 1.0  # seconds
STOP_EVERY = 0.2  # seconds between two looks whether the runs have ended

log = logging.getLogger(__name__)


class CrawlProcess:
    """Runs the tasks that it is told. `shared`: what the runs share; `process`: Scrapy's `AsyncCrawlerProcess`."""

    def __init__(self, process: Any, shared: Shared):
        self.process, self.shared = process, shared
        self._runs: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Run tasks until the end of the input or SIGTERM, and stop the reactor once no run is left."""
        loop, stopping = asyncio.get_running_loop(), asyncio.Event()
        loop.add_signal_handler(signal.SIGTERM, stopping.set)
        loop.add_signal_handler(signal.SIGINT, lambda: None)  # Ctrl-C is for the process that started this one
        beating, reading = asyncio.ensure_future(_beat()), asyncio.ensure_future(self._read())
        signalled = asyncio.ensure_future(stopping.wait())
        await asyncio.wait([reading, signalled], return_when=asyncio.FIRST_COMPLETED)
        while self._runs:
            if stopping.is_set():
                await self.process.stop()  # more than once: a run may have been at its beginning
            await asyncio.wait(self._runs, timeout=STOP_EVERY)
        await self.shared.close()
        for task in (beating, reading, signalled):
            task.cancel()
        from twisted.internet import reactor

        cast("Any", reactor).stop()

    async def _read(self) -> None:
        """Start a run for each line of the input, until its end."""
        lines = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        async for line in lines:
            run = asyncio.ensure_future(self._run(json.loads(line)))
            self._runs.add(run)
            run.add_done_callback(self._runs.discard)

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


async def _beat() -> None:
    while True:
        beat()
        await asyncio.sleep(BEAT_EVERY)


def beat() -> None:
    """Print that the process is alive."""
    write_line({"beat": resident([os.getpid()])})


def write_line(values: Any) -> None:
    """Print a line of JSON for the worker."""
    print(json.dumps(values, ensure_ascii=False), file=sys.__stdout__, flush=True)


def main(work: int) -> None:
    """Run tasks on `$REDIS_URL`. `work`: the open file that names the task of the page that is handled."""
    start_logging()
    sys.stdout = sys.stderr  # what a person's middlewares print is no line for the worker
    os.truncate(work, WORK_BYTES)
    handled = mmap.mmap(work, WORK_BYTES)
    os.close(work)
    url = os.environ["REDIS_URL"]
    try:
        process = scrapy_process()
    except ExemplarError as error:
        log.critical("%s", error)
        sys.exit(EXIT_FAILED)
    crawls = CrawlProcess(process, Shared.of(client(url), on_wait=beat, work=handled))
    serving = asyncio.get_event_loop().create_task(crawls.serve())  # the loop of Scrapy's reactor
    gc.collect()
    gc.freeze()  # full collections of the garbage of ended runs do not look at what is loaded now
    process.start(stop_after_crawl=False, install_signal_handlers=False)
    serving.result()


if __name__ == "__main__":
    main(int(sys.argv[1]))
