"""Which lists of a section to read, and which of their links are articles. No network: lists in, decisions out.

A walk begins at the start pages, which may be pages, feeds or sitemaps, and goes on to

    feed      the feeds that start pages name, and a feed's own further pages
    next      the pagination of a list, as long as it brings new links (or to its end, while the archive is incomplete)
    follow    list pages that the task names, to `depth` hops
    explored  where the task names none and the start page is not the articles' own section (the site's home page, a
              page without articles, a section above or beside theirs): pages of the same site. Their URLs are grouped
              by shape; a few pages of each shape are tried, and a shape that brings articles earns more tries while
              one that does not dries up
    sitemap   last of all, what robots.txt names or `/sitemap.xml`: the newest children of an index first

Once a walk has seen a section to its end, later walks read the start pages, the feeds, the list pages that brought
something, of each the pagination only as far as there is anything new, and of the sitemaps that found what no list
did those that changed.
"""

from collections import Counter, deque
from collections.abc import Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from urllib.parse import urljoin, urlsplit

from crawler.discovery.links import ASSET, PageLink
from crawler.discovery.listings import ListContent, ListPage
from crawler.discovery.pagination import pagination, shape_of
from crawler.discovery.sitemap_frontier import SitemapFrontier
from crawler.discovery.sitemaps import Child, usual_place
from crawler.patterns.pattern import Match, Pattern

MATCHES_KEPT = 20_000  # links whose answer is remembered
MOST_LISTS = 2000  # list pages of one run: calendars have no end
MOST_BELOW = 1000  # pages of pagination below one start page
MOST_BARREN = 10  # pages in a row without an article, after which a pagination is taken for a calendar
TRIES_PER_SHAPE = 3  # pages of a URL shape that are tried before it has brought anything
TRIES_EARNED = 3  # by a page that brought new articles
MOST_TRIES = 30  # that a shape may have in hand


@dataclass(frozen=True, slots=True)
class ArticleLink:
    """A link that is an article of the task."""

    link: PageLink
    position: int  # in the page, from 0
    match: Match


@dataclass(frozen=True, slots=True)
class JudgedLink:
    """A link of a list page with what becomes of it. `taken`: it is an article of the task, and not known yet."""

    link: PageLink
    taken: bool
    reason: str


@dataclass
class Walk:
    """One walk through a section's lists: `read` each one's links, then `note` what came of them."""

    pattern: Pattern
    starts: Sequence[str]
    follow: Sequence[Pattern] = ()
    depth: int = 3
    complete: bool = False  # an earlier walk saw the section to its end
    fruitful: Sequence[str] = ()  # list pages that brought something in earlier walks
    spares: Sequence[str] = ()  # start pages to try in turn if the ones before bring nothing
    feeds: Sequence[str] = ()  # that earlier walks found
    sitemaps: Mapping[str, datetime | None] = field(default_factory=dict)  # that earlier walks found: how far they got
    unread: Sequence[ListPage] = ()  # where an earlier run broke off
    since: date | None = None  # older articles are not asked for
    look_for_sitemaps: bool = True  # while the archive is incomplete
    asks_robots: bool = True  # for sitemaps; else only their usual place is tried
    most_lists: int = MOST_LISTS

    limits: list[str] = field(default_factory=list, init=False)  # bounds that the walk ran into: something was left out
    remarks: list[str] = field(default_factory=list, init=False)  # what a person may want to know
    _queue: deque[ListPage] = field(default_factory=deque, init=False)
    _later: deque[ListPage] = field(default_factory=deque, init=False)  # explored pages: after what is sure
    _seen: set[str] = field(default_factory=set, init=False)
    _tries: dict[str, int] = field(default_factory=dict, init=False)
    _matches: dict[str, Match | None] = field(default_factory=dict, init=False)
    _shown: set[int] = field(default_factory=set, init=False)  # the articles of each list, as one number
    _below: Counter[str] = field(default_factory=Counter, init=False)
    _repeats: int = field(default=0, init=False)
    _handed_out: int = field(default=0, init=False)
    _in_hand: int = field(default=0, init=False)  # handed out and not back; sitemaps, which wait for them, aside
    _brought: int = field(default=0, init=False)
    _explores: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.spares = list(self.spares)
        self.maps = SitemapFrontier(self.sitemaps, self.complete, self.since)
        for page in self.unread:
            self._push(replace(page, again=True))
        for url in self.starts:
            self._push(ListPage(url, "start", start=url))
        for url in self.feeds:
            self._push(ListPage(url, "feed", start=url))
        for url in self.fruitful:
            self._push(ListPage(url, "follow" if self.follow else "explored", 1, start=url))
        for url in self.sitemaps:
            self._push(ListPage(url, "sitemap", start=url))
        if self.look_for_sitemaps and not self.complete:
            for url in dict.fromkeys(urljoin(url, "/robots.txt") for url in self._homes()):
                usual = usual_place(url)
                self._push(
                    ListPage(url, "robots", start=url) if self.asks_robots else ListPage(usual, "sitemap", start=usual)
                )

    def _match(self, url: str) -> Match | None:
        """As the pattern has it; each link of a list is asked about several times."""
        if url not in self._matches:
            if len(self._matches) >= MATCHES_KEPT:
                self._matches.clear()
            self._matches[url] = self.pattern.match(url)
        return self._matches[url]

    def next_page(self) -> ListPage | None:
        """The list to read next; None if there is none now (one that is being read may bring more)."""
        if self._handed_out >= self.most_lists:
            self._limit(f"stopped after {self.most_lists} list pages")
            return None
        page = self._queue.popleft() if self._queue else self._next_explored()
        if page is None and self._in_hand == 0:
            page = self.maps.next_page()
        if page is not None:
            self._handed_out += 1
            self._in_hand += page.kind not in ("robots", "sitemap")
        return page

    def read(self, links: Iterable[PageLink]) -> list[ArticleLink]:
        """The article links among a page's links, in the page's order."""
        return [ArticleLink(link, place, match) for place, link in enumerate(links) if (match := self._match(link.url))]

    def note(self, page: ListPage, listing: ListContent, *, found: int, new: int) -> list[ListPage]:
        """What a list brought: `found` article links, `new` of them unknown. Its other links may be lists.

        Says which of those are to be read only because something was new, or this is no later walk.
        """
        self._came(page)
        self._brought += found
        if listing.cut:
            self._remark(f"{page.url}: it has more links than are taken of one list; the rest is left out")
        if page.kind == "explored":
            self._reward(page, new)
        if page.kind == "start" and listing.form == "page" and not self.follow and not self.complete:
            self._explores = self._explores or found == 0 or not self._is_own_section(page.url)
        further = [each for each in self._further(page, listing, found, new) if self._push(each)]
        for each in self.standing(page, listing):
            self._push(each)
        if page.kind == "start" and found == 0 and not self._queue:
            self._try_spare()
        return further

    def unchanged(self, page: ListPage, standing: Sequence[ListPage], *, found: int) -> None:
        """A list is what it was when a walk last read it: it had `found` articles, and `standing` lists beside."""
        self._came(page)
        self._brought += found
        if page.kind == "sitemap":
            self.maps.unchanged()
        for each in standing:
            self._push(each)

    def standing(self, page: ListPage, listing: ListContent) -> list[ListPage]:
        """The lists that a list leads to whether it brought something new or not."""
        if page.depth >= self.depth or listing.form not in ("page", "json"):
            return []
        found: list[ListPage] = []
        others = [link for link in listing.links if not self._match(link.url)]
        pages = set(pagination(page.url, others)) if self._explores else ()  # they are followed, or not, as such
        for link in others:
            if any(pattern.match(link.url) for pattern in self.follow):
                found.append(ListPage(link.url, "follow", page.depth + 1, page.start))
            elif self._explores and link.url not in pages and _may_be_list(page.url, link.url):
                found.append(ListPage(link.url, "explored", page.depth + 1, page.start))
        return found

    def failed(self, page: ListPage) -> None:
        """A list could not be read."""
        self._came(page)
        if page.kind == "start":
            self._try_spare()
        elif page.kind == "robots":
            self._push(ListPage(usual_place(page.url), "sitemap", start=usual_place(page.url)))

    def _try_spare(self) -> None:
        """A start page could not be read, or has no article links: the next spare one is tried."""
        if self._brought == 0 and self.spares:
            spares = list(self.spares)
            self._push(ListPage(spares[0], "start", start=spares.pop(0)))
            self.spares = spares

    def _came(self, page: ListPage) -> None:
        self._in_hand = max(0, self._in_hand - (page.kind not in ("robots", "sitemap")))

    # -- where a list goes on ---------------------------------------------------------------------------------------

    def _further(self, page: ListPage, listing: ListContent, found: int, new: int) -> list[ListPage]:
        goes_on = bool(new or found == 0 or not self.complete or page.again)
        match listing.form:
            case "robots":
                maps = listing.sitemaps or [Child(usual_place(page.url))]
                return [ListPage(child.url, "sitemap", start=child.url) for child in maps]
            case "sitemap":
                return self.maps.children(page, listing, found)
            case "feed":
                return self._around_feed(page, listing, found, new) if goes_on else []
        feeds = listing.feeds if page.kind == "start" and not self.complete else []
        pages = [ListPage(url, "feed", start=url) for url in feeds]
        return [*pages, *(self._pagination(page, listing, found) if goes_on else [])]

    def _pagination(self, page: ListPage, listing: ListContent, found: int) -> list[ListPage]:
        barren = 0 if found else page.barren + 1
        others = [link for link in listing.links if not self._match(link.url)]
        urls = [*listing.next, *pagination(page.url, others)]
        if not urls or self._shows_the_same(page, {link.url for link in listing.links} - {*urls}):
            return []
        if barren > MOST_BARREN:
            say = self._remark if self.complete else self._limit
            say(f"{page.url}: {MOST_BARREN} pages in a row without an article, as calendars have; left there")
            return []
        return [ListPage(url, "next", page.depth, page.start, barren) for url in urls]

    def _shows_the_same(self, page: ListPage, shown: Set[str]) -> bool:
        """Whether another page of this walk had the very same links, pagination aside: it leads round in a circle."""
        known = hash(frozenset(shown)) in self._shown
        self._shown.add(hash(frozenset(shown)))
        if not known or not shown or page.kind != "next":
            return False
        self._repeats += 1
        if self._repeats == MOST_BARREN:
            self._remark(f"{page.url} and others show the same links as pages before them; not followed on")
        return True

    def _around_feed(self, page: ListPage, listing: ListContent, found: int, new: int) -> list[ListPage]:
        """A feed's further pages; and the page it is the feed of, if all in a feed that a task names is new."""
        further = [ListPage(url, "feed", page.depth, page.start) for url in listing.next]
        overflows = new == found or not self.complete or page.again
        ours = any(_on_the_host(listing.home, url) for url in self._homes())
        if page.kind == "start" and listing.home and overflows and ours:
            further.append(ListPage(listing.home, "follow", page.depth, page.start))
        return further

    # -- the queues -------------------------------------------------------------------------------------------------

    def _homes(self) -> list[str]:
        return [*self.starts[:1], *self.pattern.prefixes()[-1:]]

    def _is_own_section(self, url: str) -> bool:
        """Whether all articles of the pattern lie below this start page, which is not the home page."""
        folder = urlsplit(url).path.rpartition("/")[0] + "/"
        prefixes = self.pattern.prefixes()
        return folder != "/" and bool(prefixes) and urlsplit(prefixes[0]).path.startswith(folder)

    def _push(self, page: ListPage) -> bool:
        if page.url in self._seen:
            return False
        if page.kind in ("next", "feed"):
            if self._below[page.start] >= MOST_BELOW:
                self._limit(f"{page.start}: stopped after {MOST_BELOW} further pages of it")
                return False
            self._below[page.start] += 1
        self._seen.add(page.url)
        match page.kind:
            case "explored":
                self._later.append(page)
            case "sitemap" | "robots":
                self.maps.push(page)
            case "feed":
                self._queue.appendleft(page)
            case _:
                self._queue.append(page)
        return True

    def _next_explored(self) -> ListPage | None:
        for _ in range(len(self._later)):
            page = self._later.popleft()
            if page.url in self.fruitful:
                return page
            shape = shape_of(page.url)
            tries = self._tries.get(shape, TRIES_PER_SHAPE)
            if tries > 0:
                self._tries[shape] = tries - 1
                return page
            self._later.append(page)  # its shape may earn tries yet
        return None

    def _reward(self, page: ListPage, new: int) -> None:
        if new:
            shape = shape_of(page.url)
            self._tries[shape] = min(MOST_TRIES, self._tries.get(shape, TRIES_PER_SHAPE) + TRIES_EARNED)

    def _remark(self, text: str) -> None:
        if text not in self.remarks:
            self.remarks.append(text)

    def _limit(self, text: str) -> None:
        if text not in self.limits:
            self.limits.append(text)


def judged(
    links: Iterable[PageLink],
    pattern: Pattern,
    follow: Sequence[Pattern] = (),
    page_url: str = "",
    known: Container[str] = frozenset(),
) -> list[JudgedLink]:
    """Say of each link of a list page (at `page_url`) whether it is taken as an article, and why, in a few words.

    `known`: the URLs that were entered before.
    """
    links = list(links)
    pages = set(pagination(page_url, [link for link in links if not pattern.match(link.url)]))
    return [_judged(link, pattern, follow, page_url, known, pages) for link in links]


def _judged(
    link: PageLink,
    pattern: Pattern,
    follow: Sequence[Pattern],
    page_url: str,
    known: Container[str],
    pages: Container[str],
) -> JudgedLink:
    if pattern.match(link.url):
        return (
            JudgedLink(link, False, "known already") if link.url in known else JudgedLink(link, True, "of the pattern")
        )
    if link.url == page_url:
        return JudgedLink(link, False, "the list page itself")
    if any(each.match(link.url) for each in follow):
        return JudgedLink(link, False, "a list page to follow")
    if link.url in pages:
        return JudgedLink(link, False, "a further page of the list")
    difference = pattern.difference(link.url) or "not of the pattern"
    host = urlsplit(link.url).netloc
    if page_url and host != urlsplit(page_url).netloc:
        return JudgedLink(link, False, f"on another host: {host}")
    if ASSET.search(urlsplit(link.url).path):
        return JudgedLink(link, False, "a file, no page")
    return JudgedLink(link, False, difference)


def fruitful_lists(brought: Mapping[str, int], starts: Sequence[str], most: int = 200) -> list[str]:
    """The list pages worth reading again in the next walk: those that brought links, the best first."""
    known = set(starts)
    useful = [url for url, new in sorted(brought.items(), key=lambda item: -item[1]) if new > 0 and url not in known]
    return useful[:most]


def _may_be_list(page: str, url: str) -> bool:
    here, there = urlsplit(page), urlsplit(url)
    return here.netloc == there.netloc and not ASSET.search(there.path)


def _on_the_host(url: str, other: str) -> bool:
    return urlsplit(url).netloc == urlsplit(other).netloc
