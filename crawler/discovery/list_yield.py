"""The list yield: the articles to which each list of one run led, and which lists the next run should read."""

from collections.abc import Sequence
from datetime import datetime

from crawler.discovery.crawl_state import WalkMemory
from crawler.discovery.listings import ListPage
from crawler.discovery.sitemap_frontier import SitemapFrontier
from crawler.patterns.pattern import Pattern

MOST_PRODUCTIVE = 200  # list pages that a walk reads again
MOST_COUNTED = 1000  # list pages whose new articles are counted from walk to walk
MOST_FEEDS = 10  # feeds of a task
MOST_MAPS = 20  # topmost sitemaps of a task
IDLE_MOST = 20  # articles found on lists since a sitemap last gave one, after which it is no longer read


class ListYield:
    """The counts of articles by list. `past`: the memory of the last walk that ended.

    `starts`: the start pages that the task names. They are not counted: each walk reads those of its days, and no walk
    reads those of earlier days.
    """

    def __init__(self, past: WalkMemory, starts: Sequence[Pattern] = ()):
        self.past, self._starts = past, starts
        self.failed = False  # whether a list of the archive could not be read, so that the archive is incomplete
        self.unread: list[ListPage] = []  # lists of a later walk that could not be read
        self._new = 0
        self._new_by_list = {url: new for url, new in past.new_by_list.items() if not self._is_named(url)}
        self._feeds: dict[str, int] = {}  # feed found during the walk: articles in it
        self._maps: dict[str, int] = {}  # topmost sitemap: new articles that no list had

    def productive(self, starts: Sequence[str]) -> list[str]:
        """Return the list pages, other than start pages, that led to new articles in earlier walks, the best first."""
        known, best_first = set(starts), sorted(self._new_by_list.items(), key=lambda item: -item[1])
        return [url for url, new in best_first if new > 0 and url not in known][:MOST_PRODUCTIVE]

    def sitemaps(self) -> dict[str, datetime | None]:
        """Return the useful sitemaps that earlier walks found, each with the newest date read."""
        return {url: newest for url, (newest, _) in self.past.sitemaps.items()}

    def record_read(self, page: ListPage, found: int, new: int) -> None:
        """Record a list that was read, with `found` articles, `new` of them unknown before."""
        self._new += new
        if page.kind == "sitemap":
            self._maps[page.start] = self._maps.get(page.start, 0) + new
        elif page.kind == "feed":
            self._feeds[page.start] = max(found, self._feeds.get(page.start, 0))
        elif page.kind in ("next", "robots"):
            return
        elif page.url in self._new_by_list or (new > 0 and not self._is_named(page.url)):
            self._new_by_list[page.url] = self._new_by_list.get(page.url, 0) + new

    def record_unchanged(self, page: ListPage, found: int) -> None:
        """Record that a list with `found` articles has not changed."""
        if page.kind == "feed":
            self._feeds[page.start] = found

    def record_failure(self, page: ListPage, complete: bool) -> None:
        """Record that a list temporarily could not be read. `complete`: this is a later walk."""
        if complete:
            if page.resumed or page.kind in ("next", "feed", "sitemap"):
                self.unread.append(page)
        elif page.kind in ("feed", "sitemap"):  # the next walk reads it anyway
            (self._feeds if page.kind == "feed" else self._maps).setdefault(page.start, 1)
        elif page.kind != "robots":
            self.failed = True

    def _is_named(self, url: str) -> bool:
        return any(start.match(url) for start in self._starts)

    def to_memory(self, maps: SitemapFrontier) -> WalkMemory:
        """Return the memory for the next walk, at the end of this one; `maps`: its sitemaps."""
        feeds = [url for url, found in self._feeds.items() if found][:MOST_FEEDS]
        # Best first; of equal ones the latest found.
        latest_first = list(self._new_by_list.items())[::-1]
        counted = dict(sorted(latest_first, key=lambda item: -item[1])[:MOST_COUNTED])
        return WalkMemory(True, not self.failed, counted, feeds, self._useful_maps(maps))

    def _useful_maps(self, maps: SitemapFrontier) -> dict[str, tuple[datetime | None, int]]:
        """Return the sitemaps with articles that were in no list or feed.

        Each with the newest date read, and the number of articles found in lists since it last gave such an article.
        """
        by_lists = self._new - sum(self._maps.values())
        useful: dict[str, tuple[datetime | None, int]] = {}
        for url in {**self.past.sitemaps, **self._maps}:
            new = self._maps.get(url, 0)
            newest, idle = self.past.sitemaps.get(url, (None, 0))
            idle = 0 if new else idle + max(0, by_lists)
            if (new or url in self.past.sitemaps) and idle < IDLE_MOST:
                useful[url] = (maps.mark_of(url) or newest, idle)
        return dict(list(useful.items())[:MOST_MAPS])
