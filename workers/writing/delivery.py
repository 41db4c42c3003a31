"""The delivery of queued rows: one process per node takes batches from the row queues and writes them to their outputs.

    row queue ──take (lease)──▶ batch ──sink.write──▶ finish      the output has the rows
                                             │
                                             └──▶ put_off         unavailable: tried again after a growing pause

Each target has its own thread, so one that stalls does not delay the others; queues with the same output as in
tasks.yaml share one. Any number of processes may deliver, on any number of machines: the lease of a queue lets one of
them at a time write to its output. A process that dies loses its leases, and another one writes the same batch again.
"""

import logging
import os
import threading
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Literal

import redis

from .. import keys
from ..addresses import shown
from ..errors import ExemplarError, OutputError, RowsRefused, SinkUnavailable
from ..extraction_config import ExtractionConfig, config_of
from ..ledger import Ledger
from ..redis_access.outage import Outage
from ..redis_access.redis_clock import clock_of
from ..reporting.worker_reports import Watch
from ..sinks import OutputOptions, RowBatch, open_sink
from ..sinks.interface import write_batch
from ..url_states import fingerprint
from .output_states import queue_states
from .outputs import options_of
from .refused_rows import keep_refused
from .row_queue import FIRST_PAUSE, LONGEST_PAUSE, Due, RowQueue, all_queues, due_queues

EXIT_STALLED = 4  # exit code of a process that ended because a target did not return
BATCHES_IN_TURN = 20  # batches of a queue before other queues with the same output have their turn
THREADS = 8  # targets that are written at the same time
RENEW_EVERY = 3.0  # seconds after which the leases of queues are renewed
STOP_WAIT = 25.0  # seconds for the present batches when the process stops
REMOVED_OUTPUT_KEPT = 86400.0  # seconds for which an unavailable output is tried after its removal from the task

Queue = tuple[str, str]  # task, output
Draining = Literal["", "idle", "now"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DeliveryTimes:
    """The times of delivery in seconds, which tests shorten.

    `look_every`: between two checks for queues that are due; `first_pause`, `longest_pause`: until an unavailable
    output is tried again; `write_limit`: after which the process ends because a target does not return.
    """

    look_every: float = 0.25
    first_pause: float = FIRST_PAUSE
    longest_pause: float = LONGEST_PAUSE
    write_limit: float = 120.0


class Delivery:
    """Delivers rows from the queues of one Redis until `stop`. `holder`: the name of the process in its leases.

    `draining`: rows are due at once, "idle" for tasks that neither run nor have pages that wait, "now" for those
    without such pages.
    """

    def __init__(
        self,
        connection: "redis.Redis",
        holder: str,
        *,
        draining: Draining = "",
        times: DeliveryTimes | None = None,
        watch: Watch | None = None,
    ):
        self.redis, self.holder, self.draining = connection, holder, draining
        self.times = times or DeliveryTimes()
        self.watch = watch or Watch()
        self.clock = clock_of(connection).now
        self._outage = Outage(connection, lambda text: None)  # the supervisor reports outages
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._threads: dict[str, threading.Thread] = {}  # by output
        self._writing: dict[Queue, tuple[RowQueue, float]] = {}  # that are leased, and since when (monotonic seconds)
        self._tried: set[Queue] = set()  # queues that were tried while draining
        self._renewed = time.monotonic()

    def run(self) -> None:
        """Deliver until `stop`, then finish the present batches. Raises `redis.RedisError` that will not pass."""
        while not self._stopping.is_set():
            self.watch.alive()
            self._outage.attempt(self._serve)
            self._end_if_stalled()
            self._stopping.wait(self.times.look_every)
        self._finish()

    def stop(self, *_: object) -> None:
        """Return from `run` after the present batches. Safe in a signal handler."""
        self._stopping.set()

    def deliver_due(self) -> int:
        """Deliver in this thread what is due now; return the number of batches. For tests and for use as a library."""
        return sum(self._deliver(queue) for queue in self._due())

    # -- the process ------------------------------------------------------------------------------------------------

    def _serve(self) -> None:
        """Do all steps that need Redis, except the deliveries."""
        self._renew_if_due()
        by_output: dict[str, list[Queue]] = {}
        for queue in self._due():
            by_output.setdefault(queue[1], []).append(queue)
        self._threads = {output: thread for output, thread in self._threads.items() if thread.is_alive()}
        for output, queues in by_output.items():
            if output not in self._threads and len(self._threads) < THREADS:
                thread = threading.Thread(target=self._deliver_all, args=(queues,), name="delivery", daemon=True)
                self._threads[output] = thread
                thread.start()

    def _renew_if_due(self) -> None:
        if time.monotonic() - self._renewed < RENEW_EVERY:
            return
        with self._lock:
            writing = list(self._writing.values())
        for rows, _ in writing:
            rows.renew(self.holder)
        self._renewed = time.monotonic()

    def _due(self) -> list[Queue]:
        if not self.draining:
            return due_queues(self.redis)
        due, now = set(due_queues(self.redis)), []
        for queue in all_queues(self.redis):
            if queue in due or self._is_idle(queue[0]):
                now.append(queue)
        return now

    def _is_idle(self, task: str) -> bool:
        """Whether no further rows of a task are expected now."""
        if Ledger(self.redis, task).counts().states["fetched"]:
            return False
        if self.draining == "now":
            return True
        pipe = self.redis.pipeline(transaction=False)
        pipe.zscore(keys.RUNNING, task)
        pipe.zscore(keys.DUE, task)
        return all(score is None for score in pipe.execute())

    def _end_if_stalled(self) -> None:
        """End the process if a target does not return, since a thread cannot be ended.

        The supervisor starts another process.
        """
        with self._lock:
            limit = time.monotonic() - self.times.write_limit
            stalled = [(queue, rows) for queue, (rows, since) in self._writing.items() if since < limit]
        for queue, rows in stalled:
            text = f"output unavailable: {shown(queue[1])} did not accept rows within {self.times.write_limit:.0f} s"
            self.watch.problem(text, _about(queue))
            self._outage.attempt(partial(rows.put_off, self.holder, text))
        if stalled:
            os._exit(EXIT_STALLED)

    def _finish(self) -> None:
        limit = time.monotonic() + STOP_WAIT
        while any(thread.is_alive() for thread in self._threads.values()) and time.monotonic() < limit:
            self.watch.alive()
            self._outage.attempt(self._renew_if_due)
            time.sleep(0.05)

    # -- the thread of a target -------------------------------------------------------------------------------------

    def _deliver_all(self, queues: Sequence[Queue]) -> None:
        for queue in queues:
            try:
                for _ in range(BATCHES_IN_TURN):
                    if self._stopping.is_set() or not self._deliver(queue):
                        break
            except redis.RedisError as error:  # the main thread notices it, too, and waits
                log.debug("delivery to %s: %s", shown(queue[1]), error)
                return

    def _deliver(self, queue: Queue) -> bool:
        """Deliver the next batch of a queue. False if nothing was delivered."""
        task, output = queue
        config = config_of(self.redis, task)
        options = options_of(config, output) if config else OutputOptions()
        rows = RowQueue(self.redis, task, output, options)
        batch = rows.take(self.holder, self._due_now(queue))
        if batch is None:
            return False
        with self._lock:
            self._writing[queue] = rows, time.monotonic()
        try:
            problem = self._write(config, queue, options, batch)
        finally:
            with self._lock:
                del self._writing[queue]
        if problem is not None:
            self._put_off(config, queue, rows, problem)
            return False
        rows.finish(self.holder, batch)
        _log_delivered(batch, queue)
        self.watch.wrote(_about(queue))
        return True

    def _due_now(self, queue: Queue) -> Due:
        if not self.draining or not self._is_idle(queue[0]):
            return "due"
        if queue in self._tried:
            return "now"
        self._tried.add(queue)
        return "always"

    def _write(
        self, config: ExtractionConfig | None, queue: Queue, options: OutputOptions, batch: RowBatch
    ) -> ExemplarError | None:
        """Write a batch, and keep the rows that the output refuses. Returns why it cannot be written now."""
        task, output = queue
        if config is None:
            return SinkUnavailable(f"task {task} is not published; its rows wait for {shown(output)}")
        try:
            try:
                _write_to(config, output, options, batch)
            except RowsRefused as error:
                kept = keep_refused(self.redis, task, output, batch.rows, error.reasons)
                log.warning("task %s: %s refuses %d row(s); they are kept", task, shown(output), kept)
        except (SinkUnavailable, OutputError) as error:
            return error
        except redis.RedisError:
            raise
        except Exception as error:  # a defect of the program or of a library; its text may contain a secret
            lines = "".join(traceback.format_tb(error.__traceback__))
            log.error("task %s: output %s: %s\n%s", task, shown(output), type(error).__name__, lines)
            return SinkUnavailable(
                f"output unavailable: {shown(output)}: unexpected {type(error).__name__}; see the log"
            )
        return None

    def _put_off(self, config: ExtractionConfig | None, queue: Queue, rows: RowQueue, problem: ExemplarError) -> None:
        task, output = queue
        [state], text = queue_states(self.redis, [(task, output)]), str(problem)
        is_removed = config is not None and output not in config.outputs
        if is_removed:
            text += f"; task {task} no longer has this output: its rows are dropped after a day"
        if is_removed and state.problem_since is not None and self.clock() - state.problem_since > REMOVED_OUTPUT_KEPT:
            log.error(
                "task %s no longer has output %s; %d rows are dropped", task, shown(output), rows.discard(self.holder)
            )
            return
        self.watch.problem(text, _about((task, output)))
        wait = problem.wait if isinstance(problem, SinkUnavailable) else 0.0
        first, longest = self.times.first_pause, self.times.longest_pause
        rows.put_off(self.holder, text, first=first, longest=longest, wait=wait)


def _write_to(config: ExtractionConfig, output: str, options: OutputOptions, batch: RowBatch) -> None:
    """Write a batch to an output. Raises what its sink raises."""
    sink = open_sink(output, config.task, Path(config.folder), options)
    try:
        write_batch(sink, batch)
    finally:
        with suppress(Exception):  # the target may be unavailable
            sink.close()


def _about(queue: Queue) -> str:
    """Return a short name of a queue for reports: task and output may both be long."""
    return f"delivery:{sha256(' '.join(queue).encode('utf-8', 'replace')).hexdigest()[:16]}"


def _log_delivered(batch: RowBatch, queue: Queue) -> None:
    if log.isEnabledFor(logging.INFO):
        for row in batch.rows:
            ids = {"task": queue[0], "page": fingerprint(row.get("listed_on") or row["url"])}
            log.info("delivered %s to %s", row["url"], shown(queue[1]), extra=ids)
