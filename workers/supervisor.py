"""The supervisor of extraction workers: starts them, kills one whose page exceeds its deadline, replaces dead ones.

An alarm inside the worker can't interrupt lxml, so the supervisor enforces the deadline. It imports what workers need
before it forks them: they start in milliseconds and share the memory. It also queues pages again that were lost
anywhere in the cluster.
"""

import gc
import logging
import multiprocessing
import os
import signal
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

import redis

from .connection import client
from .inbox import Inbox
from .ledger import Ledger
from .presence import Presence, node_name
from .processes import ended_by
from .url_states import Fingerprint
from .worker import work
from .worker_reports import messages
from .worker_times import WorkerTimes

SWEEP_EVERY = 3.0  # seconds between two searches for lost pages
NO_PROGRESS = 60.0  # seconds without a page settled, after a problem, until `until_empty` gives up
CHECK_EVERY = 0.05  # seconds between two checks of the workers
STOP_WAIT = 30.0  # seconds for workers to finish their present jobs
EARLY_EXIT = 2.0  # seconds; a worker that ended earlier than this after its start is replaced only after a pause
PAUSE_AFTER_EARLY_EXIT = 1.0  # seconds
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)

log = logging.getLogger(__name__)


@dataclass
class _Worker:
    """A running worker and what it reported."""

    name: str
    process: ForkProcess
    reports: int  # read end of its pipe
    started: float = field(default_factory=time.monotonic)
    buffer: bytearray = field(default_factory=bytearray)
    task: str = ""
    job: list[Fingerprint] = field(default_factory=list)
    page: Fingerprint = ""
    deadline: float = 0.0  # monotonic; 0 if there is none
    dismissed: bool = False  # it ends after its present job


class Supervisor:
    """Runs `count` extraction workers against the Redis at `url` until `stop` is called."""

    def __init__(
        self,
        url: str,
        count: int,
        *,
        state: Path,
        until_empty: bool = False,
        times: WorkerTimes | None = None,
        sweep_every: float = SWEEP_EVERY,
        pause_after_early_exit: float = PAUSE_AFTER_EARLY_EXIT,
        wanted: Callable[[], int] | None = None,
    ):
        """`wanted` returns how many workers are wanted now; without it they are always `count`."""
        self.url, self.count, self.state, self.until_empty = url, count, state, until_empty
        self.times = times or WorkerTimes()
        self.sweep_every, self.pause_after_early_exit = sweep_every, pause_after_early_exit
        self.redis: redis.Redis = client(url)
        self.inbox = Inbox(self.redis)
        self.presence = Presence(self.redis, "extract")
        self.wanted = wanted or (lambda: count)
        self.stopping = False
        self._context = multiprocessing.get_context("fork")
        self._workers: list[_Worker] = []
        self._not_before = 0.0
        self._swept = 0.0
        self._had_problem = False
        self._progress: tuple[int, float] = (-1, 0.0)  # pages that waited, and since when

    def run(self, on_problem: Callable[[str], None] | None = None) -> bool:
        """Supervise until `stop`, or with `until_empty` until no page waits. Raises `redis.RedisError`.

        False if `until_empty` gave up on pages whose output is unavailable; they are kept.
        """
        self._report_problem = on_problem or log.error
        gc.collect()
        gc.freeze()  # forked workers share these pages instead of copying them at their first collection
        try:
            while not self.stopping:
                self._check_workers()
                self._dismiss_surplus()
                self._start_missing()
                self._sweep_if_due()
                if self.until_empty and self._all_done():
                    break
                if self.until_empty and self._is_stuck():
                    return False
                time.sleep(CHECK_EVERY)
        finally:
            self._end()
        return True

    def stop(self, *_: Any) -> None:
        """Let workers finish their present jobs, then return from `run`. Safe in a signal handler."""
        self.stopping = True

    def _dismiss_surplus(self) -> None:
        """Let workers beyond the number that are wanted now finish their present jobs and end."""
        self.count = self.wanted()
        for worker in self._workers[self.count :]:
            if not worker.dismissed and worker.process.pid is not None:
                worker.dismissed = True
                os.kill(worker.process.pid, signal.SIGTERM)

    def _start_missing(self) -> None:
        while len(self._workers) < self.count and time.monotonic() >= self._not_before and not self.stopping:
            self._workers.append(self._start())

    def _start(self) -> _Worker:
        name = f"{node_name()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        read, write = os.pipe()
        others = [read, *(worker.reports for worker in self._workers)]
        process = self._context.Process(
            target=_work,
            args=(self.url, name, write, others, self.state, os.getpid(), self.times),
            name=name,
            daemon=False,
        )
        with _signals_blocked():
            process.start()
        os.close(write)
        return _Worker(name, process, read)

    def _check_workers(self) -> None:
        for worker in list(self._workers):
            self._read_reports(worker)
            if worker.deadline and time.monotonic() > worker.deadline:
                log.warning("task %s: page %s exceeded its deadline; its worker is killed", worker.task, worker.page)
                worker.process.kill()
                worker.process.join()
            if not worker.process.is_alive():
                self._remove(worker)

    def _read_reports(self, worker: _Worker) -> None:
        for message in messages(worker.reports, worker.buffer):
            if "begin" in message:
                worker.page = message["begin"]
                worker.deadline = time.monotonic() + message["seconds"]
            elif "job" in message:
                worker.task, worker.job = message["task"], message["job"]
            elif "problem" in message:
                self._had_problem = True
                self._report_problem(message["problem"])
            else:
                worker.deadline = 0.0

    def _remove(self, worker: _Worker) -> None:
        worker.process.join()
        self._read_reports(worker)
        os.close(worker.reports)
        self._workers.remove(worker)
        if time.monotonic() - worker.started < EARLY_EXIT:
            self._not_before = time.monotonic() + self.pause_after_early_exit
        if not self.stopping and worker.process.exitcode:
            log.warning("worker %s: %s", worker.name, ended_by(worker.process.exitcode))
        if worker.job:
            Ledger(self.redis, worker.task).free(worker.name)
            self.inbox.wake(worker.task, worker.job)

    def _sweep_if_due(self) -> None:
        if time.monotonic() - self._swept > self.sweep_every:
            self._swept = time.monotonic()
            self.inbox.sweep()
            self.presence.show(workers=len(self._workers), wanted=self.count)

    def _all_done(self) -> bool:
        busy = any(worker.deadline for worker in self._workers)
        return not busy and self.inbox.waiting_jobs() == 0 and not self.inbox.pages_waiting()

    def _is_stuck(self) -> bool:
        if not self._had_problem:
            return False
        waiting = self.inbox.pages_waiting()
        if waiting != self._progress[0]:
            self._progress = (waiting, time.monotonic())
        return time.monotonic() - self._progress[1] > NO_PROGRESS

    def _end(self) -> None:
        self.stopping = True
        for worker in self._workers:
            if worker.process.pid is not None and worker.process.is_alive():
                os.kill(worker.process.pid, signal.SIGTERM)
        limit = time.monotonic() + STOP_WAIT
        while any(worker.process.is_alive() for worker in self._workers) and time.monotonic() < limit:
            for worker in self._workers:
                self._read_reports(worker)  # a worker would block on a full pipe
            time.sleep(0.02)
        for worker in self._workers:
            worker.process.kill()
        with suppress(redis.RedisError):  # it may be the reason to end; leases expire by themselves
            for worker in list(self._workers):
                self._remove(worker)
            self.presence.leave()


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Block stop signals during a fork: with its parent's handlers the child would lose them."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)


def _work(url: str, name: str, report: int, others: list[int], state: Path, parent: int, times: WorkerTimes) -> None:
    for file in others:
        os.close(file)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    work(url, name, report, state=state, parent=parent, times=times)
