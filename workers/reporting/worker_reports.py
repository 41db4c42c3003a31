"""Reports from a process to its supervisor: the pages in work, so that it renews leases and enforces time limits.

Each message is one line of JSON over a pipe. A line is shorter than PIPE_BUF, so it is written atomically, also by
several threads.
"""

import json
import os
import select
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

PROBLEM_LENGTH = 300  # characters, of at most 12 bytes each in JSON: with a task's name below PIPE_BUF (4096)
ALIVE_EVERY = 1.0  # seconds between two reports that a process is at work


@dataclass(frozen=True, slots=True)
class WorkerTimes:
    """The time limits and pauses, in seconds.

    `page_deadline`: for the extraction of one page; `write_deadline`: for the writing of rows to one output, including
    `output_patience`, the longest wait for another process that holds the output. The supervisor kills a worker that
    takes longer, or that has pages and reports nothing for `silence`. `page_lease`: how long a worker's lease of a page
    lasts unless its supervisor renews it, which it does every `renew_every`. After a pause a page is tried again:
    `sink_pause` if an output was unavailable, `claim_pause` if another page is writing its canonical URL, `task_pause`
    if its task is not published, or cannot be run as published.
    """

    page_deadline: float = 20.0
    write_deadline: float = 20.0
    output_patience: float = 10.0
    silence: float = 30.0
    page_lease: float = 10.0
    renew_every: float = 2.0
    sink_pause: float = 5.0
    claim_pause: float = 2.0
    task_pause: float = 15.0


class Watch:
    """The reports of a process to its supervisor, into the write end of a pipe.

    `file`: None for a process without a supervisor, which reports nothing.
    """

    def __init__(self, file: int | None = None):
        self._file = file
        self._busy = False
        self._wrote: set[str] = set()  # what was reported as written since the job began, or since its last problem
        self._alive = float("-inf")

    def job(self, task: str, names: Sequence[str]) -> None:
        """Report that a job has begun: these pages are queued again if the worker dies.

        An empty list means that the job is done.
        """
        self._wrote.clear()
        self.send({"job": list(names), "task": task})

    def begin(self, task: str, name: str, seconds: float) -> None:
        """Report that work on a page has begun; it must end within `seconds`."""
        self._busy = True
        self.send({"begin": name, "task": task, "seconds": seconds})

    @contextmanager
    def during(self, task: str, name: str, seconds: float) -> Iterator[None]:
        """Report that work on a page has begun, and at the end of the block that it is done."""
        self.begin(task, name, seconds)
        try:
            yield
        finally:
            self.end()

    def writing(self, task: str, names: Sequence[str], seconds: float) -> None:
        """Report that writing the rows of pages has begun, waiting for outputs included; it must end within `seconds`.

        A worker that takes longer is killed, and the attempts of these pages do not count.
        """
        self._busy = True
        self.send({"writing": list(names), "task": task, "seconds": seconds})

    def end(self) -> None:
        """Report that the page is done, or that its deadline no longer applies."""
        if self._busy:
            self._busy = False
            self.send({"end": True})

    def alive(self) -> None:
        """Report once a second that the process is working; called several times a second by one without jobs."""
        if time.monotonic() - self._alive >= ALIVE_EVERY:
            self._alive = time.monotonic()
            self.send({"alive": True})

    def problem(self, text: str, about: str) -> None:
        """Report a problem for a person, such as a full disk, truncated to what a pipe takes atomically.

        It is over when `wrote` is called for the same thing.
        """
        self._wrote.discard(about)
        self.send({"problem": text[:PROBLEM_LENGTH], "about": about})

    def wrote(self, about: str) -> None:
        """Report once that rows were written to all outputs of a task, or to one output; `about`: a short name."""
        if about not in self._wrote:
            self._wrote.add(about)
            self.send({"wrote": about})

    def failed(self, text: str) -> None:
        """Report the error that ends the worker."""
        self.send({"failed": text[:PROBLEM_LENGTH]})

    def send(self, message: dict[str, object]) -> None:
        """Send a message, one line."""
        if self._file is not None:
            os.write(self._file, json.dumps(message).encode() + b"\n")


def messages(file: int, buffer: bytearray) -> Iterator[dict[str, Any]]:
    """Yield the messages that have arrived at the read end of a pipe; never wait. `buffer` keeps a partial line."""
    while select.select([file], [], [], 0)[0]:
        data = os.read(file, 65536)
        if not data:
            break
        buffer += data
    *lines, rest = bytes(buffer).split(b"\n")
    buffer[:] = rest
    yield from (json.loads(line) for line in lines)
