"""The row queues: rows that wait in Redis for the outputs that get them in batches, a queue for each task and output.

Rows are queued inside the step that settles their page (`settle.lua`), so a row is queued exactly once, and never
without its page being settled. A delivery process leases a queue, takes the oldest rows as a batch and removes them
when the output has them. Until then the batch keeps its id and its rows, also if another process delivers it. Keys of a
task:

    rows:OUTPUT    list of entries, oldest first: whether the output may have the row, epoch, time, row (JSON, zstd)
    queue:OUTPUT   hash: lease, present batch, failures and the present problem
"""

import json
import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import redis
import zstandard

from .. import keys
from ..addresses import shown
from ..ledger import Ledger
from ..lua import FOLLOW_CLOCK
from ..redis_access.full_redis import even_when_full
from ..redis_access.redis_clock import clock_of
from ..rows import Row, RowKey, key_of
from ..sinks import OutputOptions, RowBatch, batch_size
from ..sinks.formats import as_json

LEASE = 10.0  # seconds that the lease of a queue lasts unless it is renewed
BATCH_BYTES = 4 * 2**20  # bytes of the compressed rows of a batch; a larger row is a batch of its own
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 300.0  # seconds until an output that was unavailable is tried again
LONGEST_WAIT = 3600.0  # seconds of a target's Retry-After that count at most
LARGEST_ROW = 256 * 2**20  # bytes of JSON
ZSTD_LEVEL = 3
AT_ONCE = 200  # rows in one step
_DUE = """
follow_clock(KEYS[1] .. ':clock', {KEYS[1]})
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
"""

Due = Literal["due", "now", "always"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class QueuedOutput:
    """An output of a task whose rows are queued. `name`: as in the extraction config."""

    name: str
    options: OutputOptions


def member_of(task: str, output: str) -> str:
    """Return the name of a queue in the sorted set of all queues."""
    return json.dumps([task, output], ensure_ascii=False)


def to_queue(task: str, rows: Sequence[Row], outputs: Sequence[QueuedOutput], *, again: bool) -> list[Any]:
    """Return the arguments of `Ledger.settle` that queue rows for the outputs that get them.

    `again`: the outputs may already have the rows.
    """
    args: list[Any] = []
    for output in outputs:
        places = [str(place) for place, row in enumerate(rows, 1) if output.options.where.admits(row)]
        if places:
            args += [*_queue_of(task, output), int(again), ",".join(places)]
    return [len(rows), *map(pack_row, rows), *args] if args else []


def pack_row(row: Row) -> bytes:
    """Return a row as compressed JSON."""
    return zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(as_json(row))


def unpack_row(packed: bytes) -> Row:
    """Return a row that `pack_row` packed. Raises `ValueError` if it is damaged."""
    try:
        text = zstandard.ZstdDecompressor().decompress(packed, max_output_size=LARGEST_ROW)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None
    return cast(Row, json.loads(text))


class RowQueue:
    """The rows of one task that wait for one output. Safe for any number of processes; times are Redis'."""

    def __init__(self, connection: "redis.Redis", task: str, output: str, options: OutputOptions | None = None):
        self.task, self.output = task, QueuedOutput(output, options or OutputOptions())
        self._redis, self._ledger = connection, Ledger(connection, task)
        self._queue = _queue_of(task, self.output)

    def add(self, rows: Sequence[Row], *, again: bool) -> None:
        """Queue rows whose page was settled before. `again`: the output may already have them."""
        for start in range(0, len(rows), AT_ONCE):
            packed = map(pack_row, rows[start : start + AT_ONCE])
            self._ledger.step("queue_rows", *self._queue, self._now(), int(again), *packed)

    def retry(self, name: str) -> bool:
        """Queue a refused row again (`workers.writing.refused_rows`). False if it is no longer kept."""
        return bool(self._ledger.step("queue_rows", *self._queue, self._now(), 1, "", name))

    def take(self, holder: str, due: Due = "due") -> RowBatch | None:
        """Lease the queue to a process for `LEASE` seconds, and return the next batch.

        None if nothing is due, or another process has the lease. `due`: "now" if all rows that wait are due, "always"
        if an output that was unavailable is tried at once.
        """
        now = self._now()
        answer = self._ledger.step(
            "take_rows", *self._queue, now, holder, now + LEASE, secrets.token_hex(16), BATCH_BYTES, due
        )
        if not answer:
            return None
        name, is_begun, epoch, *entries = cast("list[bytes]", answer)
        return self._batch(name.decode(), entries, epoch, is_begun == b"1")

    def renew(self, holder: str) -> bool:
        """Extend the lease to `LEASE` seconds from now. False if it is lost."""
        name, member, *_ = self._queue
        if self._redis.hget(keys.of_task(self.task, f"queue:{name}"), "holder") != holder.encode():
            return False
        even_when_full(self._redis, "ZADD", keys.ROW_QUEUES, "XX", self._now() + LEASE, member)
        return True

    def finish(self, holder: str, batch: RowBatch) -> bool:
        """Remove a batch that the output has, and release the lease. False if it was lost: the batch comes again."""
        return bool(self._ledger.step("remove_rows", *self._queue, self._now(), holder, batch.id))

    def put_off(
        self,
        holder: str,
        problem: str,
        *,
        first: float = FIRST_PAUSE,
        longest: float = LONGEST_PAUSE,
        wait: float = 0.0,
    ) -> float | None:
        """Note a problem and release the lease; no process tries the output before the end of a pause, which grows each
        time.

        `wait`: the target's Retry-After in seconds; the pause is at least that long, up to an hour.
        Returns the pause in seconds; None if the lease is lost.
        """
        least = min(max(wait, 0.0), LONGEST_WAIT)
        return self._release(holder, problem.encode("utf-8", "replace"), first, longest, least)

    def free(self, holder: str) -> bool:
        """End the lease of a process that died or stops. False if it has none."""
        return self._release(holder) is not None

    def _release(self, holder: str, *problem: str | bytes | float) -> float | None:
        name, member, *_ = self._queue
        pause = self._ledger.step("release_rows", name, member, self._now(), holder, *problem)
        return None if pause is None else float(pause)

    def discard(self, holder: str) -> int:
        """Remove all rows, since the task no longer has the output; return how many. Needs the lease."""
        return int(self._ledger.step("remove_rows", *self._queue, self._now(), holder, "") or 0)

    def _now(self) -> float:
        return self._ledger.clock()

    def _batch(self, name: str, entries: Sequence[bytes], epoch: bytes, is_begun: bool) -> RowBatch:
        """Return the rows of entries, those with the same key once: the last of them."""
        rows: dict[RowKey, Row] = {}
        again: set[RowKey] = set()
        for entry in entries:
            head, _, packed = entry.partition(b"\n")
            may_be_there, queued_in, _ = head.split(b" ")
            try:
                row = unpack_row(packed)
            except ValueError as error:
                log.error("task %s: a row that waits for %s is damaged: %s", self.task, shown(self.output.name), error)
                continue
            if is_begun or may_be_there == b"1" or queued_in != epoch:
                again.add(key_of(row))
            rows[key_of(row)] = row
        return RowBatch(name, list(rows.values()), again)


def due_queues(connection: "redis.Redis", *, most: int = 1000) -> list[tuple[str, str]]:
    """Return task and output of the queues that are due, the one that has been due for longest first."""
    now = clock_of(connection).now()
    members = cast(
        "list[bytes]", connection.register_script(FOLLOW_CLOCK + _DUE)(keys=[keys.ROW_QUEUES], args=[now, most])
    )
    return list(map(_read_member, members))


def all_queues(connection: "redis.Redis") -> list[tuple[str, str]]:
    """Return task and output of all queues that have rows."""
    return list(map(_read_member, cast("list[bytes]", connection.zrange(keys.ROW_QUEUES, 0, -1))))


def has_queues(connection: "redis.Redis") -> bool:
    """Whether rows wait for any output."""
    return bool(connection.zcard(keys.ROW_QUEUES))


def rows_waiting(connection: "redis.Redis", task: str | None = None) -> int:
    """Return how many rows of a task, or of all tasks, wait for delivery; a row counts once for each output."""
    return int(connection.hget(keys.of_task(task, "queued") if task is not None else keys.QUEUED, "rows") or 0)


def free_queues(connection: "redis.Redis", holder: str) -> int:
    """End all leases of a process that died; return how many it had."""
    return sum(RowQueue(connection, task, output).free(holder) for task, output in all_queues(connection))


def forget_queues(connection: "redis.Redis", task: str) -> None:
    """Remove a task's queues from the lists of all tasks."""
    for name in (keys.ROW_QUEUES, keys.REFUSING):
        members = cast("list[bytes]", connection.zrange(name, 0, -1))
        if own := [member for member in members if _read_member(member)[0] == task]:
            connection.zrem(name, *own)


def _queue_of(task: str, output: QueuedOutput) -> tuple[str, str, int, float]:
    """Return the arguments that identify a queue in the steps, and when its rows are due."""
    return output.name, member_of(task, output.name), *batch_size(output.name, task, output.options)


def _read_member(member: bytes) -> tuple[str, str]:
    task, output = json.loads(member)
    return task, output
