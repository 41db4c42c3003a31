"""How a worker tells its supervisor which page it has in hand, so that it can be ended at the page's deadline.

One line of JSON a message, over a pipe. A line is shorter than PIPE_BUF, so it is never torn.
"""

import json
import os
import select
from collections.abc import Iterator, Sequence
from typing import Protocol

TROUBLE_LENGTH = 300  # characters, of at most 12 bytes each in JSON: below PIPE_BUF (4096)


class Watch(Protocol):
    """What a station reports."""

    def job(self, task: str, names: Sequence[str]) -> None:
        """A job is in hand: these pages have to be rung for again if the worker dies. No names: the job is done."""
        ...

    def begin(self, task: str, name: str, seconds: float) -> None:
        """A page is in hand; it should be done within `seconds`."""
        ...

    def end(self) -> None:
        """No page is in hand, or none whose time is bounded."""
        ...

    def trouble(self, text: str) -> None:
        """Something a person should read, such as a full disk."""
        ...


class NoWatch:
    """For a station without a supervisor."""

    def job(self, task: str, names: Sequence[str]) -> None:
        """Nobody listens."""

    def begin(self, task: str, name: str, seconds: float) -> None:
        """Nobody listens."""

    def end(self) -> None:
        """Nobody listens."""

    def trouble(self, text: str) -> None:
        """Nobody listens."""


class PipeWatch:
    """Reports into the write end of a pipe."""

    def __init__(self, file: int):
        self._file = file
        self._busy = False

    def job(self, task: str, names: Sequence[str]) -> None:
        """Tell which pages came with the job."""
        self._send({"job": list(names), "task": task})

    def begin(self, task: str, name: str, seconds: float) -> None:
        """Tell which page is in hand."""
        self._busy = True
        self._send({"begin": name, "task": task, "seconds": seconds})

    def end(self) -> None:
        """Tell that the page is done."""
        if self._busy:
            self._busy = False
            self._send({"end": True})

    def trouble(self, text: str) -> None:
        """Tell what is wrong, shortened to what a pipe takes in one piece."""
        self._send({"trouble": text[:TROUBLE_LENGTH]})

    def _send(self, message: dict[str, object]) -> None:
        os.write(self._file, json.dumps(message).encode() + b"\n")


def messages(file: int, buffer: bytearray) -> Iterator[dict[str, object]]:
    """The messages that have come in over the read end of a pipe; never waits. `buffer` keeps a half line for later."""
    while select.select([file], [], [], 0)[0]:
        data = os.read(file, 65536)
        if not data:
            break
        buffer += data
    *lines, rest = bytes(buffer).split(b"\n")
    buffer[:] = rest
    yield from (json.loads(line) for line in lines)
