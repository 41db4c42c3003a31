"""The plan of one walk: the section, and the memory of earlier walks of the task. Configuration only."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from urllib.parse import urljoin, urlsplit

from crawler.discovery.listings import ListPage
from crawler.discovery.sitemaps import usual_place
from crawler.patterns.pattern import Pattern
from workers.url_states import Fingerprint

MOST_LISTS = 2000  # list pages of one run; calendars are endless


@dataclass(frozen=True, slots=True)
class WalkPlan:
    """The configuration of a walk."""

    pattern: Pattern
    starts: Sequence[str]
    follow: Sequence[Pattern] = ()
    depth: int = 3
    complete: bool = False  # whether an earlier walk saw the section to its end
    productive: Sequence[str] = ()  # list pages that led to new articles in earlier walks
    fallback_starts: Sequence[str] = ()  # start pages to try in turn while no list has articles
    feeds: Sequence[str] = ()  # found by earlier walks
    sitemaps: Mapping[str, datetime | None] = field(
        default_factory=dict
    )  # found by earlier walks: the newest date read
    unread: Sequence[ListPage] = ()  # lists that an interrupted run left unread
    fresh: Collection[Fingerprint] = ()  # articles on the lists read by walks that left others unread
    since: date | None = None  # older articles are left out
    look_for_sitemaps: bool = True  # while the archive is incomplete
    read_robots: bool = True  # to find sitemaps; otherwise only their usual URL is tried
    most_lists: int = MOST_LISTS

    def first_lists(self) -> Iterator[ListPage]:
        """Yield the lists with which the walk begins, in their order."""
        yield from (replace(page, resumed=True) for page in self.unread if page.kind in ("sitemap", "robots"))
        yield from (ListPage(url, "start", start=url) for url in self.starts)
        yield from (ListPage(url, "feed", start=url) for url in self.feeds)
        yield from (ListPage(url, "follow" if self.follow else "explored", 1, start=url) for url in self.productive)
        yield from (ListPage(url, "sitemap", start=url) for url in self.sitemaps)
        if self.look_for_sitemaps and not self.complete:
            for url in dict.fromkeys(urljoin(url, "/robots.txt") for url in self.homes()):
                usual = usual_place(url)
                yield (
                    ListPage(url, "robots", start=url) if self.read_robots else ListPage(usual, "sitemap", start=usual)
                )

    def homes(self) -> list[str]:
        """Return the first start page, and the outermost folder in the pattern."""
        return [*self.starts[:1], *self.pattern.prefixes()[-1:]]


def is_own_section(url: str, pattern: Pattern) -> bool:
    """Whether all articles of the pattern are below the folder of this list page, which is not the home page."""
    folder = urlsplit(url).path.rpartition("/")[0] + "/"
    prefixes = pattern.prefixes()
    return folder != "/" and bool(prefixes) and urlsplit(prefixes[0]).path.startswith(folder)
