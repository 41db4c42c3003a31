"""A forked process that reports to this one over a pipe: an extraction worker, or the delivery process."""

import logging
import multiprocessing
import os
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..log_ids import node_name
from ..processes import die_with_parent, signals_blocked
from ..reporting.worker_reports import Watch, messages


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
