"""Whole files in folders of this machine, written under a temporary name and renamed."""

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from workers.errors import OutputError, SinkUnavailable
from workers.sinks.durability import Durability, make_folder, sync_folder

from .object_store import StoreAddress

TEMPORARY = ".part"  # temporary names are hidden, too: programs that read a folder of files ignore them


def open_folder(address: StoreAddress) -> "FolderStore":
    """Return the store of `file:///path`. Raises `OutputError` if the address names another machine."""
    if address.host not in ("", "localhost"):
        raise OutputError(f"output {address.name}: write file:///path, with an absolute path")
    return FolderStore(address.name)


def temporary_name(name: str) -> str:
    """Return a temporary name for an object, which no other process uses."""
    return f".{name}.{uuid4().hex[:12]}{TEMPORARY}"


def is_leftover(other: str, name: str) -> bool:
    """Whether `other` is a temporary name of the object `name`."""
    return other.startswith(f".{name}.") and other.endswith(TEMPORARY)


class FolderStore:
    """Files by their absolute paths. With durability `safe` a file is on disk when `put` returns."""

    readers = 1

    def __init__(self, name: str, durability: Durability = "safe"):
        self.name = name
        self.durability = durability

    def put(self, path: str, data: bytes, *, is_again: bool) -> None:
        """Write a file under a temporary name and rename it. Leftovers of a killed process are removed."""
        final = Path(path)
        temporary = final.with_name(temporary_name(final.name))
        try:
            make_folder(final.parent, self.durability)
            if is_again:
                self._remove_leftovers(final)
            try:
                self._write(temporary, data)
                temporary.rename(final)
            except OSError:
                with suppress(OSError):
                    temporary.unlink()
                raise
            if self.durability == "safe":
                sync_folder(final.parent)
        except OSError as error:
            raise self._unavailable("cannot be written", error) from None

    def names(self, folder: str, start: str) -> list[str]:
        """Return the files of a folder whose names begin with `start`; none if there is no such folder."""
        try:
            with os.scandir(Path(folder)) as files:
                return [file.path for file in files if file.name.startswith(start) and file.is_file()]
        except FileNotFoundError:
            return []
        except OSError as error:  # such as a file in place of the folder or of one above it
            raise self._unavailable("cannot be read", error) from None

    def read(self, path: str) -> bytes:
        """Return the bytes of a file."""
        try:
            return Path(path).read_bytes()
        except OSError as error:
            raise self._unavailable("cannot be read", error) from None

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        """Open a file."""
        try:
            with Path(path).open("rb") as file:
                yield file
        except OSError as error:
            raise self._unavailable("cannot be read", error) from None

    def check(self, folder: str) -> None:
        """Create the folder, and create and remove a file in it."""
        probe = Path(folder) / temporary_name("check")
        try:
            make_folder(Path(folder), self.durability)
            probe.write_bytes(b"")
            probe.unlink()
        except OSError as error:
            raise self._unavailable("cannot be written", error) from None

    def close(self) -> None:
        """Do nothing: nothing is open between calls."""

    def _write(self, path: Path, data: bytes) -> None:
        with path.open("wb") as file:
            file.write(data)
            file.flush()
            if self.durability == "safe":
                os.fsync(file.fileno())

    def _remove_leftovers(self, final: Path) -> None:
        for other in final.parent.glob(f".{glob.escape(final.name)}.*{TEMPORARY}"):
            other.unlink(missing_ok=True)

    def _unavailable(self, what: str, error: OSError) -> SinkUnavailable:
        return SinkUnavailable(f"output unavailable: {self.name} {what}: {error.strerror or type(error).__name__}")
