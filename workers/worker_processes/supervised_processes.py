"""The supervisor's records of its processes: an extraction worker, with its reports and time limits, and the delivery.

The supervisor starts the delivery process of its node when rows wait, and replaces it if it dies or is silent.
"""

import signal
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

from ..processes import STOP_SIGNALS, name_process
from ..redis_access.connection import client
from ..reporting.worker_reports import Watch
from ..url_states import Fingerprint
from ..writing.delivery import Delivery, DeliveryTimes, Draining
from .reporting_process import ReportingProcess

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
