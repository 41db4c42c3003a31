"""A batch that its target refuses, or finds too large, is sent in halves, until only the rows at fault are refused.

Parts are always cut at the same places, so a part has the same id and rows in every delivery. What the target took and
refused of a batch is remembered until the batch is delivered: an interrupted delivery goes on from there, unless the
process ended.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from workers.clock import Clock
from workers.errors import RowsRefused, SinkUnavailable
from workers.rows import Row, RowKey, key_of

from .interface import RowBatch


@dataclass(frozen=True, slots=True)
class BatchPart:
    """Rows of a batch that are sent together. `id`: that of the batch, or `batch-first-end` for some of its rows."""

    id: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """What the target made of a part. `words`: why it refused the part; `refused`: single rows."""

    outcome: Literal["taken", "refused", "too large"]
    words: str = ""
    refused: Mapping[RowKey, str] = field(default_factory=dict)


class PartedDelivery:
    """Delivers batches, in as few parts as their target allows."""

    def __init__(self, seconds: float, unavailable: Callable[[str], SinkUnavailable], *, clock: Clock = time.monotonic):
        """`seconds`: no part is sent later than this after the begin of a delivery. `unavailable` makes the error."""
        self._seconds, self._unavailable, self._clock = seconds, unavailable, clock
        self._batch = ""
        self._taken: set[tuple[int, int]] = set()
        self._refused: dict[RowKey, str] = {}

    def deliver(self, batch: RowBatch, send: Callable[[BatchPart], PartAnswer]) -> None:
        """Send all rows. Raises `RowsRefused` for those that the target refused, and what `send` raises."""
        if batch.id != self._batch:
            self._batch, self._taken, self._refused = batch.id, set(), {}
        limit = self._clock() + self._seconds
        parts = [(0, len(batch.rows))] if batch.rows else []
        while parts:
            first, end = parts.pop()
            if (first, end) in self._taken:
                continue
            if self._clock() > limit:
                raise self._unavailable(f"{first} of {len(batch.rows)} rows were sent in {self._seconds:g} seconds")
            whole = end - first == len(batch.rows)
            rows = batch.rows[first:end]
            answer = send(BatchPart(batch.id if whole else f"{batch.id}-{first}-{end}", rows))
            if answer.outcome != "taken" and len(rows) > 1:
                middle = (first + end) // 2
                parts += [(middle, end), (first, middle)]
                continue
            self._taken.add((first, end))
            self._refused |= answer.refused if answer.outcome == "taken" else {key_of(rows[0]): answer.words}
        refused = self._refused
        self._batch, self._taken, self._refused = "", set(), {}
        if refused:
            raise RowsRefused(refused)
