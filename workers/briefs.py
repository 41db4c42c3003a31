"""What a worker needs to know of a task, and the example page it cuts by. Published to Redis by the crawler's side.

No worker reads tasks.yaml, so extraction runs on machines that don't have the file.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from typing import Any, cast

import redis

from . import keys
from .inbox import StoredPage, pack_body, unpack


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Words and days an article is kept or dropped by. Days are inclusive; empty fields ask for nothing."""

    keywords: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None

    def __bool__(self) -> bool:
        return bool(self.keywords or self.since or self.until)


@dataclass(frozen=True, slots=True)
class Brief:
    """A task as the workers see it. `outputs` may hold `${VARIABLES}`; `folder` is where relative paths begin."""

    task: str
    example: str
    url_regex: str  # RE2: what a canonical URL must match to count
    outputs: tuple[str, ...]
    folder: str
    method: str = "auto"
    keep: RowFilter = field(default_factory=RowFilter)
    drop: RowFilter = field(default_factory=RowFilter)
    near_duplicates: str = "mark"  # or drop, or keep
    revisit: tuple[float, float] | None = None  # seconds between two looks at an article, and for how long
    skip: tuple[str, ...] = ()  # robots directives for which a page is not taken
    product: str = ""  # our name, as sites address us

    def to_json(self) -> str:
        """JSON text; days as ISO 8601."""
        return json.dumps(asdict(self), ensure_ascii=False, default=lambda day: day.isoformat(), sort_keys=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Brief":
        """The brief that `to_json` wrote."""
        raw = json.loads(text)
        raw["outputs"] = tuple(raw["outputs"])
        raw["revisit"] = tuple(raw["revisit"]) if raw.get("revisit") else None
        raw["skip"] = tuple(raw.get("skip", ()))
        raw["keep"], raw["drop"] = _filter(raw["keep"]), _filter(raw["drop"])
        return cls(**raw)


@dataclass(frozen=True, slots=True)
class StoredExample:
    """The example page as it was when the task first saw it. `version` changes when it is fetched anew."""

    version: str
    page: StoredPage


def brief_of(connection: "redis.Redis", task: str) -> Brief | None:
    """The task's brief; None if no such task was ever published."""
    raw = cast("bytes | None", connection.hget(keys.BRIEFS, task))
    return Brief.from_json(raw) if raw else None


def example_of(connection: "redis.Redis", task: str) -> StoredExample | None:
    """The example page that is kept for the task."""
    raw = cast(dict[bytes, bytes], connection.hgetall(keys.of_task(task, "example")))
    if not raw:
        return None
    stored = {name.decode(): value for name, value in raw.items()}
    return StoredExample(stored["version"].decode(), unpack(stored))


def keep_example(connection: "redis.Redis", task: str, page: StoredPage, asked: str, *, rendered: bool = False) -> None:
    """Keep a page as the task's example. `asked` is the URL the task names; another one makes it fetch again.

    `rendered`: it came out of a browser, as the task's articles do.
    """
    now = datetime.now(UTC)
    connection.hset(
        keys.of_task(task, "example"),
        mapping={
            "version": f"{now:%Y%m%dT%H%M%S.%f}",
            "asked": asked,
            "url": page.url,
            "type": page.content_type.encode("latin-1", "replace"),
            "at": page.fetched_at.timestamp(),
            "body": pack_body(page.body),
            "begun": 0,
            "rendered": int(rendered),
        },
    )


def begin_example(connection: "redis.Redis", task: str) -> int:
    """Count that a worker begins to prepare the example; says how many began since one was done with it."""
    return int(connection.hincrby(keys.of_task(task, "example"), "begun", 1))


def end_example(connection: "redis.Redis", task: str) -> None:
    """A worker has prepared the example, so that it can be done."""
    connection.hset(keys.of_task(task, "example"), "begun", 0)


def example_asked(connection: "redis.Redis", task: str) -> str | None:
    """The URL for which the kept example was fetched."""
    raw = cast("bytes | None", connection.hget(keys.of_task(task, "example"), "asked"))
    return raw.decode() if raw else None


def example_rendered(connection: "redis.Redis", task: str) -> bool | None:
    """Whether the kept example came out of a browser; None if there is none, or nobody has looked."""
    raw = cast("bytes | None", connection.hget(keys.of_task(task, "example"), "rendered"))
    return None if raw is None else raw == b"1"


def note_rendered(connection: "redis.Redis", task: str, rendered: bool) -> None:
    """Note of an example that is kept how it came."""
    connection.hset(keys.of_task(task, "example"), "rendered", int(rendered))


def _filter(raw: Mapping[str, Any]) -> RowFilter:
    since, until = (date.fromisoformat(raw[name]) if raw[name] else None for name in ("since", "until"))
    return RowFilter(tuple(raw["keywords"]), since, until)
