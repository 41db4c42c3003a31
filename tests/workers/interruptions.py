"""A process that is killed at a chosen step, and what a power failure would leave of its files.

    for kill in itertools.count(1):
        disk = Disk(folder)                            what the folder has now is on the disk
        is_through = disk.run(work, 5, kill_at=kill)   a process does `work(5)`, and is killed before its step `kill`
        left = disk.after_power_failure()              a copy of the folder with nothing but what is on the disk
        …                                              the work is repeated, and the result is compared
        if is_through:
            break

A step is a request to Redis that may change something, a change of a file or folder, or its synchronisation, also by
SQLite. So a kill before a step is one after the effect of the step before it. A write is two steps: in between, half of
the data is in the file. Likewise a commit of SQLite: in between, other processes see it and it is not synchronised.

On the disk is what was synchronised: the content of a file by `fsync` or `fdatasync` of it, its name, its removal or
its new name by `fsync` of its folder. SQLite synchronises a commit as its documentation says: with `synchronous` FULL,
unless the commit deletes a rollback journal, which needs EXTRA.
"""

import json
import os
import re
import shutil
import signal
import sqlite3
from collections import Counter
from hashlib import sha256
from pathlib import Path

import redis.connection

from .small_process import run_in_fork

READS = frozenset(  # commands without an effect
    ("CLIENT", "HELLO", "INFO", "TIME", "EXISTS", "GET", "MGET", "HGET", "HMGET", "HGETALL", "HEXISTS", "HKEYS", "HLEN",
     "HSCAN", "LLEN", "LRANGE", "SCAN", "SCARD", "SISMEMBER", "SMEMBERS", "TYPE", "WATCH", "ZCARD", "ZRANGE",
     "ZRANGEBYSCORE", "ZSCORE")
)  # fmt: skip
FULL, EXTRA = 2, 3  # values of SQLite's PRAGMA synchronous
_COMMAND = re.compile(rb"\*\d+\r\n\$\d+\r\n(\w+)\r\n")
_CHANGES = ("mkdir", "rename", "replace", "rmdir", "truncate", "ftruncate", "unlink", "link", "symlink")


class Disk:
    """A folder, and a record of what of it is on the disk."""

    def __init__(self, folder):
        self.folder = folder
        self._record = folder.with_name(f"{folder.name}.disk")
        shutil.rmtree(self._record, ignore_errors=True)
        self._record.mkdir()
        for root, _, files in os.walk(folder):
            self._keep_folder(Path(root))
            for name in files:
                self._keep_file(Path(root) / name)

    def run(self, work, *arguments, kill_at=None, from_first_change=False):
        """Let a process do this work, a function of a module; return whether it came to its end.

        `kill_at`: the step at which it is killed. `from_first_change`: steps count from the first change of a file.
        """
        code = run_in_fork(_Steps(self, kill_at, from_first_change).do, work, arguments)
        assert code in (0, -signal.SIGKILL)
        return code == 0

    def after_power_failure(self):
        """Return a new folder that has what is on the disk."""
        left = self.folder.with_name(f"{self.folder.name}.left")
        shutil.rmtree(left, ignore_errors=True)
        self._build(self.folder.stat().st_ino, left)
        return left

    def synced(self, file):
        """Record that a file or folder, by its number or path, was synchronised."""
        path = Path(f"/proc/self/fd/{file}").readlink() if isinstance(file, int) else file
        if self.folder not in (path, *path.parents) or not path.exists():
            return
        if path.is_dir():
            self._keep_folder(path)
        else:
            self._keep_file(path)
        for other in path.parent.iterdir() if path.name.endswith(("-wal", "-journal")) else ():
            if path.name.startswith(other.name):
                self._keep_file(other)  # SQLite synchronises a database before its log

    def committed(self, path):
        """Record that a SQLite file was synchronised, with its log and their names."""
        present = self._entries(path.parent)
        kept = json.loads(self._of(path.parent).read_text()) if self._of(path.parent).exists() else {}
        for name in (path.name, f"{path.name}-wal", f"{path.name}-journal"):
            kept.pop(name, None)
            if name in present:
                kept[name] = present[name]
                self._keep_file(path.with_name(name))
        self._of(path.parent).write_text(json.dumps(kept))

    def _of(self, path):
        return self._record / str(path.stat().st_ino)

    def _keep_file(self, path):
        self._of(path).write_bytes(path.read_bytes())
        pin = self._record / f"{path.stat().st_ino}.pin"
        if not pin.exists():
            os.link(path, pin)  # so that no other file gets its number

    def _keep_folder(self, path):
        self._of(path).write_text(json.dumps(self._entries(path)))

    @staticmethod
    def _entries(path):
        with os.scandir(path) as entries:
            return {entry.name: (entry.inode(), entry.is_dir()) for entry in entries}

    def _build(self, number, target):
        target.mkdir()
        record = self._record / str(number)
        for name, (inner, is_folder) in (json.loads(record.read_text()) if record.exists() else {}).items():
            content = self._record / str(inner)
            if is_folder:
                self._build(inner, target / name)
            else:
                (target / name).write_bytes(content.read_bytes() if content.exists() else b"")


class _Steps:
    """Counts the steps of a process, and kills it at one of them."""

    def __init__(self, disk, kill_at, from_first_change):
        self.disk, self._kill_at, self._counts = disk, kill_at, not from_first_change
        self._number = 0

    def do(self, work, arguments):
        """Do the work in this process."""
        self._pid = os.getpid()
        for name in _CHANGES:
            setattr(os, name, self._stepped(getattr(os, name)))
        os.write = self._halved(os.write)
        os.fsync = os.fdatasync = self._sync
        sqlite3.connect = self._connecting(sqlite3.connect)
        connection = redis.connection.AbstractConnection
        connection.send_packed_command = self._sending(connection.send_packed_command)
        work(*arguments)

    def step(self, *, is_change=True):
        """Count a step."""
        self._counts |= is_change
        self._number += self._counts
        if self._counts and self._number == self._kill_at and os.getpid() == self._pid:
            os.kill(self._pid, signal.SIGKILL)

    def _stepped(self, change):
        def stepped(*args, **options):
            self.step()
            return change(*args, **options)

        return stepped

    def _halved(self, write):
        def halved(file, data):
            self.step()
            half = write(file, data[: len(data) // 2])
            self.step()
            return half + write(file, data[half:])

        return halved

    def _sync(self, file):
        self.step()
        self.disk.synced(file if isinstance(file, int) else file.fileno())

    def _sending(self, send):
        def sending(connection, command, *args, **options):
            data = b"".join(command) if isinstance(command, list) else command
            if not READS.issuperset(name.decode().upper() for name in _COMMAND.findall(data)):
                self.step(is_change=False)
            return send(connection, command, *args, **options)

        return sending

    def _connecting(self, connect):
        steps = self

        class Connection(sqlite3.Connection):
            content = b""

            def execute(self, *args):
                return self._changing(super().execute, *args)

            def executemany(self, *args):
                return self._changing(super().executemany, *args)

            def commit(self):
                steps.step()
                self._changing(super().commit)

            def __exit__(self, *error):
                steps.step()
                return self._changing(super().__exit__, *error)

            def close(self):
                [path], super_close = [Path(super().execute("PRAGMA database_list").fetchone()[2])], super().close
                is_safe = self._is_safe()
                super_close()
                if is_safe and path.exists():  # the log was synchronised, and copied to the database
                    steps.disk.committed(path)

            def _is_safe(self):
                [mode], [level] = (super(Connection, self).execute(f"PRAGMA {what}").fetchone() for what in _PRAGMAS)
                return level >= (EXTRA if mode == "delete" else FULL)

            def _changing(self, call, *args):
                result = call(*args)
                path = Path(super().execute("PRAGMA database_list").fetchone()[2])
                content = self._digest(path)
                if not self.in_transaction and content != self.content:
                    self.content = content
                    steps.step()
                    if self._is_safe():
                        steps.disk.committed(path)
                return result

            def _digest(self, path):
                files = (path, path.with_name(f"{path.name}-wal"))
                return sha256(b"|".join(file.read_bytes() for file in files if file.exists())).digest()

            def __init__(self, *args, **options):
                super().__init__(*args, **options)
                self.content = self._digest(Path(super().execute("PRAGMA database_list").fetchone()[2]))

        return lambda *args, **options: connect(*args, **{"factory": Connection, **options})


_PRAGMAS = ("journal_mode", "synchronous")


def by_url(pairs):
    """Return a mapping of (url, body) pairs. Fails if a URL is there twice."""
    pairs = list(pairs)
    twice = [url for url, number in Counter(url for url, _ in pairs).items() if number > 1]
    assert not twice, f"twice: {twice}"
    return dict(pairs)
