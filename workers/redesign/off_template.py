"""Pages off the template: they do not have any known template of their section (`Article.fits`).

After a redesign a new example is chosen among them (`workers.redesign.proposal_finder`), and they are extracted again
with it (`workers.redesign.adoption`). So each has a note, and the newest pages are kept too. There are limits on the
number and size of each task's pages, on the number of tasks, and on the time for which they are kept. Keys of a task:

    low           hash: fingerprint -> a line of JSON (`OffTemplateNote`)
    low:at        zset: fingerprint -> when it was extracted, Unix seconds
    low:pages     hash: fingerprint -> the page (zstd), after a line of JSON with its URL, type, time and headers
    low:pages:at  zset: likewise
    low:pending   zset: worker that may still find a new example in pages it has settled -> when its mark expires
"""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, cast

import redis
import zstandard

from .. import keys
from ..page_store import StoredPage, unpack_body
from ..redis_access.full_redis import even_when_full, is_full_error
from ..redis_access.redis_clock import Clock, clock_of
from ..redis_access.redis_scripts import KEEP_NEWEST
from ..stored_json import known_fields
from ..url_states import Fingerprint

PAGES_KEPT = 20  # pages of a task
BYTES_KEPT = 2 * 2**20  # bytes of the pages of a task, compressed
NOTES_KEPT = 1000  # notes of a task: 0.3 MB
TASKS_KEPT = 100  # tasks that have pages off the template
KEPT_FOR = 30 * 86400  # seconds
PENDING_FOR = 120.0  # seconds after which the mark of a dead worker does not count
ZSTD_LEVEL = 9

log = logging.getLogger(__name__)

_NOTE = (
    KEEP_NEWEST
    + """
-- KEYS: notes or pages, their times, tasks. ARGV: now, task, the most things, bytes and tasks that are kept, for how
-- many seconds, (fingerprint, thing) … -> tasks whose things are to be removed
local now = tonumber(ARGV[1])
for i = 7, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  redis.call('ZADD', KEYS[2], now, ARGV[i])
end
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[6])) do
  redis.call('ZREM', KEYS[2], name)
  redis.call('HDEL', KEYS[1], name)
end
return keep_newest(now, ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6]))
"""
)


@dataclass(frozen=True, slots=True)
class OffTemplateNote:
    """The note on a page off the template.

    `at`: when it was extracted, Unix seconds. `version` and `hash`: of the row that it gave, 0 and empty if it was
    rejected. `info`: the data on its URL from discovery.
    """

    url: str
    at: float
    state: Literal["written", "rejected"]
    version: int = 0
    hash: str = ""
    info: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OffTemplatePage:
    """A page off the template, as a worker found it. `page`: None if it is not to be kept."""

    name: Fingerprint
    note: OffTemplateNote
    page: StoredPage | None = None


class OffTemplatePages:
    """The pages of one task that are off the template. Safe for any number of processes.

    `clock`: by default that of Redis.
    """

    def __init__(
        self,
        connection: "redis.Redis",
        task: str,
        *,
        clock: Clock | None = None,
        pages_kept: int = PAGES_KEPT,
        bytes_kept: int = BYTES_KEPT,
        notes_kept: int = NOTES_KEPT,
        tasks_kept: int = TASKS_KEPT,
    ):
        self.redis, self.task = connection, task
        self.clock = clock or clock_of(connection).now
        self._kept = (pages_kept, bytes_kept, notes_kept, tasks_kept)

    def note(self, found: Sequence[OffTemplatePage]) -> int:
        """Keep pages off the template; return their number. A full Redis keeps none."""
        if not found:
            return 0
        notes = [part for one in found for part in (one.name, _line(asdict(one.note)))]
        pages = [part for one in found if one.page for part in (one.name, _packed(one.page))]
        pages_kept, bytes_kept, notes_kept, _ = self._kept
        try:
            self._keep("low", notes, notes_kept, NOTES_KEPT * 2**12)
            if pages:
                self._keep("low:pages", pages, pages_kept, bytes_kept)
        except redis.ResponseError as error:
            if not is_full_error(error):
                raise
            log.warning("task %s: Redis is full; pages off the template are not noted", self.task)
            return 0
        return len(found)

    def count(self) -> int:
        """Return how many pages are noted."""
        return int(self.redis.hlen(keys.of_task(self.task, "low")))

    def notes(self) -> dict[Fingerprint, OffTemplateNote]:
        """Return all notes, oldest first."""
        raw = cast(dict[bytes, bytes], self.redis.hgetall(keys.of_task(self.task, "low")))
        notes = {
            name.decode(): OffTemplateNote(**known_fields(OffTemplateNote, json.loads(line)))
            for name, line in raw.items()
        }
        return dict(sorted(notes.items(), key=lambda pair: pair[1].at))

    def pages(self) -> dict[Fingerprint, StoredPage]:
        """Return the pages that are kept, oldest first; damaged ones are left out."""
        times = cast(list[bytes], self.redis.zrange(keys.of_task(self.task, "low:pages:at"), 0, -1))
        if not times:
            return {}
        values = cast(list[bytes | None], self.redis.hmget(keys.of_task(self.task, "low:pages"), times))
        pages = ((name.decode(), _unpacked(value)) for name, value in zip(times, values, strict=True) if value)
        return {name: page for name, page in pages if page is not None}

    def forget(self, names: Iterable[Fingerprint]) -> None:
        """Remove these notes and pages: they are extracted again, or are no longer evidence."""
        if not (noted := [*names]):
            return
        pipe = self.redis.pipeline()
        for kept in ("low", "low:pages"):
            pipe.hdel(keys.of_task(self.task, kept), *noted)
            pipe.zrem(keys.of_task(self.task, f"{kept}:at"), *noted)
        pipe.execute()
        if not self.count():
            self.redis.zrem(keys.OFF_TEMPLATE, self.task)

    def _keep(self, what: str, things: Sequence[str | bytes], most: int, bytes_: int) -> None:
        names = [keys.of_task(self.task, what), keys.of_task(self.task, f"{what}:at"), keys.OFF_TEMPLATE]
        args = [repr(self.clock()), self.task, most, bytes_, self._kept[3], KEPT_FOR, *things]
        dropped = self.redis.register_script(_NOTE)(keys=names, args=args)
        if dropped:
            self.redis.unlink(*(key for other in dropped for key in _names(other.decode())))


def mark_pending(connection: "redis.Redis", task: str, worker: str, *, clock: Clock) -> None:
    """Mark the task: the worker is about to settle pages off its template. A full Redis takes the mark, too."""
    even_when_full(connection, "ZADD", _pending(task), clock() + PENDING_FOR, worker)


def unmark_pending(connection: "redis.Redis", task: str, worker: str) -> None:
    """Remove the mark of a worker that has looked for a new example."""
    connection.zrem(_pending(task), worker)


def redesign_pending(connection: "redis.Redis", task: str, *, clock: Clock) -> bool:
    """Whether a worker may still find a new example in the pages that it has settled."""
    now = clock()
    return bool(connection.zcount(_pending(task), now, now + PENDING_FOR))


def _pending(task: str) -> str:
    return keys.of_task(task, "low:pending")


def _names(task: str) -> list[str]:
    return [keys.of_task(task, what) for what in ("low", "low:at", "low:pages", "low:pages:at")]


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _packed(page: StoredPage) -> bytes:
    head = {
        "url": page.url,
        "type": page.content_type,
        "at": page.fetched_at.timestamp(),
        "headers": dict(page.headers),
    }
    return _line(head) + b"\n" + zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(page.body)


def _unpacked(value: bytes) -> StoredPage | None:
    line, _, body = value.partition(b"\n")
    try:
        head = json.loads(line)
        fetched_at = datetime.fromtimestamp(head["at"], UTC)
        return StoredPage(head["url"], unpack_body(body), head["type"], fetched_at, head["headers"])
    except (ValueError, KeyError, zstandard.ZstdError):
        return None
