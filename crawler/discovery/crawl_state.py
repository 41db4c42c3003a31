"""What a task's walks remember from run to run, in Redis: three keys of the task.

    walk    hash: how far the archive was seen, which lists, feeds and sitemaps brought something (JSON)
    lists   hash: list URL → what its last whole answer was (`Kept`, JSON): it is asked for by ETag and date
    unread  set: lists that were to be read only because something was new (JSON): a run that breaks off leaves them

All of it counts for one shape of the task (pattern, start, follow, depth): a changed task begins anew.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, cast

import redis

from crawler.discovery.listings import Kind, ListPage
from workers import keys

TRUSTED = timedelta(hours=24)  # after which a list is asked for whole again, whatever its server says
SETTLED = timedelta(seconds=60)  # that a Last-Modified lies before its answer: seconds can't tell younger states apart
MOST_KEPT = 300  # lists of a task
MOST_STANDING = 200  # lists that a remembered one leads to
KEPT_FOR = 30 * 24 * 3600  # seconds without a run
MOST_UNREAD = 2000
LONGEST_VALIDATOR = 1000  # characters


@dataclass(frozen=True, slots=True)
class Kept:
    """A list's last whole answer: where it came from, its validators, when, and what the walk made of it."""

    url: str
    etag: str
    modified: str
    at: float  # Unix seconds
    found: int
    standing: list[tuple[str, Kind, int]] = field(default_factory=list)  # (URL, kind, depth) of lists beside

    def conditions(self) -> dict[str, str]:
        """The request headers that ask for the list only if it changed."""
        said = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in said.items() if value}


def kept_of(
    headers: Mapping[str, str], url: str, now: datetime, *, found: int, standing: Sequence[ListPage]
) -> Kept | None:
    """What to keep of an answer with these headers (lower-case names); None if its server names no usable state."""
    etag, modified = headers.get("etag", "").strip(), headers.get("last-modified", "").strip()
    if not _is_settled(modified, headers.get("date", ""), now):
        modified = ""
    if not (etag or modified) or len(etag) > LONGEST_VALIDATOR or len(standing) > MOST_STANDING:
        return None
    return Kept(url, etag, modified, now.timestamp(), found, [(one.url, one.kind, one.depth) for one in standing])


def _is_settled(modified: str, date: str, now: datetime) -> bool:
    try:
        changed = _time(modified)
    except (ValueError, TypeError):
        return False
    try:
        answered = _time(date)
    except (ValueError, TypeError):
        answered = now
    return answered - changed >= SETTLED


def _time(text: str) -> datetime:
    found = parsedate_to_datetime(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


class ListMemory:
    """The memory of one task's walks. `shape`: what it is valid for."""

    def __init__(self, connection: "redis.Redis", task: str, shape: str):
        self.redis, self.shape = connection, shape
        self._walk, self._lists, self._unread = (keys.of_task(task, name) for name in ("walk", "lists", "unread"))
        self._kept: dict[str, Kept] = {}

    def load(self) -> dict[str, str]:
        """What the last walk that ended said of itself. Where the task has changed, only whether one ended."""
        raw = cast(dict[bytes, bytes], self.redis.hgetall(self._walk))
        said = {name.decode(): value.decode() for name, value in raw.items()}
        if said.get("shape") != self.shape:
            self.redis.delete(self._lists, self._unread)
            return {name: said.get(name, "") for name in ("first", "expired")}
        stored = cast(dict[bytes, bytes], self.redis.hgetall(self._lists))
        self._kept = {url.decode(): kept for url, value in stored.items() if (kept := _read(value))}
        return said

    def save(self, said: Mapping[str, str], unread: Sequence[ListPage] = ()) -> None:
        """Keep what a walk that ended says of itself, and what it could not read."""
        pipe = self.redis.pipeline()
        pipe.hset(self._walk, mapping=cast(Any, dict(said)))
        pipe.delete(self._unread)
        if unread:
            pipe.sadd(self._unread, *map(_written, unread))
        oldest = sorted(self._kept, key=lambda url: self._kept[url].at)[: max(0, len(self._kept) - MOST_KEPT)]
        if oldest:
            pipe.hdel(self._lists, *oldest)
        pipe.expire(self._lists, KEPT_FOR)
        pipe.execute()

    def unread(self) -> list[ListPage]:
        """The lists that a run which broke off left behind."""
        rows = [json.loads(row) for row in cast(set[bytes], self.redis.smembers(self._unread))]
        return [ListPage(url, kind, depth, start) for url, kind, depth, start in sorted(rows)]

    def kept(self, page: ListPage, now: datetime) -> Kept | None:
        """What to ask for a list by; None if it is to be had whole."""
        kept = self._kept.get(page.url)
        return kept if kept and now.timestamp() - kept.at < TRUSTED.total_seconds() else None

    def begin(self, page: ListPage) -> None:
        """The links of a list are about to be entered."""
        self.redis.sadd(self._unread, _written(page))

    def read(self, page: ListPage, further: Iterable[ListPage], kept: Kept | None) -> None:
        """The links of a list are entered; `further` are to be read now. `kept`: its state, if it is to be asked by."""
        rows = [_written(each) for each in further][:MOST_UNREAD]
        pipe = self.redis.pipeline()
        if rows:
            pipe.sadd(self._unread, *rows)
        if kept:
            self._kept[page.url] = kept
            pipe.hset(self._lists, page.url, json.dumps(_as_row(kept), ensure_ascii=False))
        elif self._kept.pop(page.url, None):
            pipe.hdel(self._lists, page.url)
        pipe.srem(self._unread, _written(page))
        pipe.execute()


def forget_lists(connection: "redis.Redis", task: str) -> None:
    """Have all lists of a task asked for whole again, so that URLs which were un-seen are found anew."""
    connection.delete(keys.of_task(task, "lists"))


def _written(page: ListPage) -> str:
    return json.dumps([page.url, page.kind, page.depth, page.start], ensure_ascii=False)


def _as_row(kept: Kept) -> list[Any]:
    return [kept.url, kept.etag, kept.modified, kept.at, kept.found, kept.standing]


def _read(value: bytes) -> Kept | None:
    try:
        url, etag, modified, at, found, standing = json.loads(value)
        return Kept(url, etag, modified, float(at), int(found), [(each[0], each[1], each[2]) for each in standing])
    except (ValueError, TypeError, IndexError):
        return None  # of another version: the list is asked for whole
