"""Crawl workers: they lease due tasks from the schedule and run each task's spider in a child process."""

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import redis

from crawler.run.run_report import RunReport, keep_report
from crawler.run.spider_coordination import is_in_crew
from crawler.scheduling.schedule import RunLease, Schedule
from crawler.session import PUBLISHED_ONLY
from crawler.task_list.publication import ListWatch
from workers.processes import ended_by, ending_with_parent
from workers.redis_access.outage import Outage
from workers.reporting.presence import HEARTBEAT_EVERY, Presence

LOOK_EVERY = 0.1  # seconds between two checks of the child processes
RENEW_EVERY = 1.0  # seconds between two renewals of leases
STOP_WAIT = 20.0  # seconds in which a spider must hand over its fetched pages; then it is killed
TRY_AGAIN_AFTER = 1.0  # seconds after which an interrupted run is started again; doubled if that one ends at its start
TRY_AGAIN_MOST = 60.0  # seconds
HANGS_AFTER = 30.0  # seconds without a heartbeat until a spider is killed; it has one each second
START_MOST = 120.0  # seconds that a spider has from its start until it has joined its task

log = logging.getLogger(__name__)


@dataclass
class _Child:
    lease: RunLease
    process: "subprocess.Popen[bytes]"
    started: float  # like the next two, by the workers' clock
    renewed: float
    seen: float = 0.0  # when it was last seen among the spiders of its task; 0 if never
    report: dict[str, Any] | None = None  # read from its output after it has ended


class CrawlWorkers:
    """Runs up to `count` spiders at a time, on the Redis at `url`. `clock`: monotonic seconds.

    `exits_without_redis`: raise `redis.RedisError` when Redis is unavailable, instead of waiting for it. `hangs_after`:
    seconds without a heartbeat until a spider is killed. `on_notice` gets texts on the loss and return of Redis.
    `restarts`: how often an interrupted run of a task is started again at once; for runs without a scheduler, which
    would start it again.
    """

    def __init__(
        self,
        url: str,
        connection: "redis.Redis",
        count: int,
        *,
        exits_without_redis: bool = False,
        hangs_after: float = HANGS_AFTER,
        on_notice: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        restarts: int = 0,
    ):
        self.url, self.redis, self.count, self.clock = url, connection, count, clock
        self.hangs_after, self.restarts = hangs_after, restarts
        self.schedule = Schedule(connection)
        self.presence = Presence(connection, "crawl")
        self._list_watch = ListWatch(connection)
        self._on_notice = on_notice or (lambda text: log.warning("%s", text))
        self._outage = Outage(connection, self._notice, exits=exits_without_redis, clock=clock)
        self.stopping = False
        self._children: list[_Child] = []
        self._interrupted: dict[str, int] = {}  # task -> number of its runs in a row that ended at their start
        self._restarted: Counter[str] = Counter()  # task -> number of its runs that were started again at once
        self._shown = 0.0

    def run(self, on_report: Callable[[str, dict[str, Any]], None] | None = None) -> None:
        """Run spiders until `stop`. `on_report` gets each task's name and report, with `restarted` if it runs again.

        Spiders that run when Redis becomes unavailable are kept. Raises `redis.RedisError` if Redis fails in a
        way that will not pass, or with `exits_without_redis`; then call `run` again to continue.
        """
        while not self.stopping:
            self._outage.attempt(lambda: self._serve(on_report))
            time.sleep(LOOK_EVERY)
        self._end(on_report)

    def _serve(self, on_report: Callable[[str, dict[str, Any]], None] | None) -> None:
        self._reap(on_report)
        self._start()
        self._renew()
        self._kill_hanging()
        self._show()

    def stop(self, *_: Any) -> None:
        """Stop: the spiders hand over the pages that they fetched, then `run` returns. Safe in a signal handler."""
        self.stopping = True

    def _start(self) -> None:
        while len(self._children) < self.count:
            lease = self.schedule.lease()
            if lease is None:
                return
            environment = {**os.environ, "REDIS_URL": self.url, PUBLISHED_ONLY: "1"}
            process = subprocess.Popen(
                [sys.executable, "-m", "crawler.fetching.spider_process", lease.task],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                start_new_session=True,
                preexec_fn=ending_with_parent(),
            )
            self._children.append(_Child(lease, process, started=self.clock(), renewed=self.clock()))

    def _reap(self, on_report: Callable[[str, dict[str, Any]], None] | None) -> None:
        for child in [child for child in self._children if child.process.poll() is not None]:
            if child.report is None:
                child.report = _report_of(child.process)
            child.report = child.report or self._report_of_killed(child)
            report = child.report
            task, code = child.lease.task, child.process.returncode
            interrupted = code not in (0, 1) or report["outcome"] in ("stopped", "redis")
            again = self.schedule.clock() + self._pause_of(child) if interrupted and not self.stopping else None
            restarts = again is not None and self._restarted[task] < self.restarts
            if report["outcome"] == "killed" and report["problems"] and code < 0:
                keep_report(self.redis, RunReport(**report))
            if restarts:
                self.schedule.fire_now([task])  # before `done`, so that at no moment the task seems to have ended
            self.schedule.done(child.lease, again_at=again)
            self._count_interruption(child, interrupted)
            self._restarted[task] += restarts
            self._children.remove(
                child
            )  # after `done`, which raises if Redis is unavailable; then the child is handled again
            if again is not None and self.restarts and not restarts:
                runs = self.restarts + 1
                report["problems"].append(f"its run was started {runs} times and interrupted each time")
            if on_report is not None:
                on_report(task, {**report, "restarted": True} if restarts else report)

    def _report_of_killed(self, child: _Child) -> dict[str, Any]:
        """Return the report of a run whose spider ended without one."""
        now, code = self.schedule.clock(), child.process.returncode
        began, ended = (datetime.fromtimestamp(at, UTC) for at in (now - (self.clock() - child.started), now))
        report = RunReport.begun(child.lease.task, began)
        report.end("killed", ended)
        if not (self.stopping and code == -signal.SIGTERM):  # otherwise it was stopped while it was still starting
            report.problem(f"the spider was {ended_by(code)}")
            self.presence.note_error(f"task {child.lease.task}: the spider was {ended_by(code)}")
        return report.to_dict()

    def _pause_of(self, child: _Child) -> float:
        """Seconds until an interrupted run is started again."""
        doublings = min(self._interrupted.get(child.lease.task, 0), 10)
        return min(TRY_AGAIN_AFTER * float(2**doublings), TRY_AGAIN_MOST)

    def _count_interruption(self, child: _Child, interrupted: bool) -> None:
        """Count the runs of a task in a row that were interrupted before they joined the task."""
        task = child.lease.task
        if interrupted and not child.seen:
            self._interrupted[task] = self._interrupted.get(task, 0) + 1
        else:
            self._interrupted.pop(task, None)

    def _renew(self) -> None:
        now = self.clock()
        for child in self._children:
            if now - child.renewed > RENEW_EVERY:
                if not self.schedule.renew(child.lease):
                    log.warning("task %s: its lease expired", child.lease.task)
                child.renewed = now

    def _kill_hanging(self) -> None:
        """Kill spiders without a heartbeat for too long; their tasks are run again."""
        now = self.clock()
        if self._outage.ended_within(self.hangs_after):
            return
        for child in self._children:
            if child.seen and now - child.seen < min(1.0, self.hangs_after):
                continue
            if is_in_crew(self.redis, child.lease.task, child.process.pid):
                child.seen = now
            elif now - (child.seen or child.started) > (self.hangs_after if child.seen else START_MOST):
                text = f"task {child.lease.task}: its spider sends no heartbeat; it is killed"
                log.warning("%s", text)
                self.presence.note_error(text)
                child.process.kill()

    def _show(self) -> None:
        now = self.clock()
        if now - self._shown > HEARTBEAT_EVERY:
            self._list_watch.look()
            self.presence.show(workers=self.count, running=[child.lease.task for child in self._children])
            self._shown = now

    def _notice(self, text: str) -> None:
        self.presence.note_error(text)
        self._on_notice(text)

    def _end(self, on_report: Callable[[str, dict[str, Any]], None] | None) -> None:
        for child in self._children:
            child.process.send_signal(signal.SIGTERM)
        deadline = self.clock() + STOP_WAIT
        while any(child.process.poll() is None for child in self._children) and self.clock() < deadline:
            self._outage.attempt(lambda: self._reap_and_renew(on_report))
            time.sleep(0.05)
        for child in self._children:
            child.process.kill()
            child.process.wait()
        self._outage.attempt(lambda: self._reap(on_report))
        self._outage.attempt(self.presence.leave)

    def _reap_and_renew(self, on_report: Callable[[str, dict[str, Any]], None] | None) -> None:
        self._reap(on_report)
        self._renew()


def _report_of(process: "subprocess.Popen[bytes]") -> dict[str, Any]:
    assert process.stdout is not None
    with process.stdout as output:
        lines = output.read().decode("utf-8", "replace").strip().splitlines()
    try:
        report = json.loads(lines[-1])
    except (ValueError, IndexError):
        return {}
    return report if isinstance(report, dict) else {}
