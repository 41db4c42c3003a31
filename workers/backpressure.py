"""Back-pressure: spiders slow down and pause when too much waits for extraction, or Redis becomes full.

The steps of the ledger count what waits: pages and bytes in the page store, and rows and bytes that wait for
delivery, for each task and for all tasks. A row counts as a page, once for each output that it waits for. Each sum is
compared with its mark; the largest share decides. A spider slows down at `SLOW_AT` of a mark and pauses at the mark. It
continues slowly below `RESUME_AT`, and at full speed below `GO_AT`; between two bounds it keeps its level, so that it
does not alternate. Requests that were sent before a pause still bring pages, so marks may be exceeded by these.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

import redis

from . import keys
from .redis_access.full_redis import RedisMemory
from .reporting.presence import Presence

Level = Literal["go", "slow", "pause"]
Cause = Literal["task", "all tasks", "memory"]

SLOW_AT = 0.75  # share of a mark from which spiders are slow …
GO_AT = 0.5  # … until they are below this
RESUME_AT = 0.75  # share of a mark below which paused spiders continue
READ_EVERY = 1.0  # seconds between two readings of Redis
MEGABYTE = 10**6


@dataclass(frozen=True, slots=True)
class Marks:
    """The limits at which spiders pause. Bytes are those of compressed pages; `memory` is a share of Redis' memory."""

    task_pages: int = 5_000
    task_bytes: int = 256 * MEGABYTE
    pages: int = 20_000
    bytes: int = 1_000 * MEGABYTE
    memory: float = 0.75


DEFAULT_MARKS = Marks()


@dataclass(frozen=True, slots=True)
class Stored:
    """The number of waiting items (fetched pages not settled, or rows not delivered), and their size in bytes."""

    pages: int = 0
    size: int = 0

    @classmethod
    def of_fields(cls, fields: Mapping[bytes, bytes]) -> "Stored":
        """Return the values of the fields of a counter."""
        number, size = (max(0, int(fields.get(name, 0))) for name in (b"pages", b"bytes"))
        return cls(number + max(0, int(fields.get(b"rows", 0))), size)

    def __add__(self, other: "Stored") -> "Stored":
        return Stored(self.pages + other.pages, self.size + other.size)


@dataclass(frozen=True, slots=True)
class Load:
    """The waiting items of one task and of all tasks, and the memory of Redis. `rows`: how many items are rows."""

    of_task: Stored
    of_all: Stored
    memory: RedisMemory
    rows: int = 0

    def strongest(self, marks: Marks) -> tuple[float, Cause, str]:
        """Return the largest share of a mark, the name of that mark, and a description."""
        waiting = ("{} of {} that may wait for extraction" + " or delivery" * bool(self.rows)).format
        shares: list[tuple[float, Cause, str]] = []
        for cause, waits, pages, size in (
            ("task", self.of_task, marks.task_pages, marks.task_bytes),
            ("all tasks", self.of_all, marks.pages, marks.bytes),
        ):
            whose = cast(Cause, cause)
            suffix = " of all tasks" if whose == "all tasks" else ""
            shares.append((waits.pages / pages, whose, waiting(f"{waits.pages:,}", f"{pages:,} pages{suffix}")))
            text = waiting(f"{waits.size / MEGABYTE:.0f}", f"{size / MEGABYTE:.0f} MB{suffix}")
            shares.append((waits.size / size, whose, text))
        memory = f"Redis uses {self.memory.share:.0%} of its memory, the mark is {marks.memory:.0%}"
        shares.append((self.memory.share / marks.memory, "memory", memory))
        return max(shares)


def stored(connection: "redis.Redis") -> Stored:
    """Return the content of the page store, of all tasks together."""
    return Stored.of_fields(cast(dict[bytes, bytes], connection.hgetall(keys.STORED)))


def load_of(connection: "redis.Redis", task: str) -> Load:
    """Read the values that one task's spiders compare with their marks."""
    pipe = connection.pipeline(transaction=False)
    own = (keys.of_task(task, "stored"), keys.of_task(keys.pictures_of(task), "stored"), keys.of_task(task, "queued"))
    for name in (*own, keys.STORED, keys.QUEUED):
        pipe.hgetall(name)
    pipe.info("memory")
    *counters, info = cast(list[dict[Any, Any]], pipe.execute())
    pages, pictures, rows, all_pages, all_rows = map(Stored.of_fields, counters)
    return Load(pages + pictures + rows, all_pages + all_rows, RedisMemory.of_info(info), all_rows.pages)


def next_level(level: Level, share: float) -> Level:
    """Return the level that follows from the present one and from the largest share of a mark."""
    if share >= 1 or (level == "pause" and share >= RESUME_AT):
        return "pause"
    if share >= SLOW_AT or (level != "go" and share >= GO_AT):
        return "slow"
    return "go"


class Pressure:
    """The back-pressure on one task's spider. `clock`: monotonic seconds.

    While a spider is slow or pauses, it has a heartbeat with the reason for waiting.
    """

    def __init__(
        self,
        connection: "redis.Redis",
        task: str,
        marks: Marks | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.redis, self.task, self.marks, self.clock = connection, task, marks or DEFAULT_MARKS, clock
        self.level: Level = "go"
        self.cause: Cause = "task"
        self.why = ""
        self.paused_for = 0.0  # seconds, over all pauses
        self._read_at = -READ_EVERY
        self._fetched, self._room = 0, 1  # at the last reading: pages fetched, and how many more until the next reading
        self._presence = Presence(connection, "spider")
        self._is_shown = False

    def look(self, fetched: int = 0) -> Level:
        """Return the present level. `fetched`: pages that this spider has fetched so far.

        Redis is read once in `READ_EVERY`, and when the spider alone has fetched half of what was missing to a mark.
        """
        now = self.clock()
        passed = now - self._read_at
        if passed < READ_EVERY and (self.level == "pause" or fetched - self._fetched < self._room):
            return self.level
        if self.level == "pause":
            self.paused_for += passed
        self._read_at, self._fetched = now, fetched
        load = load_of(self.redis, self.task)
        missing = min(self.marks.task_pages - load.of_task.pages, self.marks.pages - load.of_all.pages)
        self._room = max(1, missing // 2)
        share, self.cause, self.why = load.strongest(self.marks)
        self.level = next_level(self.level, share)
        self._show(self.why if self.level != "go" else "")
        return self.level

    def show_full(self) -> None:
        """Show that the spider waits because Redis is full."""
        self._show("Redis is full")

    def leave(self) -> None:
        """Remove the heartbeat: the spider ends."""
        self._show("")

    def _show(self, waits: str) -> None:
        if waits:
            self._presence.show(task=self.task, level=self.level, waits=waits)
        elif self._is_shown:
            self._presence.leave()
        self._is_shown = bool(waits)
