"""The interfaces of sinks.

A `Sink` writes to a file of this machine. The worker that extracted the pages writes their rows itself:

    with sink.exclusive(patience=10):    no other process writes to the output
        …                                the worker makes sure that it still holds the pages of the rows
        sink.write(rows, again=…)        all rows or none; they are on disk when it returns

A `PageSink` (`workers.sinks.sqlite`) is such a sink of pages: it gets each page with the rows that the page gave.

A `BatchSink` writes to a server, or writes whole files. Its rows are queued in Redis in the step that settles their
page (`workers.writing.row_queue`), and a delivery process hands them over in batches (`workers.writing.delivery`):

    sink.write(RowBatch(id, rows, again))

Outputs are independent: one that is unavailable does not hold up others.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, cast

from workers.page_store import StoredPage
from workers.rows import Row, RowKey

Versions = Mapping[int, str | None]  # an article's versions, each with its content hash, None if the output has none
PATIENCE = 10.0  # seconds to wait for an output that another process holds


@dataclass(frozen=True, slots=True)
class WrittenRow:
    """The data by which a ledger records a row that it has lost.

    `is_entry`: the row is that of an entry of a list page.
    """

    task: str
    url: str
    canonical_url: str
    version: int
    fetched_at: str  # ISO 8601
    is_entry: bool

    @property
    def key(self) -> RowKey:
        """The row key."""
        return self.task, self.canonical_url, self.version


class Sink(Protocol):
    """Writes rows to an output, once for each key. Raises `SinkUnavailable` if the output cannot be written now."""

    name: str  # for messages: its path, or its address without secrets

    def exclusive(self, *, patience: float = PATIENCE) -> AbstractContextManager[None]:
        """Hold the output, so that no other process writes to it. `patience`: seconds to wait for its present holder.

        Raises `SinkUnavailable` if it is held for longer. A holder that dies releases it.
        """

    def fence(self, task: str, epoch: str) -> str:
        """Note, inside `exclusive`, that an epoch of Redis writes rows of a task (`durability.pass_fence`).

        Returns a name that stays the same as long as no other epoch writes them. Raises `SinkUnavailable`.
        """

    def write(self, rows: Sequence[Row], *, again: AbstractSet[RowKey] = frozenset()) -> None:
        """Write all rows or none, inside `exclusive`. `again`: the keys of rows that may already be in the output."""

    def newest(self, task: str) -> Iterator[WrittenRow]:
        """Yield the rows of the output, newest first; those of other tasks may be among them. May yield none."""

    def has(self, rows: Sequence[WrittenRow]) -> list[bool]:
        """Return for each row whether the output has one of its key."""

    def check(self) -> None:
        """Try the output without writing a row: connect, create what is missing. Raises `SinkUnavailable`."""

    def close(self) -> None:
        """Close files and connections."""


PageKind = Literal["article", "list", "refused"]


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A fetched page, with the rows that it gave. `url`: as requested; `info`: the data on the URL from discovery.

    `kind`: `refused` pages gave no row. `example_hash`: of an article's text as extracted with the example alone.
    """

    url: str
    page: StoredPage
    rows: Sequence[Row] = ()
    kind: PageKind = "article"
    info: Mapping[str, Any] = field(default_factory=dict)
    example_hash: str = ""


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Rows of one task to deliver together, one for each key.

    `id`: 32 hexadecimal digits. A batch whose delivery was interrupted is delivered again with the same id and the same
    rows in the same order; only one process delivers batches of a task to an output at a time. `again`: the keys of
    rows that may already be in the output, in this batch or another; in a batch that is delivered again all of them.
    """

    id: str
    rows: Sequence[Row]
    again: AbstractSet[RowKey] = frozenset()


class BatchSink(Protocol):
    """Writes batches of rows to a target, once for each row key.

    Connections and answers have time limits of up to 30 seconds where their library offers them; for the rest the
    delivery process has one.
    """

    name: str  # for messages: the target's address without secrets

    def write(self, batch: RowBatch) -> None:
        """Write the rows; when it returns, the target has them and does not lose them.

        Raises `SinkUnavailable` if the target cannot take rows now: any number of rows may be written, and the batch is
        delivered again. Raises `RowsRefused` if the target refuses rows for what they contain: all others are written.
        """

    def check(self) -> None:
        """Try the target without writing a row: connect, create what is missing.

        Raises `SinkUnavailable` or `OutputError` with what is wrong and what to do.
        """

    def close(self) -> None:
        """Close files and connections."""


def write_batch(sink: Sink | BatchSink, batch: RowBatch) -> None:
    """Write a batch to an output of any kind; a file is held meanwhile. Raises what the sink raises."""
    if hasattr(sink, "exclusive"):
        file = cast(Sink, sink)
        with file.exclusive():
            file.write(batch.rows, again=batch.again)
    else:
        sink.write(batch)


def written_row(row: Row) -> WrittenRow | None:
    """Return the ledger's data of a row as it was written; None if this program did not write it."""
    task, url, canonical_url = (row.get(name) for name in ("task", "url", "canonical_url"))
    version = row.get("version")
    if not (isinstance(task, str) and isinstance(url, str) and isinstance(canonical_url, str)):
        return None
    if type(version) is not int or not (task and url and canonical_url):
        return None
    return WrittenRow(task, url, canonical_url, version, str(row.get("fetched_at")), row.get("listed_on") is not None)


def if_missing(row: Row, versions: Versions) -> Row | None:
    """Return a row in the form to be written to an output that has some versions of its article; None if it has it.

    Versions of a forgotten article begin at 1 again: if the output has that version with another text, the row gets the
    next number, except version 1. Rows without content hash count as having the same text.
    """
    if row["version"] not in versions:
        return row
    if row["version"] == 1 or versions[row["version"]] is None or row.get("content_hash") in versions.values():
        return None
    return {**row, "version": max(versions) + 1}
