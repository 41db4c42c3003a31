"""The supervisor of extraction workers: starts them, kills one that exceeds its deadline, replaces dead ones.

While rows wait for queued outputs, it also runs the delivery process of its node.

An alarm inside the worker cannot interrupt lxml, so the supervisor enforces the deadline. It imports the modules of
workers before it forks them: they start in milliseconds and share the memory. It renews the leases of its workers'
pages, and queues pages again that were lost anywhere in the cluster. While Redis is unavailable it waits, and so do its
workers.
"""

import gc
import logging
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import redis

from extractors import walk_in_use

from ..extraction_config import ExtractionConfig
from ..health.state import HealthState
from ..inbox import Inbox
from ..ledger import Ledger
from ..processes import STOP_SIGNALS, ended_by, require_memory
from ..redaction import concealed
from ..redis_access.connection import client
from ..redis_access.outage import Outage
from ..reporting.presence import HEARTBEAT_EVERY, Presence, Rate
from ..reporting.present_problems import OnChange, PresentProblem, ProblemBook
from ..reporting.worker_reports import Watch, WorkerTimes
from ..stored_json import adapter_of
from ..url_states import Fingerprint
from ..writing.delivery import DeliveryTimes, Draining
from ..writing.row_queue import has_queues, rows_waiting
from .supervised_delivery import SupervisedDelivery
from .supervised_worker import SupervisedWorker
from .worker import EXIT_WITHOUT_REDIS, work

SWEEP_EVERY = 2.0  # seconds between two searches for lost pages
NO_PROGRESS = 60.0  # seconds without a page settled, after a problem, until `until_empty` gives up
CHECK_EVERY = 0.05  # seconds between two checks of the workers
STOP_WAIT = 30.0  # seconds for workers to finish their present jobs
EARLY_EXIT = 2.0  # seconds; a worker that ended earlier than this after its start is replaced only after a pause
PAUSE_AFTER_EARLY_EXIT = 1.0  # seconds; doubled with each further early end
MOST_DOUBLINGS = 6
AFTER_OUTAGE = 3.0  # seconds without a sweep, in which all supervisors renew the leases of their workers

log = logging.getLogger(__name__)


@dataclass
class _DeadWorker:
    """The pages and leases of a worker that has ended; freed as soon as Redis is available."""

    name: str
    task: str
    job: list[Fingerprint]
    uncounted: list[Fingerprint]  # pages whose attempt does not count
    killed: list[Fingerprint]  # pages that it worked on when it was killed from outside


class Supervisor:
    """Runs `count` extraction workers against the Redis at `url` until `stop` is called.

    `exits_without_redis`: raise `redis.RedisError` when Redis is unavailable, instead of waiting for it.
    """

    def __init__(
        self,
        url: str,
        count: int,
        *,
        until_empty: bool = False,
        exits_without_redis: bool = False,
        times: WorkerTimes | None = None,
        sweep_every: float = SWEEP_EVERY,
        pause_after_early_exit: float = PAUSE_AFTER_EARLY_EXIT,
        draining: Draining = "",
        delivery_times: DeliveryTimes | None = None,
    ):
        """`draining` as for `workers.writing.delivery.Delivery`.

        With `until_empty` rows of tasks without pages are due at once.
        """
        require_memory()
        self.url, self.count, self.until_empty = url, count, until_empty
        self.times = times or WorkerTimes()
        self.sweep_every, self.pause_after_early_exit = sweep_every, pause_after_early_exit
        # Leases and deadlines must not wait for a Redis that hangs: short time limits, and the wait is in the loop.
        self.redis: redis.Redis = client(url) if exits_without_redis else client(url, retries=1, timeout=5.0)
        self.inbox = Inbox(self.redis)
        self.presence = Presence(self.redis, "extract")
        self.stopping = False
        self._workers: list[SupervisedWorker] = []
        self._dead: list[_DeadWorker] = []
        self._outage = Outage(self.redis, self._notice, exits=exits_without_redis)
        self._problems = ProblemBook(self.presence, self._problem_changed)
        self._delivery = SupervisedDelivery(
            url, self._note, self._warn, draining="now" if until_empty else draining, times=delivery_times
        )
        self._rate = Rate()
        self._not_before = 0.0
        self._early_exits = 0  # since the last worker that lived longer
        self._swept = self._shown = self._renewed = float("-inf")
        self._had_problem = False
        self._progress: tuple[int, float] = (-1, 0.0)  # number of waiting pages and rows, and since when it is the same

    def run(self, on_problem: OnChange | None = None, on_notice: Callable[[str], None] | None = None) -> bool:
        """Supervise until `stop`, or with `until_empty` until no page and no row waits.

        `on_problem` gets each problem when it begins, and when it is over; `on_notice` texts on Redis. False if
        `until_empty` gave up on pages whose output is unavailable; they are kept. Raises `redis.RedisError` if Redis
        fails in a way that will not pass, or with `exits_without_redis`.
        """
        self._on_problem, self._on_notice = on_problem, on_notice
        for stored in (ExtractionConfig, HealthState):
            adapter_of(stored)
        gc.collect()
        gc.freeze()  # forked workers share this memory; otherwise their first garbage collection would copy it
        result: bool | None = None
        try:
            while not self.stopping and result is None:
                self._check_workers()
                self._delivery.check(is_outage=self._outage.is_on)
                result = self._outage.attempt(self._serve)
                time.sleep(CHECK_EVERY)
        finally:
            self._end()
        return result is not False

    def stop(self, *_: Any) -> None:
        """Let workers finish their present jobs, then return from `run`. Safe in a signal handler."""
        self.stopping = True

    # -- with Redis -------------------------------------------------------------------------------------------------

    def _serve(self) -> bool | None:
        """Do all steps that need Redis. Returns the result of `run` if it is to end, else None."""
        self._free_dead()
        self._start_missing()
        self._delivery.start_if_needed(self.redis, [worker.reports for worker in self._workers])
        self._renew_if_due()
        self._show_if_due()
        self._sweep_if_due()
        if self.until_empty and self._all_done():
            return True
        if self.until_empty and self._is_stuck():
            return False
        return None

    def _free_dead(self) -> None:
        while self._dead:
            dead = self._dead[0]
            freed = Ledger(self.redis, dead.task).free(dead.name, uncounted=dead.uncounted, killed=dead.killed)
            self.inbox.wake(dead.task, [*dict.fromkeys([*freed, *dead.job])], first=True)
            del self._dead[0]  # only now, so that it is repeated after an error of Redis

    def _start_missing(self) -> None:
        while len(self._workers) < self.count and time.monotonic() >= self._not_before and not self.stopping:
            inherited = [*(worker.reports for worker in self._workers), *self._delivery.files()]
            work_here = partial(_work, self.url, self.times)
            self._workers.append(SupervisedWorker(work_here, inherited, self.times.silence))

    def _renew_if_due(self) -> None:
        if time.monotonic() - self._renewed > self.times.renew_every:
            for worker in self._workers:
                if worker.job:
                    ledger = Ledger(self.redis, worker.task)
                    ledger.renew_pages(worker.job, worker.name, seconds=self.times.page_lease)
            self._renewed = time.monotonic()  # only after all steps, so that a failure repeats them

    def _show_if_due(self) -> None:
        if time.monotonic() - self._shown > HEARTBEAT_EVERY:
            rate = round(self._rate.per_second(), 2)
            facts = {"workers": len(self._workers), "wanted": self.count, "pages_per_second": rate}
            self.presence.show(**facts, walk=walk_in_use())
            self._problems.flush()
            self._shown = time.monotonic()

    def _sweep_if_due(self) -> None:
        if time.monotonic() - self._swept > self.sweep_every and not self._outage.ended_within(AFTER_OUTAGE):
            self.inbox.sweep()
            self._swept = time.monotonic()

    def _all_done(self) -> bool:
        busy = any(worker.is_busy() for worker in self._workers)
        if busy or self.inbox.waiting_jobs() or self.inbox.pages_waiting():
            return False
        return not has_queues(self.redis)

    def _is_stuck(self) -> bool:
        if not self._had_problem:
            return False
        waiting = self.inbox.pages_waiting() + rows_waiting(self.redis)
        if waiting != self._progress[0]:
            self._progress = (waiting, time.monotonic())
        return time.monotonic() - self._progress[1] > NO_PROGRESS

    # -- without Redis ----------------------------------------------------------------------------------------------

    def _check_workers(self) -> None:
        for worker in list(self._workers):
            self._read_reports(worker)
            if worker.is_overdue():
                if self._outage.is_on:
                    worker.put_off()
                else:
                    self._kill(worker)
            if not worker.process.is_alive():
                self._remove(worker)

    def _kill(self, worker: SupervisedWorker) -> None:
        """End a worker that exceeded a limit. A page is blamed only if its extraction took too long."""
        limit = f"{worker.limit:.0f} s"
        if worker.stage == "page":
            self._warn(f"task {worker.task}: page {worker.page} exceeded its deadline; its worker is killed", worker)
        elif worker.stage == "writing":
            self._had_problem = True
            self._problems.note(
                f"an output of task {worker.task} did not accept rows within {limit}; its worker is replaced, "
                "the pages are tried again",
                about=worker.task,
            )
        else:
            self._warn(f"task {worker.task}: a worker reported nothing for {limit}; it is killed")
        worker.is_killed = True
        worker.kill()

    def _read_reports(self, worker: SupervisedWorker) -> None:
        for message in worker.messages():
            if "failed" in message:
                worker.failure = f": {message['failed']}"
            elif not self._note(message):
                self._rate.add(worker.note(message))

    def _note(self, message: dict[str, Any]) -> bool:
        """Note a problem that a process reports, or its end. False if the report is another."""
        if "problem" in message:
            self._had_problem = True
            self._problems.note(message["problem"], about=message["about"])
        elif "wrote" in message:
            self._problems.works(message["wrote"])
        return "problem" in message or "wrote" in message

    def _remove(self, worker: SupervisedWorker) -> None:
        self._read_reports(worker)
        code = worker.close()
        self._workers.remove(worker)
        is_early = time.monotonic() - worker.started < EARLY_EXIT
        if is_early:
            self._not_before = time.monotonic() + self.pause_after_early_exit * 2 ** min(
                self._early_exits, MOST_DOUBLINGS
            )
        self._early_exits = self._early_exits + 1 if is_early else 0
        lost_redis = code == EXIT_WITHOUT_REDIS
        if not self.stopping and code and not lost_redis:
            self._warn(f"worker {worker.name}: {ended_by(code)}{worker.failure}")
        if worker.job:
            blamed = worker.blamed(lost_redis=lost_redis)
            uncounted = [name for name in worker.begun if name not in blamed]
            killed = blamed if worker.was_killed_from_outside() else []
            self._dead.append(_DeadWorker(worker.name, worker.task, worker.job, uncounted, killed))

    def _end(self) -> None:
        self.stopping = True
        for worker in self._workers:
            worker.terminate()
        self._delivery.terminate()
        limit = time.monotonic() + STOP_WAIT
        while self._is_any_running() and time.monotonic() < limit:
            for worker in self._workers:
                self._read_reports(worker)  # otherwise a worker would block on a full pipe
            with suppress(redis.RedisError):
                self._renew_if_due()
            time.sleep(0.02)
        for worker in list(self._workers):
            worker.kill()
            self._remove(worker)
        with suppress(redis.RedisError):  # this error may be the reason to end; leases expire by themselves
            self._delivery.kill(self.redis)
            self._free_dead()
            self._problems.clear()
            self.presence.leave()

    def _is_any_running(self) -> bool:
        return self._delivery.is_running() or any(worker.process.is_alive() for worker in self._workers)

    def _warn(self, text: str, worker: SupervisedWorker | None = None) -> None:
        ids = {"task": worker.task, "page": worker.page} if worker is not None else {}
        log.warning("%s", text, extra=ids)
        self.presence.note_error(text)

    def _notice(self, text: str) -> None:
        self.presence.note_error(text)
        if self._on_notice is not None:
            self._on_notice(text)
        else:
            log.warning("%s", text)

    def _problem_changed(self, problem: PresentProblem, is_over: bool) -> None:
        if self._on_problem is not None:
            self._on_problem(problem, is_over)
        else:
            log.error("%s", problem.in_words(is_over))


def _work(url: str, times: WorkerTimes, name: str, watch: Watch) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    try:
        work(url, name, watch, times=times)
    except Exception as error:
        watch.failed(concealed(f"{type(error).__name__}: {error}"))
        raise
