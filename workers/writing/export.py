"""Writes the rows of one output to another: batch after batch, so that an interrupted export can be repeated.

Each batch is written with all of its keys as `again`, so the target looks up what it has; the id of a batch is made of
its keys, so a batch that is repeated has the same id.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice

from ..errors import RowsRefused, SinkUnavailable
from ..rows import Row, RowKey, key_of
from ..sinks.interface import BatchSink, RowBatch, Sink, write_batch
from ..sinks.options import BATCH_ROWS, OutputOptions

PAUSES = (1.0, 2.0, 4.0, 8.0)  # seconds until a target that is unavailable is tried again


@dataclass(slots=True)
class Exported:
    """The result of an export. `written`: rows that the target has now; `left_out`: those that `where` excludes."""

    read: int = 0
    written: int = 0
    left_out: int = 0
    refused: dict[RowKey, str] = field(default_factory=dict)  # the target's words by row key


def export_rows(
    rows: Iterable[Row],
    sink: Sink | BatchSink,
    options: OutputOptions,
    *,
    on_batch: Callable[[Exported], None] = lambda exported: None,
) -> Exported:
    """Write `rows` to `sink` in their order and return the result; `on_batch` is called with it after each batch.

    `options` are those with which the sink was opened. Raises `SinkUnavailable` if the target stays unavailable.
    """
    exported = Exported()
    source = iter(rows)
    while batch := list(islice(source, options.batch_rows or BATCH_ROWS)):
        exported.read += len(batch)
        admitted = _distinct(row for row in batch if options.where.admits(row))
        exported.left_out += sum(not options.where.admits(row) for row in batch)
        if admitted:
            refused = _write(sink, admitted)
            exported.refused |= refused
            exported.written += len(admitted) - len(refused)
        on_batch(exported)
    return exported


def _distinct(rows: Iterable[Row]) -> list[Row]:
    """Return the rows, only the first of those with the same key."""
    by_key: dict[RowKey, Row] = {}
    for row in rows:
        by_key.setdefault(key_of(row), row)
    return [*by_key.values()]


def _write(sink: Sink | BatchSink, rows: list[Row]) -> dict[RowKey, str]:
    """Write rows, trying again while the target is unavailable; return the refused ones."""
    for pause in (*PAUSES, None):
        try:
            write_batch(sink, RowBatch(batch_id(rows), rows, set(map(key_of, rows))))
            return {}
        except RowsRefused as error:
            return dict(error.reasons)
        except SinkUnavailable:
            if pause is None:
                raise
            time.sleep(pause)
    raise AssertionError("the last try returns or raises")


def batch_id(rows: Iterable[Row]) -> str:
    """Return the id of a batch, 32 hexadecimal digits, which depends on the keys of its rows only."""
    text = "\n".join("\t".join(map(str, key_of(row))) for row in rows)
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
