"""The delivery process of a node: its supervisor starts it when rows wait, and replaces one that dies or is silent."""

import signal
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import redis

from ..processes import STOP_SIGNALS, ended_by, name_process
from ..redis_access.connection import client
from ..reporting.worker_reports import Watch
from ..writing.delivery import EXIT_STALLED, Delivery, DeliveryTimes, Draining
from ..writing.row_queue import free_queues, has_queues
from .reporting_process import ReportingProcess

LOOK_EVERY = 0.5  # seconds between two checks whether rows wait
PROCESS_NAME = "delivery"
SILENCE = 15.0  # seconds without a report after which the process is killed
PAUSE_AFTER_EXIT = 1.0  # seconds until a process that ended is replaced


class SupervisedDelivery:
    """At most one delivery process, for the Redis at `url`. `draining` as for `Delivery`.

    `report` gets the messages of the process, `warn` messages about its end.
    """

    def __init__(
        self,
        url: str,
        report: Callable[[dict[str, Any]], object],
        warn: Callable[[str], None],
        *,
        draining: Draining = "",
        times: DeliveryTimes | None = None,
        silence: float = SILENCE,
    ):
        self.url, self.report, self.warn, self.draining = url, report, warn, draining
        self.times, self.silence = times or DeliveryTimes(), silence
        self.running: ReportingProcess | None = None
        self._heard = self._looked = self._not_before = 0.0
        self._dead: list[str] = []  # names of processes that ended and may still have leases

    def files(self) -> list[int]:
        """Return the open files of this process that a forked worker is to close."""
        return [] if self.running is None else [self.running.reports]

    def start_if_needed(self, connection: "redis.Redis", inherited: Sequence[int]) -> None:
        """Start the process if rows wait; free the leases of one that ended. `inherited`: files that it is to close."""
        while self._dead:
            free_queues(connection, self._dead[0])
            del self._dead[0]  # only now, so that it is repeated after an error of Redis
        now = time.monotonic()
        if self.running is not None or now < self._not_before or now - self._looked < LOOK_EVERY:
            return
        self._looked = now
        if has_queues(connection):
            deliver = partial(_deliver, self.url, self.draining, self.times)
            self.running, self._heard = ReportingProcess(deliver, inherited), time.monotonic()

    def check(self, *, is_outage: bool) -> None:
        """Read the reports of the process; kill it if it is silent, except while Redis is unavailable. Note its end."""
        if self.running is None:
            return
        self._read(self.running)
        if is_outage:
            self._heard = time.monotonic()
        elif time.monotonic() - self._heard > self.silence:
            self.warn(f"the delivery process reported nothing for {self.silence:.0f} s; it is killed")
            self.running.kill()
        if not self.running.process.is_alive():
            self._remove(self.running)

    def terminate(self) -> None:
        """Let the process finish its present batches and end."""
        if self.running is not None:
            self.running.terminate()

    def is_running(self) -> bool:
        """Whether the process is alive. Also reads its reports, since it would block on a full pipe."""
        if self.running is None:
            return False
        self._read(self.running)
        return self.running.process.is_alive()

    def kill(self, connection: "redis.Redis") -> None:
        """Kill the process, if it does not end by itself, and free its leases. Raises `redis.RedisError`."""
        if self.running is not None:
            self.running.kill()
            self._remove(self.running, is_expected=True)
        while self._dead:
            free_queues(connection, self._dead.pop())

    def _read(self, running: ReportingProcess) -> None:
        for message in running.messages():
            self._heard = time.monotonic()
            if "alive" not in message:
                self.report(message)

    def _remove(self, ended: ReportingProcess, *, is_expected: bool = False) -> None:
        self._read(ended)
        code = ended.close()
        if code and code != EXIT_STALLED and not is_expected:  # a stalled target is a problem that was reported
            self.warn(f"delivery process: {ended_by(code)}; it is replaced")
        self._dead.append(ended.name)
        self.running = None
        self._not_before = time.monotonic() + PAUSE_AFTER_EXIT


def _deliver(url: str, draining: Draining, times: DeliveryTimes, name: str, watch: Watch) -> None:
    """Run the process until SIGTERM."""
    delivery = Delivery(client(url, retries=1, timeout=5.0), name, draining=draining, times=times, watch=watch)
    signal.signal(signal.SIGTERM, delivery.stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    name_process(PROCESS_NAME)
    delivery.run()
