"""The supervisor's records of its processes: an extraction worker, with its reports and time limits, and the delivery.

The supervisor starts the delivery process of its node when rows wait, and replaces it if it dies or is silent.
"""

import logging
import multiprocessing
import os
import signal
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal

from ..log_ids import node_name
from ..processes import STOP_SIGNALS, die_with_parent, name_process, signals_blocked
from ..redis_access.connection import client
from ..reporting.worker_reports import Watch, messages
from ..url_states import Fingerprint
from ..writing.delivery import Delivery, DeliveryTimes, Draining


class ReportingProcess:
    """The process. `work` is called in it with its name, which is unique in the cluster, and with its reports.

    The process begins with stop signals blocked, and ends with this one. `inherited`: the open files of this process
    that it closes. `limit`: seconds that it may take until its next report; 0 if there is no limit.
    """

    def __init__(self, work: Callable[[str, Watch], None], inherited: Sequence[int], limit: float = 0.0):
        self.name = f"{node_name()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self.reports, write = os.pipe()
        self._buffer = bytearray()
        args = (work, self.name, write, [self.reports, *inherited], os.getpid())
        # Not daemonic: such a process is killed when this one ends, instead of finishing its work
        self.process = multiprocessing.get_context("fork").Process(target=_run, args=args, daemon=False)
        with signals_blocked():
            self.process.start()
        os.close(write)
        self.started = time.monotonic()
        self.failure = ""  # the error that ended it, after a colon
        self.is_killed = False  # whether its supervisor killed it
        self.limit = limit
        self.put_off()

    def messages(self) -> Iterator[dict[str, Any]]:
        """Yield the reports that have arrived. Read them until the end: the process would block on a full pipe."""
        return messages(self.reports, self._buffer)

    def note(self, message: dict[str, Any]) -> int:
        """Record a report; return how many pages the process begins."""
        self.put_off()
        return 0

    def put_off(self) -> None:
        """Restart the time of the limit."""
        self.deadline = time.monotonic() + self.limit

    def is_overdue(self) -> bool:
        """Whether the process exceeded its limit."""
        return self.limit > 0 and time.monotonic() > self.deadline

    def terminate(self) -> None:
        """Let the process finish its work and end."""
        if self.process.is_alive():
            self.process.terminate()

    def kill(self) -> None:
        """End the process at once, if it is alive."""
        self.process.kill()
        self.process.join()

    def close(self) -> int | None:
        """Close the pipe of a process that has ended and whose last reports were read; return its exit code."""
        os.close(self.reports)
        return self.process.exitcode


def _run(work: Callable[[str, Watch], None], name: str, report: int, others: Sequence[int], parent: int) -> None:
    for file in others:
        os.close(file)
    os.setsid()  # Ctrl-C reaches the whole process group of the terminal, but only the supervisor stops its processes
    die_with_parent(parent=parent)
    logging.getLogger("rq").setLevel(logging.CRITICAL)
    work(name, Watch(report))


PROCESS_NAME = "delivery"
SILENCE = 15.0  # seconds without a report after which the delivery process is killed

Stage = Literal["page", "writing", "between pages"]


class SupervisedWorker(ReportingProcess):
    """A running worker and what it reported. `silence`: seconds without a report between two pages of a job."""

    def __init__(self, work: Callable[[str, Watch], None], inherited: Sequence[int], silence: float):
        super().__init__(work, inherited)
        self.silence = silence
        self.task = ""
        self.job: list[Fingerprint] = []
        self.page: Fingerprint = ""
        self.begun: list[Fingerprint] = []  # pages of the job whose attempt was counted
        self.unwritten: list[Fingerprint] = []  # pages whose rows it is writing
        self.stage: Stage = "page"

    def note(self, message: dict[str, Any]) -> int:
        """Record a report, which may begin a stage with a limit of its own."""
        if "begin" in message:
            self.page = message["begin"]
            is_new = self.page in self.job and self.page not in self.begun
            if is_new:
                self.begun.append(self.page)
            self._enter("page", message["seconds"])
            return int(is_new)
        if "writing" in message:
            self.unwritten = message["writing"]
            self._enter("writing", message["seconds"])
        elif "job" in message:
            self.task, self.job, self.page, self.begun = message["task"], message["job"], "", []
            self._enter("between pages", self.silence if self.job else 0.0)
        elif "end" in message:
            self._enter("between pages", self.silence if self.job else 0.0)
        return 0

    def _enter(self, stage: Stage, seconds: float) -> None:
        if stage != "writing":
            self.unwritten = []
        self.stage = stage
        self.limit = seconds
        self.put_off()

    def is_busy(self) -> bool:
        """Whether the worker has a job or a stage with a limit."""
        return bool(self.job) or self.limit > 0

    def blamed(self, *, lost_redis: bool) -> list[Fingerprint]:
        """Return the pages whose attempt counts, after the worker has ended: those that may be the reason.

        That is the page that it extracted, those whose rows it was writing when it died by itself, or the last one if
        it gave up (no memory).
        """
        if lost_redis or (self.stage == "writing" and self.is_killed):
            return []
        if self.stage == "writing":
            return self.unwritten
        gave_up = (self.process.exitcode or 0) >= 0
        return [self.page] if self.stage == "page" or gave_up else []

    def was_killed_from_outside(self) -> bool:
        """Whether the worker was killed by a person, or by the kernel for lack of memory, not by the supervisor."""
        return self.process.exitcode == -signal.SIGKILL and not self.is_killed


class SupervisedDelivery(ReportingProcess):
    """A running delivery process, for the Redis at `url`. `draining` as for `Delivery`."""

    def __init__(self, url: str, draining: Draining, times: DeliveryTimes, inherited: Sequence[int]):
        super().__init__(partial(_deliver, url, draining, times), inherited, SILENCE)


def _deliver(url: str, draining: Draining, times: DeliveryTimes, name: str, watch: Watch) -> None:
    """Run the process until SIGTERM."""
    delivery = Delivery(client(url, retries=1, timeout=5.0), name, draining=draining, times=times, watch=watch)
    signal.signal(signal.SIGTERM, delivery.stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    name_process(PROCESS_NAME)
    delivery.run()
