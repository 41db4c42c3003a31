"""A batch that its target refuses, also as too large, is sent in halves, until only the rows at fault are refused.

Parts are always cut at the same places, so a part has the same id and rows in every delivery. The process keeps which
parts the target accepted and refused until the batch is delivered: an interrupted delivery continues from there, unless
the process ended.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from workers.errors import RowsRefused
from workers.rows import Row, RowKey, key_of

from .http_client import HttpClient
from .interface import RowBatch


@dataclass(frozen=True, slots=True)
class BatchPart:
    """Rows of a batch that are sent together. `id`: that of the batch, or `batch-first-end` for some of its rows."""

    id: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """The target's answer to a part. `words`: its reason for refusing the part; `refused`: single rows."""

    outcome: Literal["taken", "refused", "too large"]
    words: str = ""
    refused: Mapping[RowKey, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Progress:
    """The parts of a batch that the target has accepted and refused so far."""

    taken: set[tuple[int, int]] = field(default_factory=set)
    refused: dict[RowKey, str] = field(default_factory=dict)


# By output and batch; of the process, since a sink is closed and opened again after an interruption
_INTERRUPTED: OrderedDict[tuple[str, str], _Progress] = OrderedDict()
MOST_INTERRUPTED = 1000


class PartedDelivery:
    """Delivers batches of one output, in as few parts as its target allows.

    The parts of a batch together have half of the time of a call.
    """

    def __init__(self, client: HttpClient):
        self._client, self._seconds = client, client.limits.call / 2

    def deliver(self, batch: RowBatch, send: Callable[[BatchPart], PartAnswer]) -> None:
        """Send all rows. Raises `RowsRefused` for those that the target refused, and what `send` raises."""
        progress = _INTERRUPTED.pop((self._client.name, batch.id), None) or _Progress()
        try:
            self._send_parts(batch, send, progress)
        except BaseException:
            if progress.taken:
                _INTERRUPTED[self._client.name, batch.id] = progress
            while len(_INTERRUPTED) > MOST_INTERRUPTED:
                _INTERRUPTED.popitem(last=False)
            raise
        if progress.refused:
            raise RowsRefused(progress.refused)

    def _send_parts(self, batch: RowBatch, send: Callable[[BatchPart], PartAnswer], progress: _Progress) -> None:
        limit = time.monotonic() + self._seconds
        parts = [(0, len(batch.rows))] if batch.rows else []
        while parts:
            first, end = parts.pop()
            rows, middle = batch.rows[first:end], (first + end) // 2
            if (first, end) in progress.taken:
                continue
            if any(first <= start and stop <= end for start, stop in progress.taken):  # it was sent in parts before
                parts += [(middle, end), (first, middle)]
                continue
            if time.monotonic() > limit:
                raise self._client.unavailable(
                    f"{first} of {len(batch.rows)} rows were sent in {self._seconds:g} seconds"
                )
            is_whole = len(rows) == len(batch.rows)
            answer = send(BatchPart(batch.id if is_whole else f"{batch.id}-{first}-{end}", rows))
            if answer.outcome != "taken" and len(rows) > 1:
                parts += [(middle, end), (first, middle)]
                continue
            progress.taken.add((first, end))
            progress.refused |= answer.refused if answer.outcome == "taken" else {key_of(rows[0]): answer.words}
