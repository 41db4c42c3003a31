"""Batches as whole objects in a store: one object for each batch and day, JSON lines or Parquet.

An object appears complete or not at all, and never changes: a batch that is delivered again writes the same bytes under
the same name. Rows that may be in the objects of other batches are looked up there.
"""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Protocol

import zstandard

from workers.errors import OutputError, SinkUnavailable
from workers.rows import Row, RowKey, key_of

from .interface import RowBatch
from .kinds import Target
from .object_names import ObjectNames, object_names
from .object_store import ObjectStore, open_object_store, parse_address
from .options import OutputOptions
from .paths import day_of
from .written_keys import Versions, WrittenKey, WrittenKeys, article_of

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson")


class ObjectFormat(Protocol):
    """The format of the rows of an object."""

    def encode(self, rows: Sequence[Row]) -> bytes:
        """Return the bytes of an object; the same for the same rows."""
        ...

    def keys(self, store: ObjectStore, path: str) -> Iterable[WrittenKey]:
        """Yield the keys of an object's rows. Raises `SinkUnavailable`; of a damaged object only the readable ones."""
        ...


def open_store(target: Target) -> "StoreSink":
    """Return the sink of the address of a store. Raises `OutputError` if it is invalid or its extra is missing."""
    return open_objects(target, SUFFIXES, lambda names: LinesFormat(names.template, target.options))


def open_objects(
    target: Target,
    suffixes: Sequence[str],
    format_of: Callable[[ObjectNames], ObjectFormat],
    **more: str,
) -> "StoreSink":
    """Return the sink of an address with objects of a format. `more`: as for `object_names`."""
    address = parse_address(target)
    names = object_names(address.object_path, suffixes, address.name, **more)
    return StoreSink(address.name, open_object_store(address, target), names, format_of(names))


class StoreSink:
    """Writes batches as objects.

    A row that is delivered again is looked up in the objects of its day and the adjacent days.

    If its version is there with another text, the rule of JSON lines applies: version 1 is not written again, other
    versions get the next number.
    """

    def __init__(self, name: str, store: ObjectStore, names: ObjectNames, object_format: ObjectFormat):
        self.name = name
        self._store = store
        self._names = names
        self._format = object_format
        self._written = WrittenKeys(name, store, names, lambda path: object_format.keys(store, path))

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
        written: dict[bytes, Versions] = self._written.versions(again, batch.id) if again else {}
        taken: set[RowKey] = set()
        for row in batch.rows:
            if key_of(row) in taken:
                continue
            taken.add(key_of(row))
            versions = written.get(article_of(row["task"], row["canonical_url"]), {})
            if key_of(row) not in batch.again or row["version"] not in versions:
                yield row
            elif row["version"] > 1 and not {row.get("content_hash"), None} & {*versions.values()}:
                yield {**row, "version": max(versions) + 1}


class LinesFormat:
    """JSON lines, compressed according to the suffix."""

    def __init__(self, path: str, options: OutputOptions):
        self._suffix = path.lower().rpartition(".")[2]
        self._options = options

    def encode(self, rows: Sequence[Row]) -> bytes:
        """Return one line per row, in order."""
        shaped = (self._options.shaped(row, with_key=True) for row in rows)
        lines = (json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for row in shaped)
        data = b"".join(lines)
        if self._suffix == "gz":
            return gzip.compress(data, 6, mtime=0)
        return zstandard.compress(data) if self._suffix == "zst" else data

    def keys(self, store: ObjectStore, path: str) -> Iterator[WrittenKey]:
        """Yield the keys of the complete rows.

        Rows that cannot be decoded are skipped, since no reader could read them either.
        """
        data = store.read(path)
        try:
            data = self._decompressed(data)
        except (EOFError, OSError, ValueError, zstandard.ZstdError):
            return
        read = key_reader(self._options)
        for line in data.split(b"\n"):
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if key := read(row):
                yield key

    def _decompressed(self, data: bytes) -> bytes:
        if self._suffix == "gz":
            return gzip.decompress(data)
        if self._suffix == "zst":
            return zstandard.ZstdDecompressor().decompressobj().decompress(data)
        return data


def key_reader(options: OutputOptions) -> Callable[[Any], WrittenKey | None]:
    """Return a function from a row of an output to its key; None if this program did not write the row."""
    task, canonical_url, version = options.key_names()
    content_hash = hash_name(options)

    def read(row: Any) -> WrittenKey | None:
        if not isinstance(row, Mapping) or type(row.get(version)) is not int:
            return None
        known = row.get(content_hash) if content_hash else None
        return (str(row.get(task)), str(row.get(canonical_url)), row[version]), known

    return read


def hash_name(options: OutputOptions) -> str | None:
    """Return the name that the content hash has in an output; None if the output has none."""
    if not options.fields:
        return "content_hash"
    return next((name for name, source in options.fields if source == "content_hash"), None)


def _by_day(rows: Iterable[Row]) -> dict[date, list[Row]]:
    days: dict[date, list[Row]] = {}
    for row in rows:
        days.setdefault(day_of(row), []).append(row)
    return days
