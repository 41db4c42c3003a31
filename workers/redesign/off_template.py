"""Pages off the template: they do not have any known template of their section (`Article.fits`).

After a redesign a new example is chosen among them (`workers.redesign.proposal_finder`), and they are extracted again
with it (`workers.redesign.adoption`). So each has a note, and the newest pages are kept too. There are limits on the
number and size of each task's pages, on the number of tasks, and on the time for which they are kept. Keys of a task:

    low           hash: fingerprint -> a line of JSON (`OffTemplateNote`)
    low:at        zset: fingerprint -> when it was extracted, Unix seconds
    low:pages     hash: fingerprint -> the page, after a line of JSON with its record (`workers.page_store`)
    low:pages:at  zset: likewise
    low:pending   zset: worker that may still find a new example in pages it has settled -> when its mark expires
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import redis

from .. import keys
from ..page_store import StoredPage, noted_page, with_note
from ..redis_access.full_redis import even_when_full
from ..redis_access.newest_kept import Limits, NewestKept
from ..redis_access.redis_clock import clock_of
from ..stored_json import loaded
from ..url_states import Fingerprint

PAGES = Limits(items=20, bytes=2 * 2**20, tasks=100)
NOTES = Limits(items=1000, bytes=1000 * 2**12, tasks=100)  # 0.3 MB
PENDING_FOR = 120.0  # seconds after which the mark of a dead worker does not count


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


class OffTemplatePages:
    """The pages of one task that are off the template. Safe for any number of processes."""

    def __init__(self, connection: "redis.Redis", task: str):
        self.clock = clock_of(connection).now
        self._notes, self._pages = (
            NewestKept(connection, task, kind, keys.OFF_TEMPLATE, limits, together=("low", "low:pages"))
            for kind, limits in (("low", NOTES), ("low:pages", PAGES))
        )

    def note(self, found: Mapping[Fingerprint, tuple[OffTemplateNote, StoredPage | None]]) -> int:
        """Keep notes, and the pages that are given with them; return their number. A full Redis keeps none."""
        now = self.clock()
        notes = {
            name: json.dumps(asdict(note), ensure_ascii=False).encode("utf-8", "replace")
            for name, (note, _) in found.items()
        }
        pages = {name: with_note(page) for name, (_, page) in found.items() if page}
        return len(found) if self._notes.keep(notes, now) and self._pages.keep(pages, now) else 0

    def count(self) -> int:
        """Return how many pages are noted."""
        return self._notes.count()

    def notes(self) -> dict[Fingerprint, OffTemplateNote]:
        """Return all notes, oldest first."""
        notes = {name: loaded(OffTemplateNote, line) for name, line in self._notes.items().items()}
        return dict(sorted(notes.items(), key=lambda pair: pair[1].at))

    def pages(self) -> dict[Fingerprint, StoredPage]:
        """Return the pages that are kept, oldest first; damaged ones are left out."""
        pages = {}
        for name, value in self._pages.items().items():
            with suppress(ValueError):
                pages[name] = noted_page(value)
        return pages

    def forget(self, names: Iterable[Fingerprint]) -> None:
        """Remove these notes and pages: they are extracted again, or are no longer evidence."""
        noted = [*names]
        self._notes.forget(noted)
        self._pages.forget(noted)


def mark_pending(connection: "redis.Redis", task: str, worker: str) -> None:
    """Mark the task: the worker is about to settle pages off its template. A full Redis takes the mark, too."""
    even_when_full(connection, "ZADD", _pending(task), clock_of(connection).now() + PENDING_FOR, worker)


def unmark_pending(connection: "redis.Redis", task: str, worker: str) -> None:
    """Remove the mark of a worker that has looked for a new example."""
    connection.zrem(_pending(task), worker)


def redesign_pending(connection: "redis.Redis", task: str) -> bool:
    """Whether a worker may still find a new example in the pages that it has settled."""
    now = clock_of(connection).now()
    return bool(connection.zcount(_pending(task), now, now + PENDING_FOR))


def _pending(task: str) -> str:
    return keys.of_task(task, "low:pending")
