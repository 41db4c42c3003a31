"""Recent pages: up to `MOST` confident pages of a section that vote besides its example, the same in every worker.

They are kept in Redis (hash `recent` of the task), each compressed with the example as dictionary: 8 to 50 KB for all
four (medians of the development sets), at most `MOST` × `LARGEST` bytes per task. The example's version and the number
of their changes are together the section version, which identifies the voters and their order; each row has it.

All changes go through one script that compares the version first. If two workers offer pages at the same time, one
succeeds, and the other's pages are not added. Recent pages of a replaced example no longer vote. If the
example was replaced after a redesign (`workers.redesign.adoption`), the former example stays among the recent pages: it
alone votes on the pages that still have its template.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import redis
import zstandard

from extractors import Article, Section, UnusablePage
from extractors.article import MAYBE_LISTS
from extractors.methods.example.extractor import MEMORY
from extractors.page_types.classify import page_type

from .. import keys
from ..page_store import StoredPage, unpack, unpack_body
from ..redis_access.full_redis import even_when_full, in_one_step
from ..redis_access.redis_clock import clock_of
from ..url_states import Fingerprint
from .near_duplicates import ENTRY, SHORTEST, alike, entry_of

MOST = MEMORY - 1  # beside the example
FORMER_KEPT = 2  # the newest former examples among them
REPLACE_AFTER = 86400.0  # seconds; then the oldest of `MOST` pages is replaced, to follow slow changes of a template
CONFIDENT = 0.9  # least confidence
LARGEST = 2**17  # bytes of a compressed page: the median of pages of 300 KB is 10 to 34 KB
ZSTD_LEVEL = 3  # 1 ms for 300 KB; with level 9 pages are a tenth to a sixth smaller

_CHANGE = """
-- Replace a section's recent pages. KEYS: example, recent. ARGV: the example's version, changes so far,
-- (field, value) … -> 1, or 0 if the section has another version by now
local version, changes = unpack(redis.call('HMGET', KEYS[1], 'version', 'recent'))
if version ~= ARGV[1] or (changes or '0') ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[2], unpack(ARGV, 3))
redis.call('HINCRBY', KEYS[1], 'recent', 1)
return 1
"""


@dataclass(frozen=True, slots=True)
class RecentPage:
    """A page that votes. `near`: its `ENTRY` of `near_duplicates`. `former`: it was the section's example before."""

    name: Fingerprint
    url: str
    content_type: str
    near: bytes
    packed: bytes
    former: bool = False

    def body(self, example: StoredPage) -> bytes:
        """Return the raw bytes. Raises `ValueError` if they are damaged."""
        try:
            return unpack_body(self.packed, _dictionary(example))
        except zstandard.ZstdError as error:
            raise ValueError(f"stored page is damaged: {error}") from None


@dataclass(frozen=True, slots=True)
class SectionPages:
    """All pages that vote on a task's pages: the example and the recent ones, oldest first.

    `changes`: how often the recent pages changed; `joined_at`: the time of the last change, in Unix seconds.
    """

    example_version: str
    changes: int
    example: StoredPage
    recent: tuple[RecentPage, ...] = ()
    joined_at: float = 0.0

    @property
    def version(self) -> str:
        """Return the section version, as `section_version` does."""
        return _version(self.example_version, self.changes)

    def stored(self, page: RecentPage) -> StoredPage:
        """Return a recent page; it has the time of the example."""
        return StoredPage(page.url, page.body(self.example), page.content_type, self.example.fetched_at)


def section_version(connection: "redis.Redis", task: str) -> str | None:
    """Return the name of the present voters; None if the task has no example yet. Equal versions give equal votes."""
    example = keys.of_task(task, "example")
    version, changes = cast("list[bytes | None]", connection.hmget(example, "version", "recent"))
    return _version(version.decode(), int(changes or 0)) if version else None


def section_pages(connection: "redis.Redis", task: str) -> SectionPages | None:
    """Read the example and the recent pages in one step; None without an example. Raises `ValueError` if damaged."""
    flat = in_one_step(connection, [("HGETALL", keys.of_task(task, name)) for name in ("example", "recent")])
    example, recent = (dict(zip(pairs[::2], pairs[1::2], strict=True)) for pairs in flat)
    if b"version" not in example:
        return None
    version = example[b"version"]
    stored = unpack({name.decode(): value for name, value in example.items()})
    changes = int(example.get(b"recent", 0))
    if recent.get(b"example") != version:
        return SectionPages(version.decode(), changes, stored)
    pages = tuple(_page(recent, number) for number in range(1, int(recent[b"pages"]) + 1))
    return SectionPages(version.decode(), changes, stored, pages, float(recent[b"at"]))


def begin_recent(connection: "redis.Redis", task: str, page: RecentPage) -> int:
    """Count that a worker begins to prepare the page; return how many began since one finished."""
    return int(even_when_full(connection, "HINCRBY", keys.of_task(task, "recent"), f"begun:{page.name}", 1))


def end_recent(connection: "redis.Redis", task: str, page: RecentPage) -> None:
    """Record that a worker has finished preparing the page."""
    connection.hdel(keys.of_task(task, "recent"), f"begun:{page.name}")


def drop_recent(connection: "redis.Redis", task: str, pages: SectionPages, page: RecentPage) -> bool:
    """Remove a page from the vote. False if the section version has changed."""
    kept = tuple(other for other in pages.recent if other is not page)
    return _change(connection, task, pages, kept, pages.joined_at)


class Candidates:
    """Chooses, among the pages that a worker writes, those that join the vote. Belongs to one section version.

    The pages chosen in one job are offered together at its end, so that the version changes once. No candidate is kept
    between jobs.
    """

    def __init__(self, connection: "redis.Redis", task: str, section: Section, pages: SectionPages):
        self._clock = clock_of(connection).now
        self._redis, self._task, self._section = connection, task, section
        self._version, self._voting, self._joined_at = pages.version, len(pages.recent), pages.joined_at
        self._pages: SectionPages | None = None  # read when needed: a worker has hundreds of instances
        self._known = b""  # the texts of the example and the recent pages, as `ENTRY`s of `near_duplicates`
        self._chosen: list[RecentPage] = []

    def has_room(self) -> bool:
        """Whether a page may still join: while there are fewer than `MOST`, and later once in `REPLACE_AFTER`."""
        free = MOST - self._voting
        if not free and self._clock() >= self._joined_at + REPLACE_AFTER:
            free = 1
        return len(self._chosen) < free

    def consider(self, name: Fingerprint, page: StoredPage, article: Article) -> None:
        """Choose the page if there is room, it is surely an article, and its text is unlike those of all voters."""
        if not self.has_room() or page.parts or page.missing or not _is_confident(article):
            return
        pages = self._open()
        if pages is None or name in {other.name for other in (*pages.recent, *self._chosen)}:
            return
        near = entry_of(article.text)
        if alike(np.frombuffer(self._known, ENTRY), near).size:
            return
        if not page_type(page.body, page.url, content_type=page.content_type).is_rather_article:
            return
        packed = _pack(page.body, pages.example)
        if len(packed) <= LARGEST:
            self._chosen.append(RecentPage(name, page.url, page.content_type, near.tobytes(), packed))
            self._known += near.tobytes()

    def offer(self) -> bool:
        """Add the chosen pages and drop the oldest. False if none was chosen, or the section version has changed."""
        pages, chosen = self._pages, self._chosen
        self._pages, self._chosen = None, []
        if pages is None or not chosen:
            return False
        former = tuple(page for page in pages.recent if page.former)
        recent = (*(page for page in pages.recent if not page.former), *chosen)
        return _change(self._redis, self._task, pages, (*former, *recent[-(MOST - len(former)) :]), self._clock())

    def _open(self) -> SectionPages | None:
        """Read the section's pages, once a job; None if the section version has changed."""
        if self._pages is None:
            pages = section_pages(self._redis, self._task)
            if pages is None or pages.version != self._version:
                return None
            example = entry_of(_text(self._section, pages.example)).tobytes()
            self._known = b"".join((example, *(page.near for page in pages.recent)))
            self._pages = pages
        return self._pages


def _is_confident(article: Article) -> bool:
    return (
        article.method == "example"
        and article.confidence >= CONFIDENT
        and article.page_type not in MAYBE_LISTS
        and len(article.text) >= SHORTEST
    )


def _text(section: Section, page: StoredPage) -> str:
    try:
        return section.extract(page.body, page.url, content_type=page.content_type).text
    except UnusablePage:
        return ""


def former_pages(pages: SectionPages, new: StoredPage) -> tuple[RecentPage, ...]:
    """Return the former examples that vote besides a new one, oldest first; those that are too large are left out."""
    bodies = [
        (page.url, page.content_type, page.near, page.body(pages.example)) for page in pages.recent if page.former
    ]
    example = pages.example
    bodies.append((example.url, example.content_type, b"", example.body))
    packed = [
        RecentPage(f"former{place}", url, content_type, near, _pack(body, new), former=True)
        for place, (url, content_type, near, body) in enumerate(bodies[-FORMER_KEPT:])
    ]
    return tuple(page for page in packed if len(page.packed) <= LARGEST)


def stored_form(example_version: str, recent: Sequence[RecentPage], joined_at: float) -> dict[str, str | bytes | float]:
    """Return the fields of the hash that has a section's recent pages."""
    fields: dict[str, str | bytes | float] = {"example": example_version, "pages": len(recent), "at": joined_at}
    for number, page in enumerate(recent, 1):
        fields[f"name:{number}"] = page.name
        fields[f"url:{number}"] = page.url
        fields[f"type:{number}"] = page.content_type.encode("latin-1", "replace")
        fields[f"near:{number}"] = page.near
        fields[f"body:{number}"] = page.packed
        if page.former:
            fields[f"former:{number}"] = "1"
    return fields


def _change(
    connection: "redis.Redis", task: str, pages: SectionPages, recent: tuple[RecentPage, ...], joined_at: float
) -> bool:
    fields = stored_form(pages.example_version, recent, joined_at)
    args = [pages.example_version, pages.changes, *(part for pair in fields.items() for part in pair)]
    change = connection.register_script(_CHANGE)
    return bool(change(keys=[keys.of_task(task, "example"), keys.of_task(task, "recent")], args=args))


def _page(stored: Mapping[bytes, bytes], number: int) -> RecentPage:
    name, url, kind, near, body = (
        stored[f"{what}:{number}".encode()] for what in ("name", "url", "type", "near", "body")
    )
    former = f"former:{number}".encode() in stored
    return RecentPage(name.decode(), url.decode(), kind.decode("latin-1"), near, body, former)


def _version(example: str, changes: int) -> str:
    return f"{example}+{changes}"


def _pack(body: bytes, example: StoredPage) -> bytes:
    return zstandard.ZstdCompressor(level=ZSTD_LEVEL, dict_data=_dictionary(example)).compress(body)


def _dictionary(example: StoredPage) -> zstandard.ZstdCompressionDict:
    """Return the example as dictionary: pages of one template have most of their bytes in common."""
    return zstandard.ZstdCompressionDict(example.body, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
