"""Refused rows: rows that an output refused because of their content, kept in Redis until a person decides.

The page of a refused row counts as written, and the row is never tried again automatically. There are limits on the
size of each output's rows, on the number of outputs, and on the time for which they are kept. If there is no space for
another row, its output counts as unavailable, and pages and rows wait, until a person retries or drops some. Keys of a
task:

    refused:OUTPUT     hash: number of the row -> a line of JSON (`RefusedRow` without the row), then the row (zstd)
    refused:OUTPUT:at  zset: number of the row -> when it was refused, Unix seconds
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import cast

import redis

from .. import keys
from ..addresses import shown
from ..errors import SinkUnavailable
from ..extraction_config import config_of
from ..redis_access.newest_kept import Limits, NewestKept
from ..redis_access.redis_clock import clock_of
from ..rows import Row, RowKey, key_of
from ..sinks.formats import as_json
from ..stored_json import loaded
from .outputs import options_of
from .row_queue import RowQueue, member_of, pack_row, unpack_row

LIMITS = Limits(items=1000, bytes=4 * 2**20, tasks=50)  # rows and compressed bytes of an output, and outputs
REASON_LENGTH = 500  # characters of a reason


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that an output refused. `reason`: the target's message; `at`: when, Unix seconds. `name`: its number."""

    task: str
    output: str
    url: str
    canonical_url: str
    version: int
    reason: str
    at: float
    name: str = ""


def keep_refused(
    connection: "redis.Redis", task: str, output: str, rows: Sequence[Row], reasons: Mapping[RowKey, str]
) -> int:
    """Keep those of the rows that an output refused, with the target's messages by row key; return their number.

    A row that is already kept is not kept twice. Raises `SinkUnavailable` if there is no space for further rows.
    """
    now = clock_of(connection).now()
    items = {}
    for row in rows:
        if (reason := reasons.get(key_of(row))) is None:
            continue
        name, url, canonical = _name_of(key_of(row)), row["url"], row["canonical_url"]
        note = RefusedRow(task, output, url, canonical, row["version"], reason[:REASON_LENGTH], now, name)
        items[name] = as_json(asdict(note)) + b"\n" + pack_row(row)
    if not _kept(connection, task, output).keep(items, now):
        raise SinkUnavailable(
            f"output unavailable: {shown(output)} refuses rows, and no further refused rows can be kept; "
            f"retry or drop those of `exemplar failures`; last reason: {next(iter(reasons.values()))}"
        )
    return len(items)


def refused_rows(connection: "redis.Redis", task: str) -> list[RefusedRow]:
    """Return the refused rows of a task that are kept, newest first."""
    notes: list[RefusedRow] = []
    for other, output in refusing(connection):
        if other == task:
            notes += [_note(value) for value in _kept(connection, task, output).items().values()]
    return sorted(notes, key=lambda note: note.at, reverse=True)


def refusing(connection: "redis.Redis") -> list[tuple[str, str]]:
    """Return task and output for each output that refused rows which are kept."""
    members = cast(list[bytes], connection.zrange(keys.REFUSING, 0, -1))
    return [(task, output) for task, output in map(json.loads, members)]


def refused_count(connection: "redis.Redis", task: str, output: str) -> int:
    """Return how many refused rows of an output are kept."""
    return _kept(connection, task, output).count()


def refused_row(connection: "redis.Redis", note: RefusedRow) -> Row | None:
    """Return a refused row itself; None if it is no longer kept."""
    value = _kept(connection, note.task, note.output).item(note.name)
    return unpack_row(value.partition(b"\n")[2]) if value else None


def retry_refused(connection: "redis.Redis", note: RefusedRow) -> bool:
    """Queue a refused row for its output again. False if it is no longer kept."""
    config = config_of(connection, note.task)
    options = options_of(config, note.output) if config else None
    return RowQueue(connection, note.task, note.output, options).retry(note.name)


def drop_refused(connection: "redis.Redis", note: RefusedRow) -> bool:
    """Remove a refused row, because a person does not need it. False if it is no longer kept."""
    return _kept(connection, note.task, note.output).forget([note.name])


def _name_of(key: RowKey) -> str:
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()[:16]


def _kept(connection: "redis.Redis", task: str, output: str) -> NewestKept:
    member = member_of(task, output)
    return NewestKept(connection, task, f"refused:{output}", keys.REFUSING, LIMITS, member=member, makes_room=False)


def _note(value: bytes) -> RefusedRow:
    return loaded(RefusedRow, value.partition(b"\n")[0])
