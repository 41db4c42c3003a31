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

import re
from collections import Counter, deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Literal
from urllib.parse import SplitResult, urljoin, urlsplit

from .links import ASSET, Link
from .listings import Listing
from .patterns import Match, Pattern
from .sitemaps import Child, usual_place

Kind = Literal["start", "next", "follow", "explored", "feed", "robots", "sitemap"]

MOST_LISTS = 2000  # list pages of one run: calendars have no end
MOST_BELOW = 1000  # pages of pagination below one start page
MOST_BARREN = 10  # pages in a row without an article, after which a pagination is taken for a calendar
MOST_SITEMAPS = 50  # of a walk through the whole archive
LATER_SITEMAPS = 10  # of a later walk
SITEMAP_DEPTH = 3  # an index in an index in an index
SITEMAP_TRIES = 3  # sitemaps of one shape without an article, after which the others are left
LATE = timedelta(days=3)  # so much older than the newest may be what a sitemap lists for the first time
TRIES_PER_SHAPE = 3  # pages of a URL shape that are tried before it has brought anything
TRIES_EARNED = 3  # by a page that brought new articles
MOST_TRIES = 30  # that a shape may have in hand

_NEXT_WORDS = re.compile(
    r"^\W*(?:next|next page|older|older posts|older entries|more|load more|show more|下一?页|下页|后一?页|后页|"
    r"尾页|末页|更多|加载更多|下一頁|次へ|次のページ|다음|suivante?|nächste|weiter|siguiente|próxima?|successiva?|далее)\W*$",
    re.IGNORECASE,
)
# What can mean nothing but the next page of this list
_NEXT_PAGE = re.compile(
    r"^\W*(?:next(?: page)?|older(?: posts| entries)?|(?:load|show) more|下一?页|下一頁|后一?页|(?:点击)?加载更多|"
    r"查看更多|次へ|次のページ|다음|(?:page )?suivante?|nächste(?: seite)?|siguiente|próxima?|successiva?|далее)\W*$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^\W*\d{1,5}\W*$")
_ARROW = re.compile(r"^\s*(?:[»›>→]|>>)+\s*$")
_DIGITS = re.compile(r"\d+")
_PAGE_WORDS = re.compile(
    r"(?:^|[/_?&.=-])(?:page|paged|pageno|pagenum|pageindex|curpage|cpage|pg|list|index|pn?|start|offset)[/_=-]?(?:\d+[_-])*\d+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ListPage:
    """A list to read. `depth` counts hops from a start page, pagination not included.

    `start`: the start page (or the topmost sitemap) that led here. `barren`: pages without an article right before it.
    `again`: an earlier run broke off at it, so it is read as if its links were new. `changed`: as its index says.
    """

    url: str
    kind: Kind
    depth: int = 0
    start: str = ""
    barren: int = 0
    again: bool = False
    changed: datetime | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """A link that is an article of the task."""

    link: Link
    position: int  # in the page, from 0
    match: Match


@dataclass(frozen=True, slots=True)
class Judged:
    """A link of a list page with what becomes of it. `taken`: it is an article of the task, and not known yet."""

    link: Link
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
    most_lists: int = MOST_LISTS
    most_sitemaps: int | None = None

    limits: list[str] = field(default_factory=list, init=False)  # bounds that the walk ran into: something was left out
    remarks: list[str] = field(default_factory=list, init=False)  # what a person may want to know
    marks: dict[str, datetime | None] = field(
        default_factory=dict, init=False
    )  # topmost sitemap: how far this walk got
    _queue: deque[ListPage] = field(default_factory=deque, init=False)
    _later: deque[ListPage] = field(default_factory=deque, init=False)  # explored pages: after what is sure
    _maps: list[ListPage] = field(default_factory=list, init=False)  # sitemaps: after all others
    _seen: set[str] = field(default_factory=set, init=False)
    _tries: dict[str, int] = field(default_factory=dict, init=False)
    _map_tries: dict[str, int] = field(default_factory=dict, init=False)
    _shown: set[int] = field(default_factory=set, init=False)  # the articles of each list, as one number
    _below: Counter[str] = field(default_factory=Counter, init=False)
    _repeats: int = field(default=0, init=False)
    _handed_out: int = field(default=0, init=False)
    _maps_out: int = field(default=0, init=False)
    _brought: int = field(default=0, init=False)
    _explores: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.spares = list(self.spares)
        if self.most_sitemaps is None:
            self.most_sitemaps = LATER_SITEMAPS if self.complete else MOST_SITEMAPS
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
                self._push(ListPage(url, "robots", start=url))

    def next_page(self) -> ListPage | None:
        """The list to read next; None if there is none now (one that is being read may bring more)."""
        if self._handed_out >= self.most_lists:
            self._limit(f"stopped after {self.most_lists} list pages")
            return None
        page = self._queue.popleft() if self._queue else self._next_explored() or self._next_map()
        if page is not None:
            self._handed_out += 1
        return page

    def read(self, links: Iterable[Link]) -> list[Taken]:
        """The article links among a page's links, in the page's order."""
        return [
            Taken(link, place, match) for place, link in enumerate(links) if (match := self.pattern.match(link.url))
        ]

    def note(self, page: ListPage, listing: Listing, *, found: int, new: int) -> list[ListPage]:
        """What a list brought: `found` article links, `new` of them unknown. Its other links may be lists.

        Says which of those are to be read only because something was new, or this is no later walk.
        """
        self._brought += found
        if listing.cut:
            self._limit(f"{page.url}: it has more links than are taken of one list; the rest is left out")
        if page.kind == "explored":
            self._reward(page, new)
        if page.kind == "start" and listing.form == "page" and not self.follow and not self.complete:
            self._explores = self._explores or found == 0 or not self._is_own_section(page.url)
        further = [each for each in self._further(page, listing, found, new) if self._push(each)]
        for each in self.standing(page, listing):
            self._push(each)
        if page.kind == "start" and found == 0 and not self._queue:
            self.missed()
        return further

    def unchanged(self, page: ListPage, standing: Sequence[ListPage], *, found: int) -> None:
        """A list is what it was when a walk last read it: it had `found` articles, and `standing` lists beside."""
        self._brought += found
        for each in standing:
            self._push(each)

    def standing(self, page: ListPage, listing: Listing) -> list[ListPage]:
        """The lists that a list leads to whether it brought something new or not."""
        if page.depth >= self.depth or listing.form not in ("page", "json"):
            return []
        found: list[ListPage] = []
        for link in listing.links:
            if self.pattern.match(link.url):
                continue
            if any(pattern.match(link.url) for pattern in self.follow):
                found.append(ListPage(link.url, "follow", page.depth + 1, page.start))
            elif self._explores and _may_be_list(page.url, link.url):
                found.append(ListPage(link.url, "explored", page.depth + 1, page.start))
        return found

    def missed(self) -> None:
        """A start page could not be read, or has no article links: the next spare one is tried."""
        if self._brought == 0 and self.spares:
            spares = list(self.spares)
            self._push(ListPage(spares[0], "start", start=spares.pop(0)))
            self.spares = spares

    def is_past(self, page: ListPage, moment: datetime | None) -> bool:
        """Whether what a sitemap says to be of `moment` was there when an earlier walk read it."""
        mark = self.sitemaps.get(page.start) if page.kind == "sitemap" and self.complete else None
        return mark is not None and moment is not None and moment < mark - LATE

    def left_sitemaps(self) -> int:
        """How many sitemaps were found and not read, because of the bound on them."""
        return sum(self._may_bring(page) for page in self._maps)

    # -- where a list goes on ---------------------------------------------------------------------------------------

    def _further(self, page: ListPage, listing: Listing, found: int, new: int) -> list[ListPage]:
        goes_on = bool(new or found == 0 or not self.complete or page.again)
        match listing.form:
            case "robots":
                maps = listing.sitemaps or [Child(usual_place(page.url))]
                return [ListPage(child.url, "sitemap", start=child.url) for child in maps]
            case "sitemap":
                return self._children(page, listing, found)
            case "feed":
                return self._around_feed(page, listing, found, new) if goes_on else []
        feeds = listing.feeds if page.kind == "start" and not self.complete else []
        pages = [ListPage(url, "feed", start=page.start) for url in feeds]
        return [*pages, *(self._pagination(page, listing, found) if goes_on else [])]

    def _pagination(self, page: ListPage, listing: Listing, found: int) -> list[ListPage]:
        barren = 0 if found else page.barren + 1
        others = [link for link in listing.links if not self.pattern.match(link.url)]
        urls = [*listing.next, *pagination(page.url, others)]
        if not urls or self._shows_the_same(page, listing, found):
            return []
        if barren > MOST_BARREN:
            self._limit(f"{page.url}: {MOST_BARREN} pages in a row without an article, as calendars have; left there")
            return []
        return [ListPage(url, "next", page.depth, page.start, barren) for url in urls]

    def _shows_the_same(self, page: ListPage, listing: Listing, found: int) -> bool:
        """Whether another list of this walk had the very same articles: it leads round in a circle."""
        shown = hash(frozenset(link.url for link in listing.links if self.pattern.match(link.url)))
        if found and page.kind == "next" and shown in self._shown:
            self._repeats += 1
            if self._repeats == MOST_BARREN:
                self.remarks.append(f"{page.url} and others show the same articles as pages before: not followed on")
            return True
        self._shown.add(shown)
        return False

    def _around_feed(self, page: ListPage, listing: Listing, found: int, new: int) -> list[ListPage]:
        """A feed's further pages; and the page it is the feed of, if all in a feed that a task names is new."""
        further = [ListPage(url, "feed", page.depth, page.start) for url in listing.next]
        overflows = new == found or not self.complete or page.again
        ours = any(_on_the_host(listing.home, url) for url in self._homes())
        if page.kind == "start" and listing.home and overflows and ours:
            further.append(ListPage(listing.home, "follow", page.depth, page.start))
        return further

    def _children(self, page: ListPage, listing: Listing, found: int) -> list[ListPage]:
        dated = [*(child.changed for child in listing.sitemaps), *(link.published for link in listing.links)]
        self._mark(page, max((moment for moment in dated if moment), default=None))
        if not listing.sitemaps:
            shape = _map_shape(page.url)
            self._map_tries[shape] = 0 if found else self._map_tries.get(shape, 0) + 1
            if found:
                self._map_tries[shape] = -self.most_lists
        if page.depth >= SITEMAP_DEPTH:
            return []
        ends = {listing.sitemaps[0].url, listing.sitemaps[-1].url} if listing.sitemaps else set()
        return [
            ListPage(child.url, "sitemap", page.depth + 1, page.start, changed=child.changed)
            for child in listing.sitemaps
            if self._is_worth(page, child, child.url in ends)
        ]

    def _mark(self, page: ListPage, newest: datetime | None) -> None:
        known = self.marks.get(page.start)
        self.marks[page.start] = max(known, newest) if known and newest else known or newest

    def _is_worth(self, page: ListPage, child: Child, at_an_end: bool) -> bool:
        """Whether a child of an index can hold what is asked for."""
        over = child.changed or last_day_in(child.url)
        if self.since and over and over.date() < self.since:
            return False
        mark = self.sitemaps.get(page.start)
        if not self.complete or mark is None or page.again:
            return True
        if child.changed is None:
            return at_an_end if over is None else over >= mark
        is_day = child.changed.time() == datetime.min.time()
        return child.changed > mark or (is_day and child.changed.date() >= mark.date())

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
        if page.kind == "next":
            if self._below[page.start] >= MOST_BELOW:
                self._limit(f"{page.start}: stopped after {MOST_BELOW} further pages of it")
                return False
            self._below[page.start] += 1
        self._seen.add(page.url)
        match page.kind:
            case "explored":
                self._later.append(page)
            case "sitemap" | "robots":
                self._maps.append(page)
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

    def _next_map(self) -> ListPage | None:
        """robots.txt, then news, then what changed last; as listed where nothing says when."""
        self._maps = [page for page in self._maps if self._may_bring(page)]
        if not self._maps or self._maps_out >= (self.most_sitemaps or 0):
            return None
        page = max(self._maps, key=_urgency)
        self._maps.remove(page)
        self._maps_out += page.kind == "sitemap"
        return page

    def _may_bring(self, page: ListPage) -> bool:
        return self._map_tries.get(_map_shape(page.url), 0) < SITEMAP_TRIES

    def _reward(self, page: ListPage, new: int) -> None:
        if new:
            shape = shape_of(page.url)
            self._tries[shape] = min(MOST_TRIES, self._tries.get(shape, TRIES_PER_SHAPE) + TRIES_EARNED)

    def _limit(self, text: str) -> None:
        if text not in self.limits:
            self.limits.append(text)


def _urgency(page: ListPage) -> tuple[bool, bool, datetime]:
    over = page.changed or last_day_in(page.url)
    return page.kind == "robots", "news" in page.url.lower(), over or datetime.min.replace(tzinfo=UTC)


def pagination(url: str, links: Iterable[Link]) -> list[str]:
    """The links of a list page that lead to its further pages, in order of appearance.

    Either the page says so (`rel=next`), or the URL does (`list_2.html`, `page/2/`, `?page=2` in the list's own
    folder, `about_2.html` beside `about.html`), or the link's text does (a number, "next", 下一页) and the URL is not
    at odds with it. A text that can mean nothing else ("next page", 下一页) counts for any URL with a number.
    """
    place = urlsplit(url)
    return [link.url for link in links if link.url != url and _is_further(place, link)]


def _is_further(place: SplitResult, link: Link) -> bool:
    parts = urlsplit(link.url)
    is_next = "next" in link.rel.split()
    if parts.netloc != place.netloc or (ASSET.search(parts.path) and not is_next):
        return False
    if is_next:
        return True
    tail = _below(place.path, parts)
    if tail is not None and _DIGITS.search(tail):
        if _PAGE_WORDS.search(tail) or _numbered(parts) == _numbered(place):
            return True
        if _says_page(link.text) and (tail.count("/") <= 1 or shape_of(place.geturl()) == shape_of(link.url)):
            return True
    where = parts.path.rpartition("/")[2] + parts.query
    return bool(_NEXT_PAGE.match(link.text) and (_DIGITS.search(where) or (tail is not None and parts.query)))


def _numbered(parts: SplitResult) -> tuple[str, str]:
    """A page's name without its number: `about.html` and `about_2.html` are two pages of one list."""
    stem, dot, suffix = parts.path.rpartition(".")
    return (re.sub(r"[_-]\d{1,5}$", "", stem), suffix) if dot and "/" not in suffix else (parts.path, "")


def judged(
    links: Iterable[Link],
    pattern: Pattern,
    follow: Sequence[Pattern] = (),
    page_url: str = "",
    known: Container[str] = frozenset(),
) -> list[Judged]:
    """Say of each link of a list page (at `page_url`) whether it is taken as an article, and why, in a few words.

    `known`: the URLs that were entered before.
    """
    links = list(links)
    pages = set(pagination(page_url, [link for link in links if not pattern.match(link.url)]))
    return [_judged(link, pattern, follow, page_url, known, pages) for link in links]


def _judged(
    link: Link, pattern: Pattern, follow: Sequence[Pattern], page_url: str, known: Container[str], pages: Container[str]
) -> Judged:
    if pattern.match(link.url):
        return Judged(link, False, "known already") if link.url in known else Judged(link, True, "of the pattern")
    if link.url == page_url:
        return Judged(link, False, "the list page itself")
    if any(each.match(link.url) for each in follow):
        return Judged(link, False, "a list page to follow")
    if link.url in pages:
        return Judged(link, False, "a further page of the list")
    difference = pattern.difference(link.url) or "not of the pattern"
    host = urlsplit(link.url).netloc
    if page_url and host != urlsplit(page_url).netloc:
        return Judged(link, False, f"on another host: {host}")
    if ASSET.search(urlsplit(link.url).path):
        return Judged(link, False, "a file, no page")
    return Judged(link, False, difference)


def shape_of(url: str) -> str:
    """URLs of one template have one shape: digits become 0, a last segment without digits becomes `*`."""
    parts = urlsplit(url)
    head, _, last = parts.path.rpartition("/")
    if not last:
        head, _, last = head.rpartition("/")
        last += "/"
    stem, dot, suffix = last.partition(".")
    stem = _DIGITS.sub("0", stem) if _DIGITS.search(stem) else "*/" if stem.endswith("/") else "*"
    keys = "&".join(sorted(pair.partition("=")[0] for pair in parts.query.split("&") if pair))
    return f"{_DIGITS.sub('0', head)}/{stem}{dot}{suffix}" + (f"?{keys}" if keys else "")


def fruitful_lists(brought: Mapping[str, int], starts: Sequence[str], most: int = 200) -> list[str]:
    """The list pages worth reading again in the next walk: those that brought links, the best first."""
    known = set(starts)
    useful = [url for url, new in sorted(brought.items(), key=lambda item: -item[1]) if new > 0 and url not in known]
    return useful[:most]


def _says_page(text: str) -> bool:
    return bool(_NUMBER.match(text) or _NEXT_WORDS.match(text) or _ARROW.match(text))


def _below(path: str, other: SplitResult) -> str | None:
    """What stands behind the list's folder in another URL; None if that one lies elsewhere."""
    folder = _without_page(path.rpartition("/")[0] + "/")
    if not other.path.startswith(folder):
        return None
    return other.path[len(folder) :] + ("?" + other.query if other.query else "")


def _without_page(folder: str) -> str:
    """`/posts/page/2/` → `/posts/`: the folder in which a list's pages lie."""
    return re.sub(r"(?:page|list|p)?[/_-]?\d+/$", "", folder) or "/"


def _may_be_list(page: str, url: str) -> bool:
    here, there = urlsplit(page), urlsplit(url)
    return here.netloc == there.netloc and not ASSET.search(there.path)


_MONTH = re.compile(r"(?<!\d)((?:19|20)\d\d)(?:[-_/.]?(0[1-9]|1[0-2])(?:[-_/.]?(0[1-9]|[12]\d|3[01]))?)?(?!\d)")


def last_day_in(url: str) -> datetime | None:
    """When the year, month or day that a sitemap's address names is over (`sitemap-2019-05.xml`); None without one."""
    found = [*_MONTH.finditer(urlsplit(url).path + "?" + urlsplit(url).query)]
    if not found:
        return None
    year, month, day = found[-1].groups()
    try:
        if day:
            return datetime(int(year), int(month), int(day), tzinfo=UTC) + timedelta(days=1)
        return datetime(int(year) + (month in (None, "12")), int(month) % 12 + 1 if month else 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _map_shape(url: str) -> str:
    """Sitemaps that differ in their numbers only hold the same kind of page."""
    return _DIGITS.sub("0", url)


def _on_the_host(url: str, other: str) -> bool:
    return urlsplit(url).netloc == urlsplit(other).netloc
