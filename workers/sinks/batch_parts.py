"""A batch that its target refuses, also as too large, is sent in halves, until only the rows at fault are refused.

Parts are always cut at the same places, so a part has the same id and rows in every delivery. A sink keeps which parts
the target accepted and refused until the batch is delivered: an interrupted delivery continues from there, as long as
the process keeps the sink.
"""

import time
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
class Progress:
    """The parts of a batch that the target has accepted and refused so far, by the places of their rows."""

    batch: str = ""
    taken: set[tuple[int, int]] = field(default_factory=set)
    refused: dict[RowKey, str] = field(default_factory=dict)


def deliver(client: HttpClient, batch: RowBatch, send: Callable[[BatchPart], PartAnswer], progress: Progress) -> None:
    """Send all rows to the target of a client, in as few parts as it allows, within half of the time of a call.

    `progress`: that of the last batch. Raises `RowsRefused` for the rows that the target refused, and what `send`
    raises.
    """
    if progress.batch != batch.id:
        progress.batch, progress.taken, progress.refused = batch.id, set(), {}
    _send_parts(client, batch, send, progress)
    progress.batch = ""
    if progress.refused:
        raise RowsRefused(progress.refused)


def _send_parts(
    client: HttpClient, batch: RowBatch, send: Callable[[BatchPart], PartAnswer], progress: Progress
) -> None:
    seconds = client.limits.call / 2
    limit = time.monotonic() + seconds
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
            raise client.unavailable(f"{first} of {len(batch.rows)} rows were sent in {seconds:g} seconds")
        is_whole = len(rows) == len(batch.rows)
        answer = send(BatchPart(batch.id if is_whole else f"{batch.id}-{first}-{end}", rows))
        if answer.outcome != "taken" and len(rows) > 1:
            parts += [(middle, end), (first, middle)]
            continue
        progress.taken.add((first, end))
        progress.refused |= answer.refused if answer.outcome == "taken" else {key_of(rows[0]): answer.words}
