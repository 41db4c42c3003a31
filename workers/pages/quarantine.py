"""Quarantine: pages that could not be extracted are kept in Redis, so that a person can look at them on any machine.

There are limits on the size of each task's pages, on the number of tasks, and on the time for which they are kept; the
newest are kept. Two keys per task:

    quarantine     hash: fingerprint -> a line of JSON (url, type, reason, fetched_at, at), then the body (zstd)
    quarantine:at  zset: fingerprint -> when it was kept, Unix seconds
"""

import json
import logging
import time
from dataclasses import asdict, dataclass
from typing import cast

import redis
import zstandard

from .. import keys
from ..page_store import StoredPage, unpack_body
from ..redis_access.full_redis import is_full_error
from ..redis_access.redis_clock import Clock
from ..redis_access.redis_scripts import KEEP_NEWEST
from ..stored_json import known_fields
from ..url_states import Fingerprint

PAGES_KEPT = 20  # pages of a task
BYTES_KEPT = 2**20  # bytes of a task's pages, compressed; a larger page is not kept
TASKS_KEPT = 200  # tasks that have pages in quarantine
KEPT_FOR = 30 * 86400  # seconds
ZSTD_LEVEL = 9  # slow, but pages are kept rarely and for a long time

log = logging.getLogger(__name__)

_KEEP = (
    KEEP_NEWEST
    + """
-- Keep a page. KEYS: pages, times, tasks. ARGV: fingerprint, page, now, task, the most pages, bytes and tasks that are
-- kept, and for how many seconds -> tasks whose pages are to be removed
local now = tonumber(ARGV[3])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], now, ARGV[1])
return keep_newest(now, ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8])
"""
)


@dataclass(frozen=True, slots=True)
class PageNote:
    """The note on a page in quarantine. `at`: when it was kept, Unix seconds; `fetched_at`: ISO 8601."""

    url: str
    type: str
    reason: str
    fetched_at: str
    at: float


def keep_page(
    connection: "redis.Redis",
    task: str,
    name: Fingerprint,
    page: StoredPage,
    reason: str,
    *,
    clock: Clock = time.time,
    pages_kept: int = PAGES_KEPT,
    bytes_kept: int = BYTES_KEPT,
    tasks_kept: int = TASKS_KEPT,
) -> bool:
    """Keep a page's bytes and the reason. False if the page is too large, or Redis is full."""
    now = clock()
    note = PageNote(page.url, page.content_type, reason, page.fetched_at.isoformat(), now)
    head = json.dumps(asdict(note), ensure_ascii=False).encode("utf-8", "replace")
    value = head + b"\n" + zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(page.body)
    if len(value) > bytes_kept:
        return False
    try:
        dropped = connection.register_script(_KEEP)(
            keys=[*_keys(task), keys.QUARANTINES],
            args=[name, value, repr(now), task, pages_kept, bytes_kept, tasks_kept, KEPT_FOR],
        )
    except redis.ResponseError as error:
        if not is_full_error(error):
            raise
        log.warning("task %s: Redis is full; page %s is not kept", task, page.url)
        return False
    if dropped:
        connection.unlink(*(key for other in dropped for key in _keys(other.decode())))
    return True


def kept_notes(connection: "redis.Redis", task: str) -> dict[Fingerprint, PageNote]:
    """Return the notes on the pages of a task in quarantine."""
    raw = cast(dict[bytes, bytes], connection.hgetall(_keys(task)[0]))
    return {name.decode(): _note(value) for name, value in raw.items()}


def kept_page(connection: "redis.Redis", task: str, name: Fingerprint) -> tuple[PageNote, bytes] | None:
    """Return a page in quarantine and its raw body; None if it is not kept. Raises `ValueError` if it is damaged."""
    value = cast("bytes | None", connection.hget(_keys(task)[0], name))
    if value is None:
        return None
    try:
        return _note(value), unpack_body(value.partition(b"\n")[2])
    except zstandard.ZstdError as error:
        raise ValueError(f"the page in quarantine is damaged: {error}") from None


def drop_page(connection: "redis.Redis", task: str, name: Fingerprint) -> None:
    """Remove a page from quarantine."""
    pages, times = _keys(task)
    connection.hdel(pages, name)
    connection.zrem(times, name)


def _keys(task: str) -> tuple[str, str]:
    return keys.of_task(task, "quarantine"), keys.of_task(task, "quarantine:at")


def _note(value: bytes) -> PageNote:
    return PageNote(**known_fields(PageNote, json.loads(value.partition(b"\n")[0])))
