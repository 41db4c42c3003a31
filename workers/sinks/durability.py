"""The operations of outputs on files of this machine: synchronising, replacing, locking, and the fence.

An output has a group of rows on disk before their pages are settled.
"""

import errno
import fcntl
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from workers.errors import SinkUnavailable

FIRST_PAUSE, LONGEST_PAUSE = 0.0005, 0.02  # seconds between two attempts to lock; a group is written in milliseconds


@contextmanager
def reported(name: str, what: str = "cannot be written") -> Iterator[None]:
    """Raise `SinkUnavailable` that names the output for an `OSError` in the block."""
    try:
        yield
    except OSError as error:
        raise unavailable(name, error, what) from None


def unavailable(name: str, error: Exception, what: str = "cannot be written") -> SinkUnavailable:
    """Return the error for callers."""
    return SinkUnavailable(f"output unavailable: {name} {what}: {words_of(error)}")


def words_of(error: Exception) -> str:
    """Return the words of an error of the system, else its text."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def locked(path: Path, name: str, patience: float, flags: int = 0) -> int:
    """Return the file that has a path, created if it is missing, open and locked; closing it releases the lock.

    The lock is polled, since flock has no time limit. Raises `SinkUnavailable` if another process holds it for longer
    than `patience` seconds, and `OSError`.
    """
    limit, pause = time.monotonic() + patience, FIRST_PAUSE
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | flags, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(file), path.stat()):
                return file
        except (BlockingIOError, FileNotFoundError):  # held by another process, or moved meanwhile
            pass
        except OSError:
            os.close(file)
            raise
        os.close(file)
        if time.monotonic() > limit:
            raise SinkUnavailable(f"output unavailable: {name} was held by another process for {patience:g} seconds")
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole; its content is on disk then, but not yet its name."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def rename(source: Path, path: Path) -> None:
    """Rename a file, also over another one; its new name is on disk then."""
    source.replace(path)
    sync_folder(path.parent)


def pass_fence(name: str, folder: Path, task: str, epoch: str) -> str:
    """Note that an epoch writes rows of a task; return a name of its turn, which is new if another epoch wrote last.

    When Redis fails over, its old server may go on serving the workers on its side of the network until it notices.
    Then two epochs write to one file, and each ledger lacks the rows of the other. So an output keeps, in a file for
    each task, the epoch that wrote last. If a worker finds another epoch than its own, it compares the output with its
    ledger before it writes (`workers.extraction.ledger_recovery`).

    Call it only while the output is held. `name`: that of the output in messages; `folder`: that of its fences. Where
    no file can be created in it for lack of rights, the epoch itself is returned. Raises `SinkUnavailable`.
    """
    path = folder / sha256(task.encode()).hexdigest()[:16]
    with reported(name):
        try:
            turn = path.read_text() if path.exists() else ""
            if turn.partition(" ")[0] != epoch:
                turn = f"{epoch} {secrets.token_hex(8)}"
                make_folder(folder)
                write_file(path, turn.encode())
        except PermissionError:
            return epoch
    return turn


def make_folder(folder: Path) -> None:
    """Create a folder and its parents if they are missing. Raises `OSError`; it names a parent that is a file.

    Each level is synchronised before the next one is created, so a killed process leaves at most one that is not: the
    deepest.
    """
    above = next((level for level in (folder, *folder.parents) if level.exists()), folder)
    if above.exists() and not above.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, f"{above} is a file, not a folder")
    missing = [level for level in (folder, *folder.parents) if not level.exists()]
    _sync_once(above, above.stat().st_ino)
    for level in reversed(missing):
        level.mkdir(exist_ok=True)
        sync_folder(level.parent)


@lru_cache(maxsize=1000)
def _sync_once(folder: Path, inode: int) -> None:
    """Synchronise the name of a folder that another process may have created, once in the life of this process."""
    with suppress(PermissionError):  # we cannot have created a folder in one that we may not read
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Synchronise the entries of a folder to disk.

    Otherwise a power failure loses a new file, even if its content was synchronised.
    """
    _sync(folder, os.O_DIRECTORY)


def sync_file(path: Path) -> None:
    """Synchronise a file and its name: the process that wrote it may have been killed before it did so."""
    if path.is_file():
        _sync(path)
        sync_folder(path.parent)


def _sync(path: Path, flags: int = 0) -> None:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | flags)
    try:
        os.fsync(file)
    finally:
        os.close(file)
