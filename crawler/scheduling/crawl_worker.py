"""Crawl workers: they lease due tasks from the schedule and run each task's spider in a child process."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import redis

from crawler.scheduling.schedule import RunLease, Schedule
from crawler.session import PUBLISHED_ONLY
from workers.presence import Presence
from workers.processes import ended_by

LOOK_EVERY = 0.1  # seconds between two checks of the child processes
RENEW_EVERY = 10.0  # seconds between two renewals of leases and of the entry in the list of processes
STOP_WAIT = 20.0  # seconds that a spider has to hand over the pages that it fetched
TRY_AGAIN_AFTER = 60.0  # seconds after which an interrupted run is started again


@dataclass
class _Child:
    lease: RunLease
    process: "subprocess.Popen[bytes]"
    renewed: float  # by the workers' clock
    report: dict[str, Any] | None = None  # read from its output after it has ended


class CrawlWorkers:
    """Runs up to `count` spiders at a time, on the Redis at `url`. `clock`: monotonic seconds.

    `slots`: as many as spiders may run at a time, shared with the crawl workers of other servers.
    """

    def __init__(
        self,
        url: str,
        connection: "redis.Redis",
        count: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        slots: threading.Semaphore | None = None,
    ):
        self.url, self.count, self.clock = url, count, clock
        self.slots = slots or threading.Semaphore(count)
        self.schedule = Schedule(connection)
        self.presence = Presence(connection, "crawl")
        self.stopping = False
        self._children: list[_Child] = []
        self._shown = 0.0

    def run(self, on_report: Callable[[str, dict[str, Any]], None] | None = None) -> None:
        """Run spiders until `stop`. `on_report` gets each task's name and report.

        Raises `redis.RedisError` if Redis is unavailable. The spiders keep running; call `run` again to continue.
        """
        while not self.stopping:
            self._reap(on_report)
            self._start()
            self._renew()
            time.sleep(LOOK_EVERY)
        self._end(on_report)

    def stop(self, *_: Any) -> None:
        """Stop: the spiders hand over the pages that they fetched, then `run` returns. Safe in a signal handler."""
        self.stopping = True

    def _start(self) -> None:
        while self.slots.acquire(blocking=False):
            lease = None
            try:
                lease = self.schedule.lease()
            finally:
                if lease is None:
                    self.slots.release()
            if lease is None:
                return
            environment = {**os.environ, "REDIS_URL": self.url, PUBLISHED_ONLY: "1"}
            process = subprocess.Popen(
                [sys.executable, "-m", "crawler.fetching.spider_process", lease.task],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            self._children.append(_Child(lease, process, renewed=self.clock()))

    def _reap(self, on_report: Callable[[str, dict[str, Any]], None] | None) -> None:
        for child in [child for child in self._children if child.process.poll() is not None]:
            if child.report is None:
                child.report = _report_of(child.process)
            report = child.report
            code = child.process.returncode
            interrupted = code not in (0, 1) or report.get("outcome") in ("stopped", "redis")
            again = self.schedule.clock() + TRY_AGAIN_AFTER if interrupted and not self.stopping else None
            self.schedule.done(child.lease, again_at=again)
            self._children.remove(
                child
            )  # after `done`, which raises if Redis is unavailable: the child is reaped again then
            self.slots.release()
            if not report:
                report = {"outcome": "killed", "problems": [f"the spider was {ended_by(code)}"]}
            if on_report is not None:
                on_report(child.lease.task, report)

    def _renew(self) -> None:
        now = self.clock()
        for child in self._children:
            if now - child.renewed > RENEW_EVERY:
                child.renewed = now
                if not self.schedule.renew(child.lease):
                    logging.getLogger(__name__).warning("task %s: its lease expired", child.lease.task)
        if now - self._shown > RENEW_EVERY / 2:
            self._shown = now
            self.presence.show(workers=self.count, running=[child.lease.task for child in self._children])

    def _end(self, on_report: Callable[[str, dict[str, Any]], None] | None) -> None:
        for child in self._children:
            child.process.send_signal(signal.SIGTERM)
        deadline = self.clock() + STOP_WAIT
        while self._children and self.clock() < deadline:
            self._reap(on_report)
            time.sleep(0.05)
        for child in self._children:
            child.process.kill()
            child.process.wait()
        self._reap(on_report)
        self.presence.leave()


def _report_of(process: "subprocess.Popen[bytes]") -> dict[str, Any]:
    assert process.stdout is not None
    with process.stdout as output:
        lines = output.read().decode("utf-8", "replace").strip().splitlines()
    try:
        report = json.loads(lines[-1])
    except (ValueError, IndexError):
        return {}
    return report if isinstance(report, dict) else {}
