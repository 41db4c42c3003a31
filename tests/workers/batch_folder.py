"""A target of batches for tests: a folder that may be away, slow, refuse rows, or end the process that writes to it.

folder:PATH       relative to the folder of the task

rows.jsonl        the rows. One whose key is `again` is looked up, the others are appended without a look
batches.jsonl     each call of `write`: id, keys, keys that may be there
away              while it exists, the target is unavailable; for how many seconds it asks not to be tried, or nothing
slow              seconds that a batch takes
refuse            a part of the URLs whose rows are refused
kill              the next batch ends its process with SIGKILL: `before`, `half`-way, or `after` its rows
"""

import fcntl
import json
import os
import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from workers.errors import RowsRefused, SinkUnavailable
from workers.rows import key_of
from workers.sinks import KINDS, Kind

SCHEME = "folder"


@dataclass(frozen=True, slots=True)
class FolderKind(Kind):
    """The kind of these targets."""

    def open(self, target):
        return FolderSink(target.folder / target.address.partition(":")[2])


def register():
    """Let this process, and those that it forks, open such targets."""
    cast(dict, KINDS)[SCHEME] = FolderKind(SCHEME, "", schemes=(SCHEME,), is_queued=True)


class FolderSink:
    """Writes batches to a folder."""

    def __init__(self, path):
        self.path = Path(path)
        self.name = str(path)
        self.closed = False
        self.opened()

    def opened(self):
        """For tests that count sinks."""

    def write(self, batch):
        self.check()
        self._note(batch)
        if (slow := self._read("slow")) is not None:
            time.sleep(float(slow))
        kill = self._read("kill")
        if kill is not None:
            (self.path / "kill").unlink()
        part = self._read("refuse")
        refused = {key_of(row): f"{row['url']} is not wanted" for row in batch.rows if part and part in row["url"]}
        rows = [row for row in batch.rows if key_of(row) not in refused]
        if kill == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        with self._locked() as file:
            there = {key_of(row) for row in read_rows(self.path)} if batch.again else set()
            for number, row in enumerate(rows):
                if kill == "half" and number >= len(rows) // 2:
                    os.kill(os.getpid(), signal.SIGKILL)
                if key_of(row) not in batch.again or key_of(row) not in there:
                    os.write(file, json.dumps(row).encode() + b"\n")
        if kill == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        if refused:
            raise RowsRefused(refused)

    def check(self):
        self.path.mkdir(parents=True, exist_ok=True)
        if (away := self._read("away")) is not None:
            raise SinkUnavailable(f"output unavailable: {self.name} is away", wait=float(away or 0))

    def close(self):
        self.closed = True

    def _note(self, batch):
        told = {"id": batch.id, "keys": [key_of(row) for row in batch.rows], "again": sorted(batch.again)}
        with (self.path / "batches.jsonl").open("a") as file:
            file.write(json.dumps(told) + "\n")

    def _read(self, name):
        try:
            return (self.path / name).read_text()
        except FileNotFoundError:
            return None

    @contextmanager
    def _locked(self):
        file = os.open(self.path / "rows.jsonl", os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)


def read_rows(path):
    """The rows of a target."""
    return _lines(Path(path) / "rows.jsonl")


def read_batches(path):
    """What `write` was called with, in order."""
    return _lines(Path(path) / "batches.jsonl")


def _lines(file):
    """The complete lines of a file that may be written at the same time."""
    return [json.loads(line) for line in file.read_text().split("\n")[:-1]] if file.exists() else []
