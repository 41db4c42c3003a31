"""The walk through a section: which lists are read, and which of their links are articles.

No network: the input is lists, the output decisions.

A walk begins at the start pages, which may be pages, feeds or sitemaps, and continues with

    feed      the feeds that start pages name, and a feed's own further pages
    next      the pagination of a list, while it leads to new links (or to its end, while the archive is incomplete)
    follow    list pages that the task names, to `depth` hops
     explored  if the task names none, and the start page is not the articles' own section (but the site's home page, a
               page without articles, a section above or beside theirs): pages of the same site. Their URLs are grouped
              by shape; a few pages of each shape are tried, and more of those shapes that lead to new articles
    sitemap   last, what robots.txt names or `/sitemap.xml`: the newest children of an index first

Once a walk has seen a section to its end, later walks read the start pages, the feeds, the list pages that led to
articles, of each list the pagination only while it shows new links, and the changed ones among the sitemaps that led
to articles which no list had. They explore again if a start page has no articles any more and no other list led to any.

A section may grow during the walk. If it grew by a whole page, the next page shows the links of the last one, and
articles that are new to the task may follow. So the walk continues past such pages, but at most as many as were read
before; more of them are a loop. Later walks do not end at links that are known only since this walk began, or since an
earlier one began that left lists unread.

The lists that are known and not read yet wait in a frontier:

    feeds, then start pages, pagination and followed pages → lists left unread by an earlier walk, unless the pagination
    led to them → explored pages, a few of each URL shape → sitemaps
"""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from crawler.discovery.links import ASSET, ListContent, PageLink
from crawler.discovery.listings import Kind, ListPage
from crawler.discovery.pagination import pagination, shape_of
from crawler.discovery.sitemap_frontier import SitemapFrontier
from crawler.discovery.sitemaps import USUAL_PLACE
from crawler.patterns.pattern import Match, Pattern
from workers.url_states import Fingerprint, fingerprint

MOST_LISTS = 2000  # list pages of one run; calendars are endless
MOST_BELOW = 1000  # pages of pagination below one start page
TRIES_PER_SHAPE = 3  # pages of a URL shape that are tried before one has led to new articles
TRIES_EARNED = 3  # further tries after a page that led to new articles
MOST_TRIES = 30  # tries that a shape may have at most
MATCHES_KEPT = 20_000  # links whose match is cached
SHIFTS_MORE = 5  # pages in a row that may repeat earlier ones, beyond the number of those: a section may grow again
REPEATS_MOST = 50  # pages of one walk that repeat earlier ones and lead to nothing new
MOST_WITHOUT_ARTICLES = 10  # pages in a row without an article, after which a pagination counts as a calendar


@dataclass(frozen=True, slots=True)
class WalkPlan:
    """The configuration of a walk: the section, and the memory of earlier walks of the task."""

    pattern: Pattern
    starts: Sequence[str]
    follow: Sequence[Pattern] = ()
    depth: int = 3
    complete: bool = False  # whether an earlier walk saw the section to its end
    productive: Sequence[str] = ()  # list pages that led to new articles in earlier walks
    fallback_starts: Sequence[str] = ()  # start pages to try in turn while no list has articles
    feeds: Sequence[str] = ()  # found by earlier walks
    sitemaps: Mapping[str, datetime | None] = field(default_factory=dict)  # of earlier walks: the newest date read
    unread: Sequence[ListPage] = ()  # lists that an interrupted run left unread
    fresh: Collection[Fingerprint] = ()  # articles on the lists read by walks that left others unread
    since: date | None = None  # older articles are left out
    read_robots: bool = True  # to find sitemaps; otherwise only their usual URL is tried

    def first_lists(self) -> Iterator[ListPage]:
        """Yield the lists with which the walk begins, in their order."""
        yield from (replace(page, resumed=True) for page in self.unread if page.kind in ("sitemap", "robots"))
        yield from (ListPage(url, "start", start=url) for url in self.starts)
        yield from (ListPage(url, "feed", start=url) for url in self.feeds)
        yield from (ListPage(url, "follow" if self.follow else "explored", 1, start=url) for url in self.productive)
        yield from (ListPage(url, "sitemap", start=url) for url in self.sitemaps)
        if not self.complete:
            kind: Kind = "robots" if self.read_robots else "sitemap"
            place = "/robots.txt" if self.read_robots else USUAL_PLACE
            for url in dict.fromkeys(urljoin(url, place) for url in self.homes()):
                yield ListPage(url, kind, start=url)

    def homes(self) -> list[str]:
        """Return the first start page, and the outermost folder in the pattern."""
        return [*self.starts[:1], *self.pattern.prefixes()[-1:]]


def is_own_section(url: str, pattern: Pattern) -> bool:
    """Whether all articles of the pattern are below the folder of this list page, which is not the home page."""
    folder = urlsplit(url).path.rpartition("/")[0] + "/"
    prefixes = pattern.prefixes()
    return folder != "/" and bool(prefixes) and urlsplit(prefixes[0]).path.startswith(folder)


class ListFrontier:
    """The lists that wait, in the order in which they are read. `limits`: the bounds that it reached, each once."""

    def __init__(self, plan: WalkPlan):
        self.maps = SitemapFrontier(plan.sitemaps, plan.complete, plan.since)
        self.limits: dict[str, None] = {}
        self._plan = plan
        self._waiting: deque[ListPage] = deque()
        self._explored: deque[ListPage] = deque()
        self._unread = {page.url: page for page in plan.unread if page.kind not in ("sitemap", "robots")}
        self._known: set[str] = set()
        self._tries: dict[str, int] = {}
        self._below: Counter[str] = Counter()
        self._handed_out = 0
        self._in_progress = 0  # lists returned and not done, without sitemaps, which are read after all others
        for page in plan.first_lists():
            self.push(page)

    @property
    def has_waiting(self) -> bool:
        """Whether lists wait that are neither explored pages nor sitemaps."""
        return bool(self._waiting or self._unread)

    def push(self, page: ListPage) -> bool:
        """Queue a list; return False if it is known or beyond a bound."""
        if page.url in self._known:
            return False
        if self._unread.pop(page.url, None):
            page = replace(page, resumed=True)
        if page.kind in ("next", "feed"):
            if self._below[page.start] >= MOST_BELOW:
                self.limits.setdefault(f"{page.start}: stopped after {MOST_BELOW} further pages of it")
                return False
            self._below[page.start] += 1
        self._known.add(page.url)
        match page.kind:
            case "explored":
                self._explored.append(page)
            case "sitemap" | "robots":
                self.maps.push(page)
            case "feed":
                self._waiting.appendleft(page)
            case _:
                self._waiting.append(page)
        return True

    def next_page(self) -> ListPage | None:
        """Return the list to read next; None if there is none now (one that is being read may lead to more)."""
        if self._handed_out >= MOST_LISTS:
            self.limits.setdefault(f"stopped after {MOST_LISTS} list pages")
            return None
        if not self._waiting and self._in_progress == 0:
            for unread in [*self._unread.values()]:
                self.push(unread)
        page = self._waiting.popleft() if self._waiting else self._next_explored()
        if page is None and self._in_progress == 0:
            page = self.maps.next_page()
        if page is not None:
            self._handed_out += 1
            self._in_progress += page.kind not in ("robots", "sitemap")
        return page

    def mark_done(self, page: ListPage) -> None:
        """Record that a list was read, or could not be read."""
        self._in_progress = max(0, self._in_progress - (page.kind not in ("robots", "sitemap")))

    def earn_tries(self, page: ListPage) -> None:
        """Allow more pages of a shape to be tried, because an explored page of it led to new articles."""
        shape = shape_of(page.url)
        self._tries[shape] = min(MOST_TRIES, self._tries.get(shape, TRIES_PER_SHAPE) + TRIES_EARNED)

    def _next_explored(self) -> ListPage | None:
        for _ in range(len(self._explored)):
            page = self._explored.popleft()
            if page.url in self._plan.productive:
                return page
            shape = shape_of(page.url)
            tries = self._tries.get(shape, TRIES_PER_SHAPE)
            if tries > 0:
                self._tries[shape] = tries - 1
                return page
            self._explored.append(page)  # its shape may still earn tries
        return None


@dataclass(frozen=True, slots=True)
class ArticleLink:
    """A link to an article of the task."""

    link: PageLink
    match: Match


class Walk:
    """One walk through a section's lists: read `next_page`, then call one of the `record_` methods.

    `limits`: the bounds that it reached, so that something was left out; `remarks`: notes for the user;
    `fresh`: the articles at which it does not end, although they are known. `unclear`: pages at which a pagination was
    taken for a loop, but the section may have grown as fast as it was read: the next walk goes on there.
    """

    def __init__(self, plan: WalkPlan):
        self.plan = plan
        self.frontier = ListFrontier(plan)
        self.maps, self.limits = self.frontier.maps, self.frontier.limits
        self.remarks: dict[str, None] = {}
        self.fallback_starts = deque(plan.fallback_starts)
        self._match = lru_cache(MATCHES_KEPT)(plan.pattern.match)  # each link of a list is looked up several times
        self._link_sets: set[int] = set()  # hashes of the links of each page
        self._circles = 0
        self._repeats = 0  # pages that repeat earlier ones, without those that led to other pages
        self._pages_below: Counter[str] = Counter()  # pages by start page, without those that repeat earlier ones
        self._shown: set[Fingerprint] = set()  # articles on list pages of this walk
        self.fresh = {*plan.fresh}  # articles that became known during this walk, or since one that left lists unread
        self.unclear: list[ListPage] = []
        self._pages_with_news = 0  # most of their articles were unknown
        self._has_articles = False
        self._explores = False

    def next_page(self) -> ListPage | None:
        """Return the list to read next; None if there is none now (one that is being read may lead to more)."""
        return self.frontier.next_page()

    def article_links(self, links: Iterable[PageLink]) -> list[ArticleLink]:
        """Return the article links among a page's links, in the page's order."""
        return [ArticleLink(link, match) for link in links if (match := self._match(link.url))]

    def record_read(self, page: ListPage, listing: ListContent, *, found: int, new: int) -> list[ListPage]:
        """Queue the lists to which a list leads. `found`: its article links, `new`: how many of them were unknown.

        Returns those that are read only because something was new, or because the archive is incomplete.
        """
        articles = {fingerprint(match.url) for link in listing.links if (match := self._match(link.url))}
        hidden = new == 0 and _are_mostly(articles, self.fresh)
        self._record(page, found)
        if listing.truncated:
            self.remarks.setdefault(f"{page.url}: more links than are read from one list; the rest is left out")
        if page.kind == "explored" and new:
            self.frontier.earn_tries(page)
        is_lost = found == 0 and not self.plan.productive  # its articles may be on another list of the site now
        if (
            page.kind == "start"
            and listing.form == "page"
            and not self.plan.follow
            and (is_lost or not self.plan.complete)
        ):
            self._explores = self._explores or found == 0 or not is_own_section(page.url, self.plan.pattern)
        targets = self._find_further(page, listing, articles, found=found, new=new, hidden=hidden)
        further = [target for target in targets if self.frontier.push(target)]
        if listing.form != "sitemap" and new and (new == found if listing.form == "feed" else 2 * new >= found):
            self.fresh |= articles
            self._pages_with_news += 1
        for target in self.followed_lists(page, listing):
            self.frontier.push(target)
        if page.kind == "start" and found == 0 and not self.frontier.has_waiting:
            self._push_fallback_start()
        return further

    def record_unchanged(self, page: ListPage, followed: Sequence[ListPage], *, found: int) -> None:
        """Record that a list has not changed since it was last read, with `found` articles and links to `followed`."""
        self._record(page, found)
        if page.kind == "sitemap":
            self.maps.record_unchanged()
        for target in followed:
            self.frontier.push(target)

    def record_failure(self, page: ListPage) -> None:
        """Record that a list could not be read."""
        self.frontier.mark_done(page)
        if page.kind == "start":
            self._push_fallback_start()
        elif page.kind == "robots":
            usual = urljoin(page.url, USUAL_PLACE)
            self.frontier.push(ListPage(usual, "sitemap", start=usual))

    def followed_lists(self, page: ListPage, listing: ListContent) -> list[ListPage]:
        """Return the lists to which a list leads, whether or not it has new links."""
        if page.depth >= self.plan.depth or listing.form not in ("page", "json"):
            return []
        followed: list[ListPage] = []
        others = self._other_links(listing)
        pages = set(pagination(page.url, others)) if self._explores else ()  # `_find_pagination` decides on these
        for link in others:
            is_page = _on_the_host(page.url, link.url) and not ASSET.search(urlsplit(link.url).path)
            if any(pattern.match(link.url) for pattern in self.plan.follow):
                followed.append(ListPage(link.url, "follow", page.depth + 1, page.start))
            elif self._explores and link.url not in pages and is_page:
                followed.append(ListPage(link.url, "explored", page.depth + 1, page.start))
        return followed

    def _record(self, page: ListPage, found: int) -> None:
        self.frontier.mark_done(page)
        self._has_articles = self._has_articles or found > 0

    def _push_fallback_start(self) -> None:
        """Try the next fallback start, because a start page could not be read or has no article links."""
        if self.fallback_starts and not self._has_articles:
            url = self.fallback_starts.popleft()
            self.frontier.push(ListPage(url, "start", start=url))

    def _other_links(self, listing: ListContent) -> list[PageLink]:
        return [link for link in listing.links if not self._match(link.url)]

    # -- further pages of a list ------------------------------------------------------------------------------------

    def _find_further(
        self, page: ListPage, listing: ListContent, articles: Set[Fingerprint], *, found: int, new: int, hidden: bool
    ) -> list[ListPage]:
        """Return the further lists. `hidden`: the articles are known, but most of them are fresh."""
        goes_on = bool(new or found == 0 or not self.plan.complete or page.resumed or hidden)
        match listing.form:
            case "robots":
                maps = listing.sitemaps or [PageLink(urljoin(page.url, USUAL_PLACE))]
                return [ListPage(child.url, "sitemap", start=child.url) for child in maps]
            case "sitemap":
                return self.maps.record_read(page, listing, found)
            case "feed":
                return self._around_feed(page, listing, found, new) if goes_on else []
        feeds = listing.feeds if page.kind == "start" and not self.plan.complete else []
        pages = [ListPage(url, "feed", start=url) for url in feeds]
        is_shown = hidden and _are_mostly(articles, self._shown)
        self._shown |= articles
        return [*pages, *(self._find_pagination(page, listing, found, is_shown) if goes_on else [])]

    def _find_pagination(self, page: ListPage, listing: ListContent, found: int, is_shown: bool) -> list[ListPage]:
        """Return the further pages. `is_shown`: earlier pages of this walk show most of its articles."""
        without_articles = 0 if found else page.without_articles + 1
        urls = [*listing.next, *pagination(page.url, self._other_links(listing))]
        repeats = self._count_repeats(page, {link.url for link in listing.links} - {*urls}, is_shown) if urls else 0
        if not urls:
            return []
        if self._is_circle(page, repeats):
            if not self.plan.complete or self._pages_with_news > SHIFTS_MORE:
                self.unclear.append(page)
            return []
        if without_articles > MOST_WITHOUT_ARTICLES:
            notes = self.remarks if self.plan.complete else self.limits
            notes.setdefault(
                f"{page.url}: {MOST_WITHOUT_ARTICLES} pages in a row without an article; not followed further"
            )
            return []
        return [ListPage(url, "next", page.depth, page.start, without_articles, repeats=repeats) for url in urls]

    def _count_repeats(self, page: ListPage, links: Set[str], is_shown: bool) -> int:
        """Record a page's links, without its pagination; return how many pages in a row repeat earlier ones."""
        links_hash = hash(frozenset(links))
        is_known = is_shown or (links_hash in self._link_sets and bool(links))
        self._link_sets.add(links_hash)
        if is_known and page.kind == "next":
            self._repeats += 1
            return page.repeats + 1
        self._repeats = max(0, self._repeats - page.repeats)
        self._pages_below[page.start] += 1
        return 0

    def _is_circle(self, page: ListPage, repeats: int) -> bool:
        """Whether this number of consecutive repeated pages is a loop, not the effect of a growing section."""
        most = self._pages_below[page.start] + SHIFTS_MORE
        if not repeats or (repeats <= most and self._repeats <= REPEATS_MOST):
            return False
        self._circles += 1
        if self._circles == MOST_WITHOUT_ARTICLES:
            self.remarks.setdefault(f"{page.url} and others repeat the links of earlier pages; not followed further")
        return True

    def _around_feed(self, page: ListPage, listing: ListContent, found: int, new: int) -> list[ListPage]:
        """A feed's further pages; and its page, if the task names the feed and all of its entries are new."""
        further = [ListPage(url, "feed", page.depth, page.start) for url in listing.next]
        overflows = new == found or not self.plan.complete or page.resumed
        is_ours = any(_on_the_host(listing.home, url) for url in self.plan.homes())
        if page.kind == "start" and listing.home and overflows and is_ours:
            further.append(ListPage(listing.home, "follow", page.depth, page.start))
        return further


def _are_mostly(articles: Set[Fingerprint], others: Set[Fingerprint]) -> bool:
    return bool(articles) and 2 * len(articles & others) >= len(articles)


def _on_the_host(url: str, other: str) -> bool:
    return urlsplit(url).netloc == urlsplit(other).netloc
