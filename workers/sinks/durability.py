"""Durability: how safe a row is from a power failure when its URL counts as written, and the operations for it.

With `safe` an output has a group of rows on disk before their pages are settled. With `fast` the operating system
writes them within about half a minute: a power failure may lose rows whose URLs count as written.
"""

import errno
import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Literal

Durability = Literal["safe", "fast"]


def make_folder(folder: Path, durability: Durability) -> None:
    """Create a folder and its parents if they are missing. Raises `OSError`; it names a parent that is a file.

    Each level is synchronised before the next one is created, so a killed process leaves at most one that is not: the
    deepest.
    """
    above = next((level for level in (folder, *folder.parents) if level.exists()), folder)
    if above.exists() and not above.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, f"{above} is a file, not a folder")
    missing = [level for level in (folder, *folder.parents) if not level.exists()]
    if durability == "safe":
        _sync_once(above, above.stat().st_ino)
        for level in reversed(missing):
            level.mkdir(exist_ok=True)
            sync_folder(level.parent)
    folder.mkdir(parents=True, exist_ok=True)


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


def sync_file(path: Path, durability: Durability) -> None:
    """Synchronise a file and its name, with `safe`: the process that wrote it may have been killed before it did so."""
    if durability == "safe" and path.is_file():
        _sync(path)
        sync_folder(path.parent)


def _sync(path: Path, flags: int = 0) -> None:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | flags)
    try:
        os.fsync(file)
    finally:
        os.close(file)
