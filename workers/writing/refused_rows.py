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
from typing import Any, cast

import redis

from .. import keys
from ..addresses import shown
from ..errors import SinkUnavailable
from ..redis_access.full_redis import ALLOWED_WHEN_FULL
from ..redis_access.redis_clock import Clock, clock_of
from ..rows import Row, RowKey, key_of
from ..sinks import OutputOptions
from ..sinks.formats import as_json
from ..stored_json import loaded
from .row_queue import RowQueue, member_of, pack_row, unpack_row

ROWS_KEPT = 1000  # rows of a task and output
BYTES_KEPT = 4 * 2**20  # bytes of a task's and output's rows, compressed
OUTPUTS_KEPT = 50  # outputs that refused rows
KEPT_FOR = 30 * 86400  # seconds
REASON_LENGTH = 500  # characters of a reason

_KEEP = (
    ALLOWED_WHEN_FULL
    + """
-- Keep all of the rows, or none if no space is left: then the outputs or the rows before them reach a limit.
-- KEYS: rows, times, outputs. ARGV: now, member of the outputs, the most rows, bytes and outputs that are kept, for how
-- many seconds, (number, row) … -> whether they are kept
local now, size, known = tonumber(ARGV[1]), 0, true
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - ARGV[6])
for i = 7, #ARGV, 2 do known = known and redis.call('HEXISTS', KEYS[1], ARGV[i]) == 1 end
for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do size = size + redis.call('HSTRLEN', KEYS[1], name) end
local is_full = redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) or size >= tonumber(ARGV[4])
is_full = is_full or not redis.call('ZSCORE', KEYS[3], ARGV[2]) and redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[5])
if is_full and not known then return 0 end
for i = 7, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  redis.call('ZADD', KEYS[2], now, ARGV[i])
end
for place = 1, 2 do redis.call('EXPIRE', KEYS[place], ARGV[6]) end
redis.call('ZADD', KEYS[3], now, ARGV[2])
return 1
"""
)


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
    connection: "redis.Redis",
    task: str,
    output: str,
    rows: Sequence[Row],
    reasons: Mapping[RowKey, str],
    *,
    clock: Clock | None = None,
) -> int:
    """Keep those of the rows that an output refused, with the target's messages by row key; return their number.

    A row that is already kept is not kept twice. Raises `SinkUnavailable` if there is no space for further rows.
    """
    now = (clock or clock_of(connection).now)()
    args: list[Any] = []
    for row in rows:
        if (reason := reasons.get(key_of(row))) is None:
            continue
        name = _name_of(key_of(row))
        note = RefusedRow(
            task, output, row["url"], row["canonical_url"], row["version"], reason[:REASON_LENGTH], now, name
        )
        args += [name, as_json(asdict(note)) + b"\n" + pack_row(row)]
    if args:
        is_kept = connection.register_script(_KEEP)(
            keys=[*_keys(task, output), keys.REFUSING],
            args=[repr(now), member_of(task, output), ROWS_KEPT, BYTES_KEPT, OUTPUTS_KEPT, KEPT_FOR, *args],
        )
        if not is_kept:
            raise SinkUnavailable(
                f"output unavailable: {shown(output)} refuses rows, and no further refused rows can be kept; "
                f"retry or drop those of `exemplar failures`; last reason: {next(iter(reasons.values()))}"
            )
    return len(args) // 2


def refused_rows(connection: "redis.Redis", task: str) -> list[RefusedRow]:
    """Return the refused rows of a task that are kept, newest first."""
    notes: list[RefusedRow] = []
    for other, output in refusing(connection):
        if other == task:
            values = cast(dict[bytes, bytes], connection.hgetall(_keys(task, output)[0]))
            notes += [_note(value) for value in values.values()]
    return sorted(notes, key=lambda note: note.at, reverse=True)


def refusing(connection: "redis.Redis") -> list[tuple[str, str]]:
    """Return task and output for each output that refused rows which are kept."""
    members = cast(list[bytes], connection.zrange(keys.REFUSING, 0, -1))
    return [(task, output) for task, output in map(json.loads, members)]


def refused_count(connection: "redis.Redis", task: str, output: str) -> int:
    """Return how many refused rows of an output are kept."""
    return int(connection.hlen(_keys(task, output)[0]))


def refused_row(connection: "redis.Redis", note: RefusedRow) -> Row | None:
    """Return a refused row itself; None if it is no longer kept."""
    value = cast("bytes | None", connection.hget(_keys(note.task, note.output)[0], note.name))
    return unpack_row(value.partition(b"\n")[2]) if value else None


def retry_refused(
    connection: "redis.Redis", note: RefusedRow, options: OutputOptions | None = None, *, clock: Clock | None = None
) -> bool:
    """Queue a refused row for its output again. False if it is no longer kept."""
    return RowQueue(connection, note.task, note.output, options, clock=clock).retry(note.name)


def drop_refused(connection: "redis.Redis", note: RefusedRow) -> bool:
    """Remove a refused row, because a person does not need it. False if it is no longer kept."""
    rows, times = _keys(note.task, note.output)
    removed = bool(connection.hdel(rows, note.name))
    connection.zrem(times, note.name)
    if removed and not connection.exists(rows):
        connection.zrem(keys.REFUSING, member_of(note.task, note.output))
    return removed


def _name_of(key: RowKey) -> str:
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()[:16]


def _keys(task: str, output: str) -> tuple[str, str]:
    return keys.of_task(task, f"refused:{output}"), keys.of_task(task, f"refused:{output}:at")


def _note(value: bytes) -> RefusedRow:
    return loaded(RefusedRow, value.partition(b"\n")[0])
