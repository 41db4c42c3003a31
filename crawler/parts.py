"""分页: an article that goes on on further pages. Which pages those are, and their order.

A further page has the article's own address with a number in it, and is linked with a number or a word for "next":

    /a/166.html     →  /a/166_2.html, /a/166-2.html, /a/166_p2.html, /a/166.html?page=2
    /a/166_1.html   →  /a/166_2.html
    /a/slug/        →  /a/slug/2/, /a/slug/page/2/, /a/slug/?page=2
    /show?id=166    →  /show?id=166&page=2

Most articles have one page, so the bytes are searched for such an address first, and only a page that holds one is
parsed. No network: pages in, addresses out.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlsplit

from extractors.urls import normalise
from workers.inbox import StoredPage

from .links import links_of
from .pagination import says_page

MOST_PARTS = 50  # further pages of one article
MOST_BYTES = 32 * 2**20  # of all pages of an article together
_QUERY = r"(?:page|p|pn|pg|pageno|page_no|pageno|pagenum|curpage|currentpage)"
_NUMBER = r"(?P<n>\d{1,3})"


@dataclass
class Parts:
    """The pages of one article, as they come in; `first` is the one whose address is the article's."""

    first: StoredPage
    further: list[StoredPage] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    _known: dict[int, str] = field(default_factory=dict, init=False)  # number in the address -> URL
    _last: int = field(default=0, init=False)  # number of the page asked for last

    def __post_init__(self) -> None:
        self._look_at(self.first)

    def next_url(self) -> str | None:
        """The page to fetch next; None if there is none, or there are too many."""
        size = len(self.first.body) + sum(len(page.body) for page in self.further)
        number = min((n for n in self._known if n > self._last), default=None)
        if number is None or len(self.further) >= MOST_PARTS or size > MOST_BYTES:
            self.missing += [] if number is None else [self._known[number]]
            return None
        self._last = number
        return self._known[number]

    def came(self, page: StoredPage) -> None:
        """A further page came in. One that leads back to a page we have is the end of the article."""
        if page.url in {self.first.url, *(each.url for each in self.further)}:
            return
        self.further.append(page)
        self._look_at(page)

    def missed(self, url: str) -> None:
        """A further page could not be had; those behind it are fetched nevertheless."""
        self.missing.append(url)

    def _look_at(self, page: StoredPage) -> None:
        for number, url in further_pages(self.first.url, page).items():
            self._known.setdefault(number, url)


def further_pages(article: str, page: StoredPage) -> dict[int, str]:
    """The further pages of the article at a URL that one of its pages links to, by the number in their address."""
    whole, hint = _forms(article)
    if hint.search(page.body) is None:
        return {}
    found: dict[int, str] = {}
    for link in links_of(page.body, page.url, page.content_type):
        match = whole.fullmatch(_without_scheme(link.url))
        if match is None or link.url == article or not (says_page(link.text) or "next" in link.rel.split()):
            continue
        number = int(next(filter(None, match.groups())))
        first = number <= 1 and link.text.strip() in ("1", "")
        if number <= _own_number(article) or first or not number:
            continue
        found.setdefault(number, link.url)
    return found


@lru_cache(1024)
def _forms(article: str) -> tuple["re.Pattern[str]", "re.Pattern[bytes]"]:
    """What the address of a further page looks like: the whole of it, and what of it stands in a page's bytes."""
    parts = urlsplit(article)
    head = re.escape(parts.netloc + parts.path.rpartition("/")[0] + "/")
    name, dot, suffix = parts.path.rpartition("/")[2].partition(".")
    stem = re.sub(r"[_-][01]$", "", name)
    query = re.escape("?" + parts.query + "&") if parts.query else r"\?"
    forms = [re.escape(parts.netloc + parts.path) + query + _QUERY + r"=(\d{1,3})"]
    hints = [rf"[?&;]{_QUERY}=\d"]
    if parts.query:
        pass
    elif stem:
        forms.append(head + re.escape(stem) + r"(?:_p|-p|[_-])(\d{1,3})" + re.escape(dot + suffix))
        hints.append(re.escape(stem) + r"[_-]p?\d{1,3}" + re.escape(dot + suffix))
        if not dot:
            forms.append(head + re.escape(stem) + r"/(?:page/)?(\d{1,3})/?")
            hints.append(re.escape(stem) + r"/(?:page/)?\d{1,3}\b")
    else:
        last = parts.path.rstrip("/").rpartition("/")[2]
        forms.append(head + r"(?:page/)?(\d{1,3})/?")
        hints.append((re.escape(last) + "/" if last else r"[\"']") + r"(?:page/)?\d{1,3}/?[\"'\s>]")
        hints.append(r"href\s*=\s*[\"']?(?:\./)?(?:page/)?\d{1,3}/?[\"'\s>]")
    whole = re.compile("|".join(forms))
    return whole, re.compile("|".join(hints).encode("utf-8", "replace"), re.IGNORECASE)


def _own_number(article: str) -> int:
    found = re.search(r"[_-]([01])\.\w+$", urlsplit(article).path)
    return int(found[1]) if found else 0


def _without_scheme(url: str) -> str:
    return normalise(url).partition("://")[2]
