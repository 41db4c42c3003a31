"""Batches as whole objects in a store: one object of a format for each batch and day.

An object appears complete or not at all, and never changes: a batch that is delivered again writes the same bytes under
the same name. Rows that may be in the objects of other batches are looked up there. A path that ends in `/` stands for
a folder of `.jsonl.gz` objects, and one without `{batch}` for a folder of that name without suffix:

    news/                            news/2026-11-22/<batch>.jsonl.gz
    news.jsonl.zst                   news/2026-11-22/<batch>.jsonl.zst
    news/{date}/all.jsonl            news/2026-11-22/all/<batch>.jsonl
    news/x-{date}-{batch}.jsonl.gz   news/x-2026-11-22-<batch>.jsonl.gz
    news.parquet                     news/day=2026-11-22/<batch>.parquet

The name contains day and batch, so that a batch that is delivered again replaces its own objects, and the objects of a
day are listed without those of other days.
"""

import re
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import blake2b
from io import BytesIO
from typing import ClassVar

from workers.errors import OutputError, SinkUnavailable
from workers.rows import Row, key_of

from .formats import RowFormat
from .interface import RowBatch, if_missing
from .kinds import Format, Target, formats
from .paths import day_of
from .stores import ObjectStore, address_of, open_store

DATE, BATCH = "{date}", "{batch}"
FOLDER_SUFFIX = ".jsonl.gz"  # suffix for a path that ends in /
_ID = r"[0-9a-f]{32}"
PATIENCE = 20.0  # seconds to read objects in one call; the next call continues
DAYS_AROUND = 1  # days before and after that of a row that is delivered again


@dataclass(frozen=True, slots=True)
class ObjectNames:
    """The names of objects. `template`: their path with `{date}` and `{batch}`, which is in the last part.

    `format`: the one that their suffix names.
    """

    template: str
    format: Format

    @property
    def root(self) -> str:
        """The folder that contains all objects, directly or below."""
        return self.template[: min(self.template.index(DATE), self.template.index(BATCH))].rpartition("/")[0]

    def path(self, day: date, batch: str) -> str:
        """Return the path of the object with the rows of a day of a batch."""
        return self.template.replace(DATE, day.isoformat()).replace(BATCH, batch)

    def folder_and_start(self, day: date) -> tuple[str, str]:
        """Return the folder of the objects of a day, and the start of their names in it."""
        folder, _, start = self.template.replace(DATE, day.isoformat()).partition(BATCH)[0].rpartition("/")
        return folder, start

    def of_day(self, day: date, paths: Iterable[str], without: str) -> list[str]:
        """Return the paths that are objects of a day, except those of the batch `without`, in order."""
        form = re.escape(self.template).replace(re.escape(DATE), day.isoformat())
        first, *others = form.split(re.escape(BATCH))
        pattern = re.compile(f"{first}(?P<batch>{_ID}){'(?P=batch)'.join(others)}")
        matches = (pattern.fullmatch(path) for path in sorted(set(paths)))
        return [match[0] for match in matches if match and match["batch"] != without]


def object_names(path: str, label: str) -> ObjectNames:
    """Return the names that a path stands for. Raises `OutputError` that names the output as `label`."""
    suffixes = {suffix: one for one in formats() for suffix in one.suffixes}
    if path.endswith("/"):
        path = path.rstrip("/") + FOLDER_SUFFIX
    suffix = next((suffix for suffix in suffixes if path.lower().endswith(suffix)), None)
    if suffix is None:
        raise OutputError(f"output {label}: use a path that ends in / or one of {', '.join(suffixes)}")
    if unknown := sorted(set(re.findall(r"\{[^{}]*\}", path)) - {DATE, BATCH}):
        raise OutputError(f"output {label}: unknown {unknown[0]}; a path may have {{task}}, {DATE} and {BATCH}")
    if BATCH not in path:
        folder = path[: -len(suffix)].rstrip("/")
        path = f"{folder}/{'' if DATE in folder else suffixes[suffix].day_folder + '/'}{BATCH}{path[-len(suffix) :]}"
    if DATE not in path:
        raise OutputError(f"output {label}: a path with {BATCH} must have {DATE} too, else all days are searched")
    if BATCH in path.rpartition("/")[0]:
        raise OutputError(f"output {label}: {BATCH} must be in the last part of the path")
    if ".." in path.split("/"):
        raise OutputError(f"output {label}: remove .. from the path")
    return ObjectNames(path, suffixes[suffix])


def open_objects(target: Target) -> "StoreSink":
    """Return the sink of a store, or of a folder, with objects of the format that the suffix names.

    Raises `OutputError` if the address is invalid or an extra is missing.
    """
    address = address_of(target)
    names = object_names(address.place, address.name)
    row_format = target.opened(names.format.opens, names.format.extra, target.options)
    return StoreSink(open_store(target, address), names, row_format)


class StoreSink:
    """Writes batches as objects.

    A row that is delivered again is looked up in the objects of its day and the adjacent days.

    If its version is there with another text, the rule of JSON lines applies: version 1 is not written again, other
    versions get the next number.
    """

    def __init__(self, store: ObjectStore, names: ObjectNames, row_format: RowFormat):
        self.name = store.name
        self._store, self._names, self._format = store, names, row_format
        self._written = WrittenKeys(store, names, row_format)

    def write(self, batch: RowBatch) -> None:
        """Write one object for each day of the rows."""
        try:
            for day, rows in sorted(_by_day(self._missing(batch)).items()):
                path = self._names.path(day, batch.id)
                self._store.put(path, self._format.encode(rows), is_again=bool(batch.again))
        except OutputError as error:  # a person has to act; until then the rows wait as for an unavailable store
            raise SinkUnavailable(f"output unavailable: {str(error).removeprefix('output ')}") from None

    def check(self) -> None:
        """Try to list and write below the folder of all objects; the store's `check` names objects that may remain."""
        self._store.check(self._names.root)

    def close(self) -> None:
        """Close the connections."""
        self._store.close()

    def _missing(self, batch: RowBatch) -> Iterator[Row]:
        """Yield the rows that no other object has, in the form to be written."""
        again = [row for row in batch.rows if key_of(row) in batch.again]
        written = self._written.versions(again, batch.id) if again else {}
        for row in batch.rows:
            is_again = key_of(row) in batch.again
            versions = written.get(article_of(row["task"], row["canonical_url"]), {}) if is_again else {}
            if (missing := if_missing(row, versions)) is not None:
                yield missing


class WrittenKeys:
    """The keys of objects, by name. An object never changes, so it is read once in the life of a process.

    Only objects of the days around the requested rows are read and kept in memory: an article takes 16 bytes and its
    versions.
    """

    _of_stores: ClassVar[dict[str, dict[str, dict[bytes, dict[int, str | None]]]]] = {}  # a batch has a sink of its own

    def __init__(self, store: ObjectStore, names: ObjectNames, row_format: RowFormat):
        self._store, self._names, self._format = store, names, row_format

    @property
    def _known(self) -> dict[str, dict[bytes, dict[int, str | None]]]:
        return self._of_stores.setdefault(self._store.name, {})

    def versions(self, rows: Sequence[Row], batch: str) -> dict[bytes, dict[int, str | None]]:
        """Return the versions of the rows' articles in the objects of their days and the days around them.

        Objects of the batch itself do not count. Raises `SinkUnavailable` if not all objects could be read in time.
        """
        paths = self._paths({day_of(row) for row in rows}, batch)
        for path in self._known.keys() - paths.keys():
            del self._known[path]
        self._read([path for path in paths if path not in self._known])
        asked = {article_of(row["task"], row["canonical_url"]) for row in rows}
        found: dict[bytes, dict[int, str | None]] = {}
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
        limit = time.monotonic() + PATIENCE
        with ThreadPoolExecutor(self._store.readers) as pool:
            for start in range(0, len(paths), self._store.readers):
                some = paths[start : start + self._store.readers]
                for path, keys in zip(some, pool.map(self._keys, some), strict=True):
                    self._known[path] = keys
                if time.monotonic() > limit and start + len(some) < len(paths):
                    raise SinkUnavailable(
                        f"output unavailable: {self._store.name}: rows that were delivered again still have to be "
                        f"looked up in {len(paths) - start - len(some)} of its objects; this continues at the next "
                        "attempt"
                    )

    def _keys(self, path: str) -> dict[bytes, dict[int, str | None]]:
        known: dict[bytes, dict[int, str | None]] = {}
        for row in self._format.rows(BytesIO(self._store.read(path))):
            if type(row.get("version")) is int:  # else this program did not write it
                article = article_of(str(row.get("task")), str(row.get("canonical_url")))
                known.setdefault(article, {})[row["version"]] = row.get("content_hash")
        return known


def article_of(task: str, canonical_url: str) -> bytes:
    """Return 16 bytes that identify a task's article."""
    return blake2b(f"{task}\n{canonical_url}".encode("utf-8", "replace"), digest_size=16).digest()


def _by_day(rows: Iterable[Row]) -> dict[date, list[Row]]:
    days: dict[date, list[Row]] = {}
    for row in rows:
        days.setdefault(day_of(row), []).append(row)
    return days
