"""The delivery process of a node: its supervisor starts it when rows wait, and replaces one that dies or is silent."""

import hashlib
import json
import logging
import multiprocessing
import os
import signal
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import redis

from ..processes import STOP_SIGNALS, die_with_parent, ended_by, name_process, signals_blocked
from ..redis_access.connection import client
from ..reporting.presence import node_name
from ..reporting.worker_reports import PROBLEM_LENGTH, messages
from ..writing.delivery import EXIT_STALLED, Delivery, DeliveryTimes, Draining
from ..writing.row_queue import free_queues, has_queues

LOOK_EVERY = 0.5  # seconds between two checks whether rows wait
PROCESS_NAME = "delivery"
SILENCE = 15.0  # seconds without a report after which the process is killed
ALIVE_EVERY = 1.0  # seconds between two reports that it is at work
PAUSE_AFTER_EXIT = 1.0  # seconds until a process that ended is replaced


class SupervisedDelivery:
    """At most one delivery process, for the Redis at `url`. `draining` as for `Delivery`.

    `report` gets the messages of the process, `warn` messages about its end.
    """

    def __init__(
        self,
        url: str,
        report: Callable[[dict[str, Any]], None],
        warn: Callable[[str], None],
        *,
        draining: Draining = "",
        times: DeliveryTimes | None = None,
        silence: float = SILENCE,
    ):
        self.url, self.report, self.warn, self.draining = url, report, warn, draining
        self.times, self.silence = times or DeliveryTimes(), silence
        self.process: Any = None
        self._context = multiprocessing.get_context("fork")
        self._name = ""
        self._reports = -1
        self._buffer = bytearray()
        self._heard = self._looked = self._not_before = 0.0
        self._dead: list[str] = []  # names of processes that ended and may still have leases

    def files(self) -> list[int]:
        """Return the open files of this process that a forked worker is to close."""
        return [] if self.process is None else [self._reports]

    def start_if_needed(self, connection: "redis.Redis", inherited: Sequence[int]) -> None:
        """Start the process if rows wait; free the leases of one that ended. `inherited`: files that it is to close."""
        while self._dead:
            free_queues(connection, self._dead[0])
            del self._dead[0]  # only now, so that it is repeated after an error of Redis
        now = time.monotonic()
        if self.process is not None or now < self._not_before or now - self._looked < LOOK_EVERY:
            return
        self._looked = now
        if has_queues(connection):
            self._start(inherited)

    def check(self, *, is_outage: bool) -> None:
        """Read the reports of the process; kill it if it is silent, except while Redis is unavailable. Note its end."""
        if self.process is None:
            return
        self._read()
        if is_outage:
            self._heard = time.monotonic()
        elif time.monotonic() - self._heard > self.silence:
            self.warn(f"the delivery process reported nothing for {self.silence:.0f} s; it is killed")
            self.process.kill()
            self.process.join()
        if not self.process.is_alive():
            self._remove()

    def terminate(self) -> None:
        """Let the process finish its present batches and end."""
        if self.process is not None and self.process.is_alive():
            self.process.terminate()

    def is_running(self) -> bool:
        """Whether the process is alive. Also reads its reports, since it would block on a full pipe."""
        if self.process is None:
            return False
        self._read()
        return bool(self.process.is_alive())

    def kill(self, connection: "redis.Redis") -> None:
        """Kill the process, if it does not end by itself, and free its leases. Raises `redis.RedisError`."""
        if self.process is not None:
            self.process.kill()
            self._remove(is_expected=True)
        while self._dead:
            free_queues(connection, self._dead.pop())

    def _start(self, inherited: Sequence[int]) -> None:
        self._name = f"{node_name()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        read, write = os.pipe()
        process = self._context.Process(
            target=_deliver,
            args=(self.url, self._name, write, [read, *inherited], os.getpid(), self.draining, self.times),
            name="delivery",
            daemon=False,
        )
        with signals_blocked():
            process.start()
        os.close(write)
        self.process, self._reports, self._heard = process, read, time.monotonic()
        self._buffer.clear()

    def _read(self) -> None:
        for message in messages(self._reports, self._buffer):
            self._heard = time.monotonic()
            if "alive" not in message:
                self.report(message)

    def _remove(self, *, is_expected: bool = False) -> None:
        self.process.join()
        self._read()
        os.close(self._reports)
        code = self.process.exitcode
        if code and code != EXIT_STALLED and not is_expected:  # a stalled target is a problem that was reported
            self.warn(f"delivery process: {ended_by(code)}; it is replaced")
        self._dead.append(self._name)
        self.process = None
        self._not_before = time.monotonic() + PAUSE_AFTER_EXIT


class _PipeReports:
    """Reports into the write end of a pipe, for several threads."""

    def __init__(self, file: int):
        self._file = file
        self._lock = threading.Lock()
        self._alive = float("-inf")

    def alive(self) -> None:
        """Report once a second."""
        if time.monotonic() - self._alive >= ALIVE_EVERY:
            self._alive = time.monotonic()
            self._send({"alive": True})

    def problem(self, text: str, about: str) -> None:
        """Report a problem, truncated to what a pipe takes atomically."""
        self._send({"problem": text[:PROBLEM_LENGTH], "task": _short(about)})

    def wrote(self, about: str) -> None:
        """Report that an output takes rows again."""
        self._send({"wrote": _short(about)})

    def _send(self, message: dict[str, object]) -> None:
        with self._lock:
            os.write(self._file, json.dumps(message).encode() + b"\n")


def _short(about: str) -> str:
    """Return a short name for task and output, of which both may be long."""
    return f"delivery:{hashlib.sha256(about.encode('utf-8', 'replace')).hexdigest()[:16]}"


def _deliver(
    url: str,
    name: str,
    report: int,
    others: Sequence[int],
    parent: int,
    draining: Draining,
    times: DeliveryTimes,
) -> None:
    """Run the process until SIGTERM."""
    for file in others:
        os.close(file)
    os.setsid()  # Ctrl-C reaches the whole process group of the terminal, but only the supervisor stops this process
    connection = client(url, retries=1, timeout=5.0)
    delivery = Delivery(connection, name, draining=draining, times=times, watch=_PipeReports(report))
    signal.signal(signal.SIGTERM, delivery.stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    die_with_parent(parent=parent)
    name_process(PROCESS_NAME)
    logging.getLogger("rq").setLevel(logging.CRITICAL)
    delivery.run()
