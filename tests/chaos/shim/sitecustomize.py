"""Loaded by every Python process of a cluster under test, before anything else: a clock that can be set wrong, and a
log of what has reached the disk.

`CHAOS_CLOCK` names a file of one double: the seconds by which this node's clock is off, at any moment.
`CHAOS_SYNCED` names a log: a line of JSON for each file that was synced, with the size that is safe from a power cut.
`CHAOS_TARGETS`, if it is set, makes a kind of outputs of `tests/workers/batch_folder.py`.
"""

import datetime
import importlib.machinery
import json
import mmap
import os
import sqlite3
import struct
import sys
import time
from pathlib import Path

SYNCHRONOUS_FULL = 2  # SQLite's PRAGMA synchronous: the log is synced at each commit


def shift_clock(path: str) -> None:
    """Let this process' wall clock be off by what the file says; monotonic clocks stay right."""
    with Path(path).open("rb") as file:
        offset = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)
    real_time, real = time.time, datetime.datetime

    def shifted() -> float:
        return real_time() + struct.unpack("d", offset[:8])[0]

    class Kind(type):
        def __instancecheck__(cls, value):
            return isinstance(value, real)

    class Shifted(real, metaclass=Kind):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(shifted(), tz)

        @classmethod
        def utcnow(cls):
            return cls.fromtimestamp(shifted(), datetime.UTC).replace(tzinfo=None)

    Shifted.__name__ = Shifted.__qualname__ = "datetime"
    time.time, time.time_ns = shifted, lambda: int(shifted() * 1e9)
    datetime.datetime = Shifted


def log_syncs(path: str) -> int:
    """Log each sync of a file after it is done, and each commit by which SQLite synced its log.

    Returns the file number of the log.
    """
    log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def synced(stat: os.stat_result) -> None:
        os.write(log, json.dumps([stat.st_ino, stat.st_size]).encode() + b"\n")

    def logged(sync):
        def sync_and_log(file) -> None:
            stat = os.fstat(file if isinstance(file, int) else file.fileno())  # before: others may append meanwhile
            sync(file)
            synced(stat)

        return sync_and_log

    class Connection(sqlite3.Connection):
        def _log_commit(self) -> None:
            if self.execute("PRAGMA synchronous").fetchone()[0] < SYNCHRONOUS_FULL:
                return
            file = self.execute("PRAGMA database_list").fetchone()[2]
            if Path(f"{file}-wal").exists():
                synced(Path(f"{file}-wal").stat())

        def __exit__(self, *error):
            held = super().__exit__(*error)
            if error[0] is None:
                self._log_commit()
            return held

        def commit(self) -> None:
            super().commit()
            self._log_commit()

    connect = sqlite3.connect
    os.fsync, os.fdatasync = logged(os.fsync), logged(os.fdatasync)
    sqlite3.connect = lambda *args, **how: connect(*args, **{"factory": Connection, **how})
    return log


def add_targets() -> None:
    """Add a kind of outputs when the kinds are imported; importing them here would slow each process down."""

    class Hook:
        def find_spec(self, name, path, target=None):
            if name not in ("workers.sinks.kinds", "crawler.task_list.validators"):
                return None
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            execute = spec.loader.exec_module

            def exec_module(module) -> None:
                execute(module)
                if name == "workers.sinks.kinds":
                    module.KINDS["folder"] = kind_of(module.Kind)
                elif hasattr(module, "_check_kind_of_output"):
                    check = module._check_kind_of_output
                    module._check_kind_of_output = lambda output: output.startswith("folder:") or check(output)

            spec.loader.exec_module = exec_module
            return spec

    def kind_of(base):
        class FolderKind(base):
            def open(self, target):
                from tests.workers.batch_folder import FolderSink

                return FolderSink(target.folder / target.address.partition(":")[2])

        return FolderKind("folder", "", schemes=("folder",), is_queued=True)

    sys.meta_path.insert(0, Hook())


if "CHAOS_CLOCK" in os.environ:
    shift_clock(os.environ["CHAOS_CLOCK"])
if "CHAOS_SYNCED" in os.environ:
    log_syncs(os.environ["CHAOS_SYNCED"])
if "CHAOS_TARGETS" in os.environ:
    add_targets()
