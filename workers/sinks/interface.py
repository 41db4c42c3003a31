"""The interface of sinks."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from workers.rows import Row, key_of


class Sink(Protocol):
    """Writes rows to an output, once for each key. Raises `SinkUnavailable` if the output can't be written now."""

    name: str  # for messages: its path, or its address without secrets

    def exclusive(self) -> AbstractContextManager[None]:
        """Hold the output from the check of a page's lease until it is settled, so that no other worker appends."""
        ...

    def write(self, rows: Sequence[Row], *, again: bool) -> None:
        """Write all rows or none. `again`: an interrupted attempt may already have written them."""
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...


class ListSink:
    """Rows in a list, for tests and for use as a library."""

    def __init__(self) -> None:
        self.name = "memory"
        self.rows: dict[tuple[object, ...], Row] = {}

    def exclusive(self) -> AbstractContextManager[None]:
        """Nothing to lock."""
        return nullcontext()

    def write(self, rows: Sequence[Row], *, again: bool) -> None:
        """Store the rows by key."""
        self.rows.update({key_of(row): row for row in rows})

    def close(self) -> None:
        """Nothing to close."""
