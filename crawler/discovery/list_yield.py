"""What the lists of one run brought, and which of them the next run should read."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from crawler.discovery.listings import ListContent, ListPage
from crawler.discovery.walk import Walk, fruitful_lists

MOST_FEEDS = 10  # of a task
MOST_MAPS = 20  # topmost sitemaps of a task
IDLE_MOST = 20  # articles that lists find while a sitemap finds none: then it is not read any more


@dataclass
class ListTally:
    """Counts by list. `past`: what the last walk that ended left behind (`to_memory`)."""

    past: Mapping[str, str]
    failed: bool = False  # the archive is not complete: a list of it could not be read
    unread: list[ListPage] = field(default_factory=list)  # lists of a later walk that could not be read
    _new: int = 0
    _brought: dict[str, int] = field(default_factory=dict)  # list page: new articles, over all runs
    _feeds: dict[str, int] = field(default_factory=dict)  # feed found on the way: articles in it
    _maps: dict[str, int] = field(default_factory=dict)  # topmost sitemap: new articles that no list had
    _past_maps: dict[str, tuple[str, int]] = field(default_factory=dict)  # as `_useful_maps`

    def __post_init__(self) -> None:
        self._brought = json.loads(self.past.get("brought", "{}"))
        self._past_maps = json.loads(self.past.get("sitemaps", "{}"))

    def fruitful(self, starts: Sequence[str]) -> list[str]:
        """The list pages that brought something in earlier walks."""
        return fruitful_lists(self._brought, starts)

    def feeds(self) -> list[str]:
        """The feeds that earlier walks found."""
        return list(json.loads(self.past.get("feeds", "[]")))

    def sitemaps(self) -> dict[str, datetime | None]:
        """The sitemaps that earlier walks found of use, each with the newest date it had."""
        return {url: datetime.fromisoformat(mark) if mark else None for url, (mark, _) in self._past_maps.items()}

    def count(self, page: ListPage, listing: ListContent, found: int, new: int) -> None:
        """A list was read: it has `found` articles, `new` of them not known before."""
        self._new += new
        if page.kind == "sitemap":
            self._maps[page.start] = self._maps.get(page.start, 0) + new
        elif page.kind == "feed":
            self._feeds[page.start] = max(found, self._feeds.get(page.start, 0))
        elif page.kind not in ("next", "robots") and (new or page.url in self._brought):
            self._brought[page.url] = self._brought.get(page.url, 0) + new

    def unchanged(self, page: ListPage, found: int) -> None:
        """A list is what it was, with `found` articles."""
        if page.kind == "feed":
            self._feeds[page.start] = found

    def missed(self, page: ListPage, complete: bool) -> None:
        """A list could not be read, which may pass. `complete`: this is a later walk."""
        if complete:
            if page.again or page.kind in ("next", "feed", "sitemap"):
                self.unread.append(page)
        elif page.kind in ("feed", "sitemap"):  # the next walk reads it
            (self._feeds if page.kind == "feed" else self._maps).setdefault(page.start, 1)
        elif page.kind != "robots":
            self.failed = True

    def to_memory(self, walk: Walk) -> dict[str, str]:
        """JSON by name."""
        feeds = [url for url, found in self._feeds.items() if found][:MOST_FEEDS]
        said = {"brought": self._brought, "feeds": feeds, "sitemaps": self._useful_maps(walk)}
        return {name: json.dumps(value, ensure_ascii=False) for name, value in said.items()}

    def _useful_maps(self, walk: Walk) -> dict[str, tuple[str, int]]:
        """The sitemaps that found what no list or feed did.

        Each with the newest date read, and how many articles lists have found since it last found one.
        """
        by_lists = self._new - sum(self._maps.values())
        useful = {}
        for url in {**self._past_maps, **self._maps}:
            new = self._maps.get(url, 0)
            mark, idle = self._past_maps.get(url, ("", 0))
            newest = walk.maps.mark_of(url)
            idle = 0 if new else idle + max(0, by_lists)
            if (new or url in self._past_maps) and idle < IDLE_MOST:
                useful[url] = (newest.isoformat() if newest else mark, idle)
        return dict(list(useful.items())[:MOST_MAPS])
