"""The crawl state: the memory of a task's walks between runs, in four keys of Redis that only this module uses.

    walk    hash: the memory of the last walk that ended (`WalkMemory`, its lists as JSON)
    lists   hash: list URL → its last complete response (`LastResponse`, JSON), to know a list that has not changed
     unread  set: lists to be read only because something was new (JSON) that a run left, because it was interrupted
             or because they were unavailable
    fresh   set: the articles on the lists that were read since the last walk that left nothing unread (fingerprints)

The state is valid for one shape of the task (pattern, start, follow, depth): a changed task starts over.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, cast

import redis

from crawler.discovery.feed_dates import header_time
from crawler.discovery.listings import Kind, ListPage
from workers import keys
from workers.url_states import Fingerprint

TRUSTED = timedelta(hours=24)  # after this time a list is read again, also if it has not changed
SETTLED = timedelta(seconds=60)  # from a Last-Modified to its response: changes within a second have the same time
MOST_KEPT = 300  # lists of a task
MOST_FOLLOWED = 200  # lists to which a stored list leads
KEPT_FOR = 30 * 24 * 3600  # seconds without a run
MOST_UNREAD = 2000
MOST_FRESH = 1000  # articles; while a list stays unavailable, each walk reads the lists that show them
LONGEST_VALIDATOR = 1000  # characters
DIGEST = 12  # bytes of the hash of a body


@dataclass(frozen=True, slots=True)
class WalkMemory:
    """The memory of the last walk that ended; empty if none has ended since the task was changed."""

    ended: bool = False  # a walk of the task has ended, also if the task was changed since
    complete: bool = False  # a walk has seen the section to its end
    new_by_list: Mapping[str, int] = field(default_factory=dict)  # list page: number of new articles, over all walks
    feeds: Sequence[str] = ()  # feeds with articles
    sitemaps: Mapping[str, tuple[datetime | None, int]] = field(default_factory=dict)  # as in `ListYield`
    forgotten_on: str = ""  # the day (ISO) on which old URLs were last forgotten
    learnt: int = 0  # `Ledger.learnt` before links were compared: URLs that the ledger learned from outputs
    walked_on: str = ""  # the day (ISO) on which the last walk that ended began
    forms: Mapping[str, bool] | None = None  # as in `NewForms`

    @classmethod
    def of_fields(cls, fields: Mapping[str, str]) -> "WalkMemory":
        """Return the memory in the fields of the hash `walk`."""
        sitemaps = json.loads(fields.get("sitemaps", "{}"))
        return cls(
            fields.get("first") == "done",
            fields.get("complete") == "yes",
            json.loads(fields.get("brought", "{}")),
            tuple(json.loads(fields.get("feeds", "[]"))),
            {url: (datetime.fromisoformat(mark) if mark else None, idle) for url, (mark, idle) in sitemaps.items()},
            fields.get("expired", ""),
            int(fields.get("learnt", 0)),
            fields.get("walked", ""),
            json.loads(fields.get("forms", "null")),
        )

    def to_fields(self) -> dict[str, str]:
        """Return the fields of the hash `walk` that the end of a walk changes, without the shape."""
        sitemaps = {url: (mark.isoformat() if mark else "", idle) for url, (mark, idle) in self.sitemaps.items()}
        lists = {"brought": self.new_by_list, "feeds": self.feeds, "sitemaps": sitemaps, "forms": self.forms}
        return {
            "first": "done" if self.ended else "",
            "complete": "yes" if self.complete else "no",
            "learnt": str(self.learnt),
            "walked": self.walked_on,
            **{name: json.dumps(value, ensure_ascii=False) for name, value in lists.items()},
        }


@dataclass(frozen=True, slots=True)
class LastResponse:
    """A list's last complete response: its URL and validators, its time, and the links that the walk found in it.

    `digest`: of its body (`digest_of`), for servers without validators; empty for a list without articles.
    """

    url: str
    etag: str
    modified: str
    at: float  # Unix seconds
    found: int  # article links
    followed: list[tuple[str, Kind, int]] = field(default_factory=list)  # (URL, kind, depth) of `Walk.followed_lists`
    digest: str = ""

    @classmethod
    def of(
        cls,
        headers: Mapping[str, str],
        url: str,
        body: bytes,
        now: datetime,
        *,
        found: int,
        followed: Sequence[ListPage],
    ) -> "LastResponse | None":
        """The stored part of a response with these headers (lower-case names); None if it cannot be recognised."""
        etag, modified = headers.get("etag", "").strip(), headers.get("last-modified", "").strip()
        if not _is_settled(modified, headers.get("date", ""), now):
            modified = ""
        if len(etag) > LONGEST_VALIDATOR:
            etag = ""
        digest = digest_of(body) if found else ""  # an empty list may be a block page, which is found out later
        if not (etag or modified or digest) or len(followed) > MOST_FOLLOWED:
            return None
        lists = [(page.url, page.kind, page.depth) for page in followed]
        return cls(url, etag, modified, now.timestamp(), found, lists, digest)

    @classmethod
    def of_row(cls, row: bytes) -> "LastResponse | None":
        """Return the response in a value of the hash `lists`; None if another version of the program wrote it."""
        try:
            return cls(*json.loads(row))
        except (ValueError, TypeError):
            return None

    def to_row(self) -> str:
        """Return the value for the hash `lists`."""
        return json.dumps(astuple(self), ensure_ascii=False)

    def conditions(self) -> dict[str, str]:
        """Return the headers of a conditional request for the list."""
        validators = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in validators.items() if value}


def digest_of(body: bytes) -> str:
    """Return the hash by which the same body is recognised."""
    return hashlib.blake2b(body, digest_size=DIGEST).hexdigest()


def _is_settled(modified: str, answered: str, now: datetime) -> bool:
    changed_at = header_time(modified)
    return changed_at is not None and (header_time(answered) or now) - changed_at >= SETTLED


class CrawlState:
    """The crawl state of one task. `shape`: the keys of the task for which it is valid."""

    def __init__(self, connection: "redis.Redis", task: str, shape: str):
        self.redis, self.shape = connection, shape
        self._walk, self._lists = keys.of_task(task, "walk"), keys.of_task(task, "lists")
        self._unread, self._fresh = keys.of_task(task, "unread"), keys.of_task(task, "fresh")
        self._responses: dict[str, LastResponse] = {}

    def load(self) -> WalkMemory:
        """Read the memory. If the task was changed, only `ended` and `forgotten_on` are valid."""
        raw = cast(dict[bytes, bytes], self.redis.hgetall(self._walk))
        fields = {name.decode(): value.decode() for name, value in raw.items()}
        self._responses = {}
        if fields.get("shape") != self.shape:
            self.redis.delete(self._lists, self._unread, self._fresh)
            return WalkMemory.of_fields({name: fields.get(name, "") for name in ("first", "expired")})
        rows = cast(dict[bytes, bytes], self.redis.hgetall(self._lists))
        self._responses = {url.decode(): last for url, row in rows.items() if (last := LastResponse.of_row(row))}
        return WalkMemory.of_fields(fields)

    def save(
        self, memory: WalkMemory | None, unread: Sequence[ListPage] = (), fresh: Collection[Fingerprint] = ()
    ) -> None:
        """Store the memory of a walk that ended, None if it is incomplete; and the lists that it could not read.

        `fresh`: the articles that became known after these lists were left unread.
        """
        pipe = self.redis.pipeline()
        fields = {"shape": self.shape, **memory.to_fields()} if memory else {"complete": "no"}
        pipe.hset(self._walk, mapping=cast(Any, fields))
        pipe.delete(self._unread, self._fresh)
        if unread:
            pipe.sadd(self._unread, *map(_as_member, unread))
            if 0 < len(fresh) <= MOST_FRESH:
                pipe.sadd(self._fresh, *fresh)
                pipe.expire(self._fresh, KEPT_FOR)
        oldest = sorted(self._responses, key=lambda url: self._responses[url].at)
        if beyond := oldest[: max(0, len(oldest) - MOST_KEPT)]:
            pipe.hdel(self._lists, *beyond)
        pipe.expire(self._lists, KEPT_FOR)
        pipe.execute()

    def record_loss(self) -> None:
        """Record that Redis may have lost links of lists that were read: the next walk covers the whole archive."""
        self.redis.hset(self._walk, "complete", "no")

    def record_forgetting(self, day: date) -> None:
        """Store the day on which old URLs were last forgotten."""
        self.redis.hset(self._walk, "expired", day.isoformat())

    def unread(self) -> list[ListPage]:
        """Return the lists that an interrupted run left unread."""
        rows = [json.loads(row) for row in cast(set[bytes], self.redis.smembers(self._unread))]
        return [ListPage(url, kind, depth, start) for url, kind, depth, start in sorted(rows)]

    def fresh(self) -> set[Fingerprint]:
        """Return the articles on the lists that were read since the last walk that left nothing unread.

        They are known, but the articles after them may be unknown: if the section has grown since then, the lists that
        were left unread show them now.
        """
        return {name.decode() for name in cast(set[bytes], self.redis.smembers(self._fresh))}

    def last_response(self, page: ListPage, now: datetime) -> LastResponse | None:
        """The response by which a list is known that has not changed; None if it is to be read in any case."""
        last = self._responses.get(page.url)
        return last if last and now.timestamp() - last.at < TRUSTED.total_seconds() else None

    def begin_list(self, page: ListPage, articles: Collection[Fingerprint] = ()) -> None:
        """Record that the links of a list are about to be entered in the ledger.

        `articles`: those of a list with a pagination.
        """
        pipe = self.redis.pipeline()
        pipe.sadd(self._unread, _as_member(page))
        if articles:
            pipe.sadd(self._fresh, *articles)
            pipe.expire(self._fresh, KEPT_FOR)
        pipe.execute()

    def end_list(self, page: ListPage, further: Iterable[ListPage], response: LastResponse | None) -> None:
        """Record that the links of a list are entered; the lists `further` are to be read now.

        `response`: by which the list is known if it does not change.
        """
        members = [_as_member(target) for target in further][:MOST_UNREAD]
        pipe = self.redis.pipeline()
        if members:
            pipe.sadd(self._unread, *members)
        if response:
            self._responses[page.url] = response
            pipe.hset(self._lists, page.url, response.to_row())
        elif self._responses.pop(page.url, None):
            pipe.hdel(self._lists, page.url)
        pipe.srem(self._unread, _as_member(page))
        pipe.execute()


def forget_lists(connection: "redis.Redis", task: str) -> None:
    """Request all lists of a task without conditions next time, so that forgotten URLs are found again."""
    connection.delete(keys.of_task(task, "lists"))


def _as_member(page: ListPage) -> str:
    return json.dumps([page.url, page.kind, page.depth, page.start], ensure_ascii=False)
