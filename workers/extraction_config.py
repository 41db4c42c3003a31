"""The extraction config of a task, and its example page; both are published to Redis by the crawler.

No worker reads tasks.yaml, so extraction also runs on machines without the file. An example that was adopted after a
redesign is in force although tasks.yaml may not name it yet.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any, cast

import redis

from extractors.page import Refuse

from . import keys
from .page_store import StoredPage, pack, unpack
from .redis_access.full_redis import even_when_full
from .redis_access.redis_clock import clock_of
from .stored_json import loaded

PAGES_FOLDER = "pages/{task}"


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Keywords and days by which an article is kept or dropped. Days are inclusive; an empty field has no effect."""

    keywords: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class ExtractionConfig:
    """The configuration of a task for the workers.

    `outputs` may contain `${VARIABLES}`; relative paths are relative to `folder`.
    """

    task: str
    example: str
    url_regex: str  # RE2: what a canonical URL must match to count
    outputs: tuple[str, ...]
    folder: str
    method: str = "auto"
    articles: bool = False  # pages that look like lists are articles, too
    keep: RowFilter = field(default_factory=RowFilter)
    drop: RowFilter = field(default_factory=RowFilter)
    near_duplicates: str = "mark"  # or drop, or keep
    revisit: tuple[float, float] | None = None  # seconds between two checks of an article, and for how long
    skip: tuple[str, ...] = ()  # robots directives for which a page is rejected
    product: str = ""  # the User-Agent's product name, by which robots directives address this crawler
    rows: str = "articles"  # what gives a row: articles (and entries of lists), or posts
    names: tuple[str, ...] = ()  # the task's name and its former ones, which earlier rows have; empty: only its name
    output_options: Mapping[str, str] = field(default_factory=dict)  # output -> `OutputOptions.to_json()`
    keep_pages: float | None = (
        None  # seconds for which fetched pages are kept (`workers.pages.kept_pages`); None: not kept
    )
    pages_folder: str = PAGES_FOLDER  # where they are kept; may contain {task} and `${VARIABLES}`
    retries: int = 3  # how often a URL is tried again after temporary failures
    redesign: str = (
        "propose"  # a new example after a redesign: propose, adopt or ignore (`workers.redesign.proposal_finder`)
    )

    @property
    def refuse(self) -> Refuse:
        """Which of the task's pages are not extracted as articles."""
        return "notices" if self.articles or self.rows == "posts" else "sure"

    def to_json(self) -> str:
        """Return the config as JSON text; days as ISO 8601."""
        return json.dumps(asdict(self), ensure_ascii=False, default=lambda day: day.isoformat(), sort_keys=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> "ExtractionConfig":
        """Return the config that `to_json` wrote, of this version or another; unknown fields are ignored."""
        return loaded(cls, text)


def config_of(connection: "redis.Redis", task: str) -> ExtractionConfig | None:
    """Return the task's extraction config; None if no such task was ever published."""
    raw = cast("bytes | None", connection.hget(keys.CONFIGS, task))
    return _parsed(raw) if raw else None


@lru_cache(maxsize=256)  # a worker reads it for each job
def _parsed(raw: bytes) -> ExtractionConfig:
    return ExtractionConfig.from_json(raw)


def example_of(connection: "redis.Redis", task: str) -> StoredPage | None:
    """Return the stored example page of the task; None if there is none."""
    raw = cast(dict[bytes, bytes], connection.hgetall(keys.of_task(task, "example")))
    if b"version" not in raw:  # none, or one that was removed while a worker prepared it
        return None
    return unpack({name.decode(): value for name, value in raw.items()})


def keep_example(
    connection: "redis.Redis",
    task: str,
    page: StoredPage,
    requested: str,
    *,
    rendered: bool = False,
    doubt: str = "",
) -> None:
    """Store a page as the task's example. `requested`: the URL in the task; a different one is fetched again.

    `rendered`: the page was loaded in a browser, as the task's articles are. `doubt`: why it is not an article.
    """
    fields = stored_example(page, requested, rendered=rendered, doubt=doubt, now=clock_of(connection).now())
    connection.hset(keys.of_task(task, "example"), mapping=fields)


def stored_example(page: StoredPage, requested: str, *, rendered: bool, now: float, doubt: str = "") -> dict[Any, Any]:
    """Return the fields of the hash that has a task's example, as `keep_example` stores it; `now`: Unix seconds."""
    version = f"{datetime.fromtimestamp(now, UTC):%Y%m%dT%H%M%S.%f}"
    return {**pack(page), "version": version, "asked": requested, "begun": 0, "rendered": int(rendered), "doubt": doubt}


def begin_example(connection: "redis.Redis", task: str) -> int:
    """Count that a worker begins to prepare the example; return how many began since one finished."""
    return int(even_when_full(connection, "HINCRBY", keys.of_task(task, "example"), "begun", 1))


def end_example(connection: "redis.Redis", task: str) -> None:
    """Record that a worker has finished preparing the example."""
    even_when_full(connection, "HSET", keys.of_task(task, "example"), "begun", 0)


def request_example(connection: "redis.Redis", task: str) -> None:
    """Let the next run fetch the example again: the stored one is damaged."""
    connection.hdel(keys.of_task(task, "example"), "asked")


def example_doubt(connection: "redis.Redis", task: str, requested: str) -> str:
    """Return why the stored example is not an article; empty if it is one, or was requested for another URL."""
    asked, doubt = cast(list["bytes | None"], connection.hmget(keys.of_task(task, "example"), ["asked", "doubt"]))
    return doubt.decode() if asked == requested.encode() and doubt else ""


def example_fetched(connection: "redis.Redis", task: str) -> tuple[str | None, bool | None]:
    """Return the URL for which the stored example was requested, and whether it was rendered in a browser.

    None if there is no example; the second also if it is unknown.
    """
    fields = connection.hmget(keys.of_task(task, "example"), ["asked", "rendered"])
    asked, rendered = cast(list["bytes | None"], fields)
    return asked.decode() if asked else None, None if rendered is None else rendered == b"1"


@dataclass(frozen=True, slots=True)
class AdoptedExample:
    """An example that was adopted and that tasks.yaml may not name yet. `instead_of`: the one that it names."""

    url: str
    instead_of: str


def adopted_examples(connection: "redis.Redis") -> dict[str, AdoptedExample]:
    """Return, by task, the adopted examples that are not in tasks.yaml, as far as is known."""
    raw = cast(dict[bytes, bytes], connection.hgetall(keys.EXAMPLES))
    return {name.decode(): loaded(AdoptedExample, text) for name, text in raw.items()}
