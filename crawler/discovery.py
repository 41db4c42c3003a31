"""Which list pages of a section to read, and which of their links are articles. No network: pages in, decisions out.

A walk begins at the start pages and goes on to

    next      the pagination of a list, as long as it brings new links (or to its end, while the archive is incomplete)
    follow    list pages that the task names, to `depth` hops
    explored  where the task names none and the start page is not the articles' own section (the site's home page, a
              page without articles, a section above or beside theirs): pages of the same site. Their URLs are grouped
              by shape; a few pages of each shape are tried, and a shape that brings articles earns more tries while
              one that does not dries up

Once a walk has seen a section to its end, later walks read the start pages, the list pages that brought something, and
of each the pagination only as far as there is anything new.
"""

import re
from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from .links import ASSET, Link
from .patterns import Pattern

Kind = Literal["start", "next", "follow", "explored"]

MOST_LISTS = 2000  # list pages of one run: calendars have no end
TRIES_PER_SHAPE = 3  # pages of a URL shape that are tried before it has brought anything
TRIES_EARNED = 3  # by a page that brought new articles
MOST_TRIES = 30  # that a shape may have in hand

_NEXT_WORDS = re.compile(
    r"^\W*(?:next|next page|older|older posts|older entries|more|下一?页|下页|后一?页|后页|尾页|末页|更多|加载更多|"
    r"下一頁|"
    r"次へ|次のページ|다음|suivante?|nächste|weiter|siguiente|próxima?|successiva?|далее)\W*$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^\W*\d{1,5}\W*$")
_ARROW = re.compile(r"^\s*(?:[»›>→]|>>)+\s*$")
_DIGITS = re.compile(r"\d+")
_PAGE_WORDS = re.compile(
    r"(?:^|[/_?&.=-])(?:page|paged|list|index|pn?|start|offset)[/_=-]?(?:\d+[_-])*\d+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ListPage:
    """A list page to read. `depth` counts hops from a start page, pagination not included."""

    url: str
    kind: Kind
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """A link that is an article of the task."""

    link: Link
    position: int  # in the page, from 0


@dataclass(frozen=True, slots=True)
class Judged:
    """A link of a list page with what becomes of it. `taken`: it is an article of the task, and not known yet."""

    link: Link
    taken: bool
    reason: str


@dataclass
class Walk:
    """One walk through a section's list pages: `read` each page's links, then `note` what came of them."""

    pattern: Pattern
    starts: Sequence[str]
    follow: Sequence[Pattern] = ()
    depth: int = 3
    complete: bool = False  # an earlier walk saw the section to its end
    fruitful: Sequence[str] = ()  # list pages that brought something in earlier walks
    spares: Sequence[str] = ()  # start pages to try in turn if the ones before bring nothing
    most_lists: int = MOST_LISTS

    stopped: str = ""  # why the walk ended before its time
    _queue: deque[ListPage] = field(default_factory=deque, init=False)
    _later: deque[ListPage] = field(default_factory=deque, init=False)  # explored pages: after what is sure
    _seen: set[str] = field(default_factory=set, init=False)
    _tries: dict[str, int] = field(default_factory=dict, init=False)
    _handed_out: int = field(default=0, init=False)
    _brought: int = field(default=0, init=False)
    _explores: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.spares = list(self.spares)
        for url in self.starts:
            self._push(ListPage(url, "start"))
        for url in self.fruitful:
            self._push(ListPage(url, "follow" if self.follow else "explored", 1))

    def next_page(self) -> ListPage | None:
        """The list page to read next; None if there is none now (a page that is being read may bring more)."""
        if self._handed_out >= self.most_lists:
            self.stopped = self.stopped or f"stopped after {self.most_lists} list pages"
            return None
        page = self._queue.popleft() if self._queue else self._next_explored()
        if page is not None:
            self._handed_out += 1
        return page

    def read(self, links: Iterable[Link]) -> list[Taken]:
        """The article links among a page's links, in the page's order."""
        return [Taken(link, place) for place, link in enumerate(links) if self.pattern.match(link.url)]

    def note(self, page: ListPage, links: Sequence[Link], *, found: int, new: int) -> None:
        """What a page brought: `found` article links, `new` of them unknown. Its other links may be list pages."""
        self._brought += found
        if page.kind == "explored":
            self._reward(page, new)
        if new or found == 0 or not self.complete:
            for url in pagination(page.url, [link for link in links if not self.pattern.match(link.url)]):
                self._push(ListPage(url, "next", page.depth))
        if page.kind == "start" and not self.follow and not self.complete:
            self._explores = self._explores or found == 0 or not self._is_own_section(page.url)
        if page.depth < self.depth:
            self._hops(page, links)
        if page.kind == "start" and found == 0 and not self._queue:
            self.missed()

    def missed(self) -> None:
        """A start page could not be read, or has no article links: the next spare one is tried."""
        if self._brought == 0 and self.spares:
            spares = list(self.spares)
            self._push(ListPage(spares.pop(0), "start"))
            self.spares = spares

    def _hops(self, page: ListPage, links: Sequence[Link]) -> None:
        for link in links:
            if self.pattern.match(link.url):
                continue
            if any(pattern.match(link.url) for pattern in self.follow):
                self._push(ListPage(link.url, "follow", page.depth + 1))
            elif self._explores and _may_be_list(page.url, link.url):
                self._push(ListPage(link.url, "explored", page.depth + 1))

    def _is_own_section(self, url: str) -> bool:
        """Whether all articles of the pattern lie below this start page, which is not the home page."""
        folder = urlsplit(url).path.rpartition("/")[0] + "/"
        prefixes = self.pattern.prefixes()
        return folder != "/" and bool(prefixes) and urlsplit(prefixes[0]).path.startswith(folder)

    def _push(self, page: ListPage) -> None:
        if page.url in self._seen:
            return
        self._seen.add(page.url)
        (self._later if page.kind == "explored" else self._queue).append(page)

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


def pagination(url: str, links: Iterable[Link]) -> list[str]:
    """The links of a list page that lead to its further pages, in order of appearance.

    Either the URL says it (`list_2.html`, `page/2/`, `?page=2` in the list's own folder), or the link's text does (a
    number, "next", 下一页) and the URL is not at odds with it.
    """
    place = urlsplit(url)
    found = []
    for link in links:
        parts = urlsplit(link.url)
        if parts.netloc != place.netloc or link.url == url or ASSET.search(parts.path):
            continue
        tail = _below(place.path, parts)
        if tail is None or not _DIGITS.search(tail):
            is_page = "next" in link.rel.split()
        elif _PAGE_WORDS.search(tail):
            is_page = True
        else:
            is_page = _says_page(link.text) and (tail.count("/") <= 1 or shape_of(url) == shape_of(link.url))
        if is_page:
            found.append(link.url)
    return found


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
