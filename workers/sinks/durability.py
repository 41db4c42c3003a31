"""Durability: how safe a row is from a power failure when its URL counts as written, and the operations for it.

With `safe` an output has a group of rows on disk before their pages are settled. With `fast` the operating system
writes them within about half a minute: a power failure may lose rows whose URLs count as written.
"""

import errno
import os
from pathlib import Path
from typing import Literal

Durability = Literal["safe", "fast"]


def make_folder(folder: Path, durability: Durability) -> None:
    """Create a folder and its parents if they are missing. Raises `OSError`; it names a parent that is a file."""
    above = next((level for level in (folder, *folder.parents) if level.exists()), folder)
    if above.exists() and not above.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, f"{above} is a file, not a folder")
    missing = [level for level in (folder, *folder.parents) if not level.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    if durability == "safe":
        for level in missing:
            sync_folder(level.parent)


def sync_folder(folder: Path) -> None:
    """Synchronise the entries of a folder to disk.

    Otherwise a power failure loses a new file, even if its content was synchronised.
    """
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
