"""What a target of rows must be able to do."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from workers.rows import Row, key_of


class Sink(Protocol):
    """A place that rows are written to, once for each key. Raises `SinkUnavailable` when it can't take them now."""

    name: str  # what a person calls it: its path, or its address without secrets

    def exclusive(self) -> AbstractContextManager[None]:
        """Held from the check of the page's lease until its state is settled, so that nobody appends in between."""
        ...

    def write(self, rows: Sequence[Row], *, again: bool) -> None:
        """Write rows, wholly or not at all. `again`: they may be there already, from an attempt that was cut off."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
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
        """Keep the rows by key."""
        self.rows.update({key_of(row): row for row in rows})

    def close(self) -> None:
        """Nothing to close."""
