"""The choice of a section's sitemaps: they can be many, large and old. No network, no Redis.

    robots.txt → news sitemaps → the others, newest first, up to a bound; of each URL shape only a few without articles

A later walk continues where an earlier one ended. It reads the children of an index that changed since its mark (the
newest date in it); if the index gives no dates of changes, it reads the first and the last child. An index whose dates
are older than what its children list, because nobody updates them, has no mark: all its children are read.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlsplit

from crawler.discovery.links import ListContent, PageLink
from crawler.discovery.listings import ListPage

MOST_SITEMAPS = 50  # sitemaps of a walk through the whole archive
LATER_SITEMAPS = 10  # sitemaps of a later walk
SITEMAP_DEPTH = 3  # levels of nested indexes
SITEMAP_TRIES = 3  # sitemaps of one shape without an article, after which the others are not read
LATE = timedelta(days=3)  # how much older than the newest date a newly listed article may be
PRODUCTIVE = -10_000  # count for a shape that has articles; it allows more sitemaps than a walk reads

_DIGITS = re.compile(r"\d+")
_MONTH = re.compile(r"(?<!\d)((?:19|20)\d\d)(?:[-_/.]?(0[1-9]|1[0-2])(?:[-_/.]?(0[1-9]|[12]\d|3[01]))?)?(?!\d)")


@dataclass
class SitemapFrontier:
    """The sitemaps of one walk. `past`: topmost sitemap → its mark; `complete`, `since`: as in the walk's plan."""

    past: Mapping[str, datetime | None]
    complete: bool = False
    since: date | None = None

    _marks: dict[str, datetime | None] = field(default_factory=dict, init=False)  # the newest date seen
    _untrue: set[str] = field(default_factory=set, init=False)  # topmost sitemaps with dates that nobody updates
    _waiting: list[ListPage] = field(default_factory=list, init=False)
    _tries: dict[str, int] = field(default_factory=dict, init=False)
    _read: int = field(default=0, init=False)

    def push(self, page: ListPage) -> None:
        """Queue a sitemap, or a robots.txt, which names some."""
        self._waiting.append(page)

    def next_page(self) -> ListPage | None:
        """Return the sitemap to read next; None if none is left, or enough were read."""
        self._waiting = [page for page in self._waiting if self._is_promising(page)]
        if not self._waiting or self._has_read_enough():
            return None
        page = max(self._waiting, key=_urgency)
        self._waiting.remove(page)
        self._read += page.kind == "sitemap"
        return page

    def unread(self) -> int:
        """Return how many were found and not read, because of the limit."""
        return sum(self._is_promising(page) for page in self._waiting) if self._has_read_enough() else 0

    def _has_read_enough(self) -> bool:
        return self._read >= (LATER_SITEMAPS if self.complete else MOST_SITEMAPS)

    def mark_of(self, url: str) -> datetime | None:
        """Return how far a topmost sitemap was read: the newest date in it or in its children.

        It is the earlier mark if a later walk left a part of it unread; None, from then on, if its dates are untrue.
        """
        if url in self._untrue or (self.complete and url in self.past and self.past[url] is None):
            return None
        has_unread = self.complete and any(page.start == url and self._is_promising(page) for page in self._waiting)
        return self.past.get(url) if has_unread else self._marks.get(url) or self.past.get(url)

    def record_unchanged(self) -> None:
        """Record that a sitemap returned by `next_page` has not changed: it does not count towards the limit."""
        self._read -= 1

    def is_past(self, page: ListPage, moment: datetime | None, newest: datetime | None) -> bool:
        """Whether an earlier walk has read what a sitemap lists with the date `moment`. `newest`: the newest in it."""
        mark = self.past.get(page.start) if page.kind == "sitemap" and self.complete else None
        return mark is not None and moment is not None and moment < min(mark, newest or mark) - LATE

    def record_read(self, page: ListPage, listing: ListContent, found: int) -> list[ListPage]:
        """Record a sitemap with `found` articles of the task; return the children that are worth reading."""
        dated = [link.published for link in (*listing.sitemaps, *listing.links) if link.published]
        newest = max(dated, default=None)
        self._mark(page, newest)
        if page.changed and newest and newest - page.changed > LATE:
            self._untrue.add(page.start)
        if not listing.sitemaps:
            shape = _shape_of(page.url)
            self._tries[shape] = PRODUCTIVE if found else self._tries.get(shape, 0) + 1
        if page.depth >= SITEMAP_DEPTH:
            return []
        ends = {listing.sitemaps[0].url, listing.sitemaps[-1].url} if listing.sitemaps else set()
        return [
            ListPage(child.url, "sitemap", page.depth + 1, page.start, changed=child.published)
            for child in listing.sitemaps
            if self._is_worth(page, child, child.url in ends)
        ]

    def _mark(self, page: ListPage, newest: datetime | None) -> None:
        known = self._marks.get(page.start)
        self._marks[page.start] = max(known, newest) if known and newest else known or newest

    def _is_worth(self, page: ListPage, child: PageLink, at_an_end: bool) -> bool:
        """Whether a child of an index may have articles that this walk is to find."""
        over = child.published or last_day_in(child.url)
        if self.since and over and over.date() < self.since:
            return False
        mark = self.past.get(page.start)
        if not self.complete or mark is None or page.resumed:
            return True
        if child.published is None:
            return at_an_end if over is None else over >= mark
        is_day = child.published.time() == datetime.min.time()
        return child.published > mark or (is_day and child.published.date() >= mark.date())

    def _is_promising(self, page: ListPage) -> bool:
        return self._tries.get(_shape_of(page.url), 0) < SITEMAP_TRIES


def _urgency(page: ListPage) -> tuple[bool, bool, datetime]:
    over = page.changed or last_day_in(page.url)
    return page.kind == "robots", "news" in page.url.lower(), over or datetime.min.replace(tzinfo=UTC)


def last_day_in(url: str) -> datetime | None:
    """Return when the year, month or day in a sitemap's URL ends (`sitemap-2019-05.xml`); None if the URL has none."""
    dates = [*_MONTH.finditer(urlsplit(url).path + "?" + urlsplit(url).query)]
    if not dates:
        return None
    year, month, day = dates[-1].groups()
    try:
        if day:
            return datetime(int(year), int(month), int(day), tzinfo=UTC) + timedelta(days=1)
        return datetime(int(year) + (month in (None, "12")), int(month) % 12 + 1 if month else 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _shape_of(url: str) -> str:
    """Return the shape of a sitemap's URL. Those of one shape differ only in numbers and list the same kind of page."""
    return _DIGITS.sub("0", url)
