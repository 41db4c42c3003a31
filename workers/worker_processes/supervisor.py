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
from ..writing.delivery import EXIT_STALLED, DeliveryTimes, Draining
from ..writing.row_queue import free_queues, has_queues, rows_waiting
from .supervised_processes import SupervisedDelivery, SupervisedWorker
from .worker import EXIT_WITHOUT_REDIS, work

SWEEP_EVERY = 2.0  # seconds between two searches for lost pages
NO_PROGRESS = 60.0  # seconds without a page settled, after a problem, until the supervisor gives up
CHECK_EVERY = 0.05  # seconds between two checks of the workers
STOP_WAIT = 30.0  # seconds for workers to finish their present jobs
EARLY_EXIT = 2.0  # seconds; a worker that ended earlier than this after its start is replaced only after a pause
PAUSE_AFTER_EARLY_EXIT = 1.0  # seconds; doubled with each further early end
MOST_DOUBLINGS = 6
LOOK_EVERY = 0.5  # seconds between two checks whether rows wait
PAUSE_AFTER_DELIVERY = 1.0  # seconds until a delivery process that ended is replaced
AFTER_OUTAGE = 3.0  # seconds without a sweep, in which all supervisors renew the leases of their workers

log = logging.getLogger(__name__)


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
        until: Callable[[], bool] | None = None,
        exits_without_redis: bool = False,
        times: WorkerTimes | None = None,
        sweep_every: float = SWEEP_EVERY,
        pause_after_early_exit: float = PAUSE_AFTER_EARLY_EXIT,
        draining: Draining = "",
        delivery_times: DeliveryTimes | None = None,
    ):
        """`draining` as for `workers.writing.delivery.Delivery`.

        `until`: called a few times a second, returns whether to end; `until_empty`: end when no page and no row waits.
        With either of them rows of tasks without pages are due at once.
        """
        require_memory()
        self.url, self.count = url, count
        self._is_over = self._all_done if until_empty else until
        self.times = times or WorkerTimes()
        self.sweep_every, self.pause_after_early_exit = sweep_every, pause_after_early_exit
        # Leases and deadlines must not wait for a Redis that hangs: short time limits, and the wait is in the loop.
        self.redis: redis.Redis = client(url) if exits_without_redis else client(url, retries=1, timeout=5.0)
        self.inbox = Inbox(self.redis)
        self.presence = Presence(self.redis, "extract")
        self.stopping = False
        self._workers: list[SupervisedWorker] = []
        self._delivery: SupervisedDelivery | None = None
        self._draining: Draining = "now" if self._is_over else draining
        self._delivery_times = delivery_times or DeliveryTimes()
        self._dead: list[Callable[[], object]] = []  # free the leases of processes that have ended
        self._outage = Outage(self.redis, self._notice, exits=exits_without_redis)
        self._problems = ProblemBook(self.presence, self._problem_changed)
        self._rate = Rate()
        self._not_before = self._no_delivery_before = 0.0
        self._early_exits = 0  # since the last worker that lived longer
        self._swept = self._shown = self._renewed = float("-inf")
        self._had_problem = False
        self._progress: tuple[int, float] = (-1, 0.0)  # number of waiting pages and rows, and since when it is the same

    def run(self, on_problem: OnChange | None = None, on_notice: Callable[[str], None] | None = None) -> bool:
        """Supervise until `stop`, or until all is done (`until_empty`, `until`).

        `on_problem` gets each problem when it begins, and when it is over; `on_notice` texts on Redis. False if
        it gave up on pages whose output is unavailable; they are kept. Raises `redis.RedisError` if Redis
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
                self._check_processes()
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
        self._start_delivery()
        self._renew_if_due()
        self._show_if_due()
        self._sweep_if_due()
        if self._is_over is None:
            return None
        return True if self._is_over() else False if self._is_stuck() else None

    def _free_dead(self) -> None:
        while self._dead:
            self._dead[0]()
            del self._dead[0]  # only now, so that it is repeated after an error of Redis

    def _free_worker(
        self, name: str, task: str, job: list[Fingerprint], uncounted: list[Fingerprint], killed: list[Fingerprint]
    ) -> None:
        """End the leases of a worker, and queue its pages. `uncounted`, `killed`: as for `Ledger.free`."""
        freed = Ledger(self.redis, task).free(name, uncounted=uncounted, killed=killed)
        self.inbox.wake(task, [*dict.fromkeys([*freed, *job])], first=True)

    def _start_missing(self) -> None:
        while len(self._workers) < self.count and time.monotonic() >= self._not_before and not self.stopping:
            work_here = partial(_work, self.url, self.times)
            self._workers.append(SupervisedWorker(work_here, self._reports(), self.times.silence))

    def _start_delivery(self) -> None:
        """Start the delivery process if rows wait."""
        if self._delivery is not None or time.monotonic() < self._no_delivery_before:
            return
        self._no_delivery_before = time.monotonic() + LOOK_EVERY
        if has_queues(self.redis):
            self._delivery = SupervisedDelivery(self.url, self._draining, self._delivery_times, self._reports())

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

    def _processes(self) -> list[SupervisedWorker | SupervisedDelivery]:
        return [*self._workers, *([] if self._delivery is None else [self._delivery])]

    def _reports(self) -> list[int]:
        """Return the open files of this process that a forked one is to close."""
        return [process.reports for process in self._processes()]

    def _check_processes(self) -> None:
        for process in self._processes():
            self._read_reports(process)
            if self._outage.is_on:
                process.put_off()  # it did not cause the delay
            elif process.is_overdue():
                self._kill(process)
            if not process.process.is_alive():
                self._remove(process)

    def _kill(self, process: SupervisedWorker | SupervisedDelivery) -> None:
        """End a process that exceeded a limit. A page is blamed only if its extraction took too long."""
        limit = f"{process.limit:.0f} s"
        if isinstance(process, SupervisedDelivery):
            self._warn(f"the delivery process reported nothing for {process.limit:.0f} s; it is killed")
        elif process.stage == "page":
            text = f"task {process.task}: page {process.page} exceeded its deadline; its worker is killed"
            self._warn(text, task=process.task, page=process.page)
        elif process.stage == "writing":
            self._had_problem = True
            self._problems.note(
                f"an output of task {process.task} did not accept rows within {limit}; its worker is replaced, "
                "the pages are tried again",
                about=process.task,
            )
        else:
            self._warn(f"task {process.task}: a worker reported nothing for {limit}; it is killed")
        process.is_killed = True
        process.kill()

    def _read_reports(self, process: SupervisedWorker | SupervisedDelivery) -> None:
        """Read the reports of a process until the end: it would block on a full pipe."""
        for message in process.messages():
            self._rate.add(process.note(message))
            if "failed" in message:
                process.failure = f": {message['failed']}"
            elif "problem" in message:
                self._had_problem = True
                self._problems.note(message["problem"], about=message["about"])
            elif "wrote" in message:
                self._problems.works(message["wrote"])

    def _remove(self, process: SupervisedWorker | SupervisedDelivery) -> None:
        self._read_reports(process)
        code = process.close()
        if isinstance(process, SupervisedWorker):
            self._remove_worker(process, code)
            return
        if code and code != EXIT_STALLED and not self.stopping:  # a stalled target is a problem that was reported
            self._warn(f"delivery process: {ended_by(code)}; it is replaced")
        self._delivery, self._no_delivery_before = None, time.monotonic() + PAUSE_AFTER_DELIVERY
        self._dead.append(partial(free_queues, self.redis, process.name))

    def _remove_worker(self, worker: SupervisedWorker, code: int | None) -> None:
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
            self._dead.append(partial(self._free_worker, worker.name, worker.task, worker.job, uncounted, killed))

    def _end(self) -> None:
        self.stopping = True
        for process in self._processes():
            process.terminate()
        limit = time.monotonic() + STOP_WAIT
        while any(process.process.is_alive() for process in self._processes()) and time.monotonic() < limit:
            for process in self._processes():
                self._read_reports(process)
            with suppress(redis.RedisError):
                self._renew_if_due()
            time.sleep(0.02)
        for process in self._processes():
            process.kill()
            self._remove(process)
        with suppress(redis.RedisError):  # this error may be the reason to end; leases expire by themselves
            self._free_dead()
            self._problems.clear()
            self.presence.leave()

    def _warn(self, text: str, **ids: str) -> None:
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
