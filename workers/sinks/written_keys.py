"""The rows in the objects of a store: the keys of the objects of some days, each object read once."""

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from hashlib import blake2b

from workers.errors import SinkUnavailable
from workers.rows import Row, RowKey

from .object_names import ObjectNames
from .object_store import ObjectStore
from .paths import day_of

Versions = dict[int, str | None]  # an article's versions, each with its content hash, None if the output has none
WrittenKey = tuple[RowKey, str | None]  # row key and content hash
PATIENCE = 20.0  # seconds to read objects in one call; the next call continues
DAYS_AROUND = 1  # days before and after that of a row that is delivered again


class WrittenKeys:
    """The keys of objects, by name. An object never changes, so it is read once in the life of a process.

    Only objects of the days around the requested rows are read and kept in memory: an article takes 16 bytes and its
    versions.
    """

    def __init__(
        self,
        name: str,
        store: ObjectStore,
        names: ObjectNames,
        read_keys: Callable[[str], Iterable[WrittenKey]],
        *,
        patience: float = PATIENCE,
    ):
        self._name = name
        self._store = store
        self._names = names
        self._read_keys = read_keys
        self._patience = patience
        self._known: dict[str, dict[bytes, Versions]] = {}

    def versions(self, rows: Sequence[Row], batch: str) -> dict[bytes, Versions]:
        """Return the versions of the rows' articles in the objects of their days and the days around them.

        Objects of the batch itself do not count. Raises `SinkUnavailable` if not all objects could be read in time.
        """
        paths = self._paths({day_of(row) for row in rows}, batch)
        self._known = {path: keys for path, keys in self._known.items() if path in paths}
        self._read([path for path in paths if path not in self._known])
        asked = {article_of(row["task"], row["canonical_url"]) for row in rows}
        found: dict[bytes, Versions] = {}
        for keys in self._known.values():
            for article in asked & keys.keys():
                found.setdefault(article, {}).update(keys[article])
        return found

    def _paths(self, days: Collection[date], batch: str) -> dict[str, None]:
        around = {day + timedelta(days=more) for day in days for more in range(-DAYS_AROUND, DAYS_AROUND + 1)}
        return {
            path: None
            for day in sorted(around)
            for path in self._names.of_day(day, self._store.names(*self._names.folder_and_start(day)), batch)
        }

    def _read(self, paths: Sequence[str]) -> None:
        limit = time.monotonic() + self._patience
        with ThreadPoolExecutor(self._store.readers) as pool:
            for start in range(0, len(paths), self._store.readers):
                some = paths[start : start + self._store.readers]
                for path, keys in zip(some, pool.map(self._keys, some), strict=True):
                    self._known[path] = keys
                if time.monotonic() > limit and start + len(some) < len(paths):
                    raise SinkUnavailable(
                        f"output unavailable: {self._name}: rows that were delivered again still have to be looked up "
                        f"in {len(paths) - start - len(some)} of its objects; this continues at the next attempt"
                    )

    def _keys(self, path: str) -> dict[bytes, Versions]:
        known: dict[bytes, Versions] = {}
        for (task, canonical_url, version), content_hash in self._read_keys(path):
            known.setdefault(article_of(task, canonical_url), {})[version] = content_hash
        return known


def article_of(task: str, canonical_url: str) -> bytes:
    """Return 16 bytes that identify a task's article."""
    return blake2b(f"{task}\n{canonical_url}".encode("utf-8", "replace"), digest_size=16).digest()
