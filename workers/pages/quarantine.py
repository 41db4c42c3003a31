"""Quarantine: pages that could not be extracted are kept in Redis, so that a person can look at them on any machine.

There are limits on the size of each task's pages, on the number of tasks, and on the time for which they are kept; the
newest are kept. Two keys per task:

    quarantine     hash: fingerprint -> a line of JSON (its record, reason, at), then the bodies (zstd)
    quarantine:at  zset: fingerprint -> when it was kept, Unix seconds
"""

from dataclasses import dataclass

import redis

from .. import keys
from ..page_store import StoredPage, note_of, noted_page, with_note
from ..redis_access.newest_kept import Limits, NewestKept
from ..redis_access.redis_clock import clock_of
from ..stored_json import loaded
from ..url_states import Fingerprint

LIMITS = Limits(items=20, bytes=2**20, tasks=200)  # a page above the bytes is not kept


@dataclass(frozen=True, slots=True)
class PageNote:
    """The note on a page in quarantine. `at`: when it was kept, Unix seconds; `fetched_at`: ISO 8601."""

    url: str
    type: str
    reason: str
    fetched_at: str
    at: float


def keep_page(
    connection: "redis.Redis", task: str, name: Fingerprint, page: StoredPage, reason: str, *, limits: Limits = LIMITS
) -> bool:
    """Keep a page's bytes and the reason. False if the page is too large, or Redis is full."""
    now = clock_of(connection).now()
    value = with_note(page, reason=reason, at=now)
    return len(value) <= limits.bytes and _quarantine(connection, task, limits).keep({name: value}, now)


def kept_notes(connection: "redis.Redis", task: str) -> dict[Fingerprint, PageNote]:
    """Return the notes on the pages of a task in quarantine."""
    return {name: _note(value) for name, value in _quarantine(connection, task).items().items()}


def kept_page(connection: "redis.Redis", task: str, name: Fingerprint) -> tuple[PageNote, bytes] | None:
    """Return a page in quarantine and its raw body; None if it is not kept. Raises `ValueError` if it is damaged."""
    value = _quarantine(connection, task).item(name)
    if value is None:
        return None
    try:
        return _note(value), noted_page(value).body
    except ValueError as error:
        raise ValueError(f"the page in quarantine is damaged: {error}") from None


def drop_page(connection: "redis.Redis", task: str, name: Fingerprint) -> None:
    """Remove a page from quarantine."""
    _quarantine(connection, task).forget([name])


def _quarantine(connection: "redis.Redis", task: str, limits: Limits = LIMITS) -> NewestKept:
    return NewestKept(connection, task, "quarantine", keys.QUARANTINES, limits)


def _note(value: bytes) -> PageNote:
    return loaded(PageNote, note_of(value))
