"""Crawl workers: they lease due tasks from the schedule, and run them in a crawl process that they watch.

    schedule ─▶ lease ─▶ crawl process (`crawler.scheduling.crawl_process`), all runs in it ─▶ report ─▶ schedule

The crawl process lives as long as the worker. It is replaced if it dies, if its heartbeats stop, or if it has grown
above `MEMORY_MARK`: then new runs start in another one, and its own runs go on to their end. A task by one of whose
pages a process hung or crashed runs in a process of its own, until a run of it has ended, so that it disturbs no other.
"""

import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, Any

import redis

from crawler.run.run_report import RunReport, keep_report
from crawler.scheduling.schedule import RunLease, Schedule
from workers.processes import ended_by, ending_with_parent
from workers.redis_access.outage import Outage
from workers.reporting.presence import HEARTBEAT_EVERY, Presence

LOOK_EVERY = 0.1  # seconds between two checks of runs and schedule
RENEW_EVERY = 1.0  # seconds between two renewals of leases
STOP_WAIT = 20.0  # seconds in which runs must hand over their fetched pages; then their process is killed
TRY_AGAIN_AFTER = 1.0  # seconds after which an interrupted run is started again; doubled if that one cannot begin
TRY_AGAIN_MOST = 60.0  # seconds
HANGS_AFTER = 30.0  # seconds without a heartbeat until a crawl process is killed; it has one each second
START_MOST = 120.0  # seconds that a crawl process has from its start until its first heartbeat
MEMORY_MARK = 600 * 2**20  # bytes of a crawl process from which it gets no more runs

CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS)  # of code in C, by the page that it handles

Report = Callable[[str, dict[str, Any]], None]

log = logging.getLogger(__name__)


@dataclass(eq=False)
class _LeasedRun:
    lease: RunLease
    started: float  # like the next one, in monotonic seconds
    renewed: float
    report: dict[str, Any] | None = None  # once it has ended
    code: int = 0  # an exit code, if it could not begin
    pause: float = TRY_AGAIN_AFTER  # seconds until it is started again if it was interrupted
    is_leased: bool = True  # as far as the last renewal showed


@dataclass(eq=False)
class _Process:
    """A crawl process and its runs, by task. `seen`: when it had its last heartbeat, None before the first.

    `work`: the file, without a name, into which it writes the task whose page it handles.
    """

    process: "subprocess.Popen[bytes]"
    work: IO[bytes]
    started: float
    seen: float | None = None
    memory: int = 0  # bytes
    is_retired: bool = False  # it gets no more runs
    hangs: bool = False  # it was killed because its heartbeats stopped
    runs: dict[str, _LeasedRun] = field(default_factory=dict)
    output: bytes = b""  # the beginning of a line whose end it has not printed

    def __post_init__(self) -> None:
        assert self.process.stdout is not None
        os.set_blocking(self.process.stdout.fileno(), False)

    @property
    def handled(self) -> str:
        """The task whose page it handled when it ended; empty if none."""
        self.work.seek(0)
        return self.work.read().rstrip(b"\0").decode()

    def lines(self) -> Iterator[dict[str, Any]]:
        """Return the lines that it has printed since the last call, without waiting for more."""
        assert self.process.stdout is not None
        *lines, self.output = (self.output + (self.process.stdout.read() or b"")).split(b"\n")
        return map(json.loads, lines)


class CrawlWorkers:
    """Runs up to `count` tasks at a time, on the Redis at `url`.

    `exits_without_redis`: raise `redis.RedisError` when Redis is unavailable, instead of waiting for it. `on_notice`
    gets texts on the loss and return of Redis. `restarts`: how often an interrupted run of a task is started again at
    once; for runs without a scheduler, which would start it again.
    """

    def __init__(
        self,
        url: str,
        connection: "redis.Redis",
        count: int,
        *,
        exits_without_redis: bool = False,
        on_notice: Callable[[str], None] | None = None,
        restarts: int = 0,
    ):
        self.url, self.redis, self.count, self.restarts = url, connection, count, restarts
        self.schedule = Schedule(connection)
        self.presence = Presence(connection, "crawl")
        self._on_notice = on_notice or (lambda text: log.warning("%s", text))
        self._outage = Outage(connection, self._notice, exits=exits_without_redis)
        self.stopping = False
        self._processes: list[_Process] = []
        self._not_begun: Counter[str] = Counter()  # task -> number of its runs in a row that could not begin
        self._alone: set[str] = set()  # tasks by one of whose pages a process hung or crashed
        self._not_started = 0  # number of crawl processes in a row that ended before their first heartbeat
        self._start_at = 0.0  # when the next crawl process may be started
        self._restarted: Counter[str] = Counter()  # task -> number of its runs that were started again at once
        self._shown = 0.0

    def run(self, on_report: Report = lambda task, report: None) -> None:
        """Run tasks until `stop`. `on_report` gets each task's name and report, with `restarted` if it runs again.

        Runs that go on when Redis becomes unavailable are kept. Raises `redis.RedisError` if Redis fails in a way that
        will not pass, or with `exits_without_redis`; then call `run` again to continue.
        """
        while not self.stopping:
            self._outage.attempt(lambda: self._serve(on_report))
            time.sleep(LOOK_EVERY)
        self._end(on_report)

    def stop(self, *_: Any) -> None:
        """Stop: the runs hand over the pages that they fetched, then `run` returns. Safe in a signal handler."""
        self.stopping = True

    def _serve(self, on_report: Report) -> None:
        self._settle(on_report)
        self._watch()
        self._start()
        self._renew()
        self._show()

    @property
    def _runs(self) -> list[_LeasedRun]:
        return [run for process in self._processes for run in process.runs.values()]

    # -- the beginning of runs --------------------------------------------------------------------------------------

    def _start(self) -> None:
        """Lease due tasks and start their runs, in the newest crawl process; those of `_alone` in one of their own."""
        while (process := self._current()) and len(self._runs) < self.count:
            lease = self.schedule.lease()
            if lease is None:
                return
            alone = self._start_process() if lease.task in self._alone else None
            process = alone or process
            process.runs[lease.task] = _LeasedRun(lease, time.monotonic(), time.monotonic())
            self._send(process, lease.task)
            if alone is not None:
                self._retire(alone)

    def _current(self) -> _Process | None:
        """Return the crawl process for new runs, started if necessary; None while it is too early to start one."""
        for process in self._processes:
            if not process.is_retired and process.process.poll() is None:
                return process
        return self._start_process() if time.monotonic() >= self._start_at else None

    def _start_process(self) -> _Process:
        work = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (to the end of the process)
        process = subprocess.Popen(
            [sys.executable, "-m", "crawler.scheduling.crawl_process", str(work.fileno())],
            env={**os.environ, "REDIS_URL": self.url},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[work.fileno()],
            start_new_session=True,
            preexec_fn=ending_with_parent(),
        )
        started = _Process(process, work, time.monotonic())
        self._processes.append(started)
        return started

    def _send(self, process: _Process, task: str) -> None:
        assert process.process.stdin is not None
        try:
            process.process.stdin.write(json.dumps(task).encode() + b"\n")
            process.process.stdin.flush()
        except BrokenPipeError:
            pass  # it has died; its runs are reported as killed

    # -- the end of runs --------------------------------------------------------------------------------------------

    def _settle(self, on_report: Report) -> None:
        """Read what the crawl processes print, and settle the runs that ended; those of a dead process were killed."""
        for process in [*self._processes]:
            code = process.process.poll()
            self._read(process)
            for task, run in [*process.runs.items()]:
                if run.report is None and code is not None:
                    self._note_killed(process, run, code)
                if run.report is not None:
                    self._settle_run(run, on_report)
                    del process.runs[task]  # after `done`, which raises if Redis is unavailable; then it is repeated
            if code is not None:
                self._remove(process)

    def _remove(self, process: _Process) -> None:
        """Remove a process that has ended. If it had no heartbeat, the next one is started after a growing pause."""
        assert process.process.stdout is not None
        process.process.stdout.close()
        self._processes.remove(process)
        process.work.close()
        self._not_started = self._not_started + 1 if process.seen is None else 0
        if self._not_started:
            self._start_at = time.monotonic() + _doubled(self._not_started - 1)

    def _read(self, process: _Process) -> None:
        for line in process.lines():
            if "beat" in line:
                process.seen, process.memory = time.monotonic(), line["beat"]
            elif (run := process.runs.get(line["task"])) is not None:
                run.report = line.get("report")
                if run.report is None:
                    self._note_not_begun(run, line["error"], line["code"])
                else:
                    self._not_begun.pop(run.lease.task, None)
                    self._alone.discard(run.lease.task)

    def _note_not_begun(self, run: _LeasedRun, error: str, code: int) -> None:
        task = run.lease.task
        log.error("%s", error)
        run.report, run.code = self._report_of_killed(run, error), code
        run.pause = _doubled(self._not_begun[task])
        self._not_begun[task] += 1

    def _note_killed(self, process: _Process, run: _LeasedRun, code: int) -> None:
        """Note that a run's process ended before it."""
        by = ended_by(code)
        text = f"the crawl process was {by}" if code < 0 else f"the crawl process ended: {by}; see the log"
        if (process.hangs or -code in CRASHES) and process.handled == run.lease.task:
            text = f"the crawl process was {by} while it handled a page of this task"
            run.pause = TRY_AGAIN_MOST
            self._alone.add(run.lease.task)
        if self.stopping and code == -signal.SIGTERM:  # it was stopped while it was still starting
            text = ""
        if text:
            self.presence.note_error(f"task {run.lease.task}: {text}")
        run.report, run.code = self._report_of_killed(run, text), code

    def _settle_run(self, run: _LeasedRun, on_report: Report) -> None:
        report, task = run.report, run.lease.task
        assert report is not None
        interrupted = run.code not in (0, 1) or report["outcome"] in ("stopped", "redis")
        again = self.schedule.clock() + run.pause if interrupted and not self.stopping else None
        restarts = again is not None and self._restarted[task] < self.restarts
        if report["outcome"] == "killed" and report["problems"] and run.code < 0:
            keep_report(self.redis, RunReport(**report))
        if restarts:
            self.schedule.fire_now([task])  # before `done`, so that at no moment the task seems to have ended
        self.schedule.done(run.lease, again_at=again)
        self._restarted[task] += restarts
        if again is not None and self.restarts and not restarts:
            report["problems"].append(f"its run was started {self.restarts + 1} times and interrupted each time")
        on_report(task, {**report, "restarted": True} if restarts else report)

    def _report_of_killed(self, run: _LeasedRun, problem: str) -> dict[str, Any]:
        """Return the report of a run that ended without one."""
        now = self.schedule.clock()
        began, ended = (datetime.fromtimestamp(at, UTC) for at in (now - (time.monotonic() - run.started), now))
        report = RunReport.begun(run.lease.task, began)
        report.end("killed", ended)
        if problem:
            report.problem(problem)
        return report.to_dict()

    # -- leases and heartbeats --------------------------------------------------------------------------------------

    def _renew(self) -> None:
        now = time.monotonic()
        for run in self._runs:
            if now - run.renewed > RENEW_EVERY:
                is_leased = self.schedule.renew(run.lease)
                if run.is_leased and not is_leased:
                    log.warning("task %s: its lease expired", run.lease.task)
                run.renewed, run.is_leased = now, is_leased

    def _watch(self) -> None:
        """Kill crawl processes without a heartbeat for too long, and replace those that have grown."""
        now = time.monotonic()
        for process in self._processes:
            quiet = now - (process.started if process.seen is None else process.seen)
            if quiet > (START_MOST if process.seen is None else HANGS_AFTER):
                text = "the crawl process sends no heartbeat; it is killed"
                log.warning("%s", text)
                self.presence.note_error(text)
                process.hangs = True
                process.process.kill()
            elif process.memory > MEMORY_MARK and not process.is_retired:
                log.info("the crawl process has %d MB of memory; new runs start in another one", process.memory >> 20)
                self._retire(process)

    def _retire(self, process: _Process) -> None:
        """Let a process end after its runs."""
        assert process.process.stdin is not None
        process.is_retired = True
        process.process.stdin.close()

    def _show(self) -> None:
        now = time.monotonic()
        if now - self._shown > HEARTBEAT_EVERY:
            self.presence.show(workers=self.count, running=[run.lease.task for run in self._runs])
            self._shown = now

    def _notice(self, text: str) -> None:
        self.presence.note_error(text)
        self._on_notice(text)

    # -- the end ----------------------------------------------------------------------------------------------------

    def _end(self, on_report: Report) -> None:
        processes = [each.process for each in self._processes]
        for process in processes:
            process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_WAIT
        while any(process.poll() is None for process in processes) and time.monotonic() < deadline:
            self._outage.attempt(lambda: self._settle_and_renew(on_report))
            time.sleep(0.05)
        for process in processes:
            process.kill()
            process.wait()
        self._outage.attempt(lambda: self._settle(on_report))
        self._outage.attempt(self.presence.leave)

    def _settle_and_renew(self, on_report: Report) -> None:
        self._settle(on_report)
        self._renew()


def _doubled(times: int) -> float:
    return min(TRY_AGAIN_AFTER * float(2 ** min(times, 10)), TRY_AGAIN_MOST)
