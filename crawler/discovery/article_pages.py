"""Articles that continue on further pages (分页): which pages these are, and their order.

A further page has the article's own URL with a number in it, and a link whose text is a number or a word for "next":

    /a/166.html     →  /a/166_2.html, /a/166-2.html, /a/166_p2.html, /a/166.html?page=2
    /a/166_1.html   →  /a/166_2.html
    /a/slug/        →  /a/slug/2/, /a/slug/page/2/, /a/slug/?page=2
    /show?id=166    →  /show?id=166&page=2

Most articles have one page, so the bytes are searched for such a URL first, and only a page that contains one is
parsed. No network: the input is pages, the output URLs.
"""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from crawler.discovery.links import links_of
from crawler.discovery.pagination import says_page
from extractors.html.urls import normalise
from workers.inbox import StoredPage

MOST_PARTS = 50  # further pages of one article
MOST_BYTES = 32 * 2**20  # bytes of all pages of an article together
_QUERY = r"(?:page|p|pn|pg|pageno|page_no|pageno|pagenum|curpage|currentpage)"
_QUERY_HINT = re.compile(rb"(?:amp;|#0*38;)?" + _QUERY.encode() + rb"=\d")  # the parameter after ? or &
_FURTHER_QUERY_HINT = re.compile(b"&" + _QUERY_HINT.pattern)  # pages have many &, for which `_follows` would be slower
_STEM_HINT = re.compile(rb"[_-]p?\d|/(?:page/)?\d")
_FOLDER_HINT = re.compile(rb"(?:page/)?\d{1,3}/?[\"'\s>]")
_HREF_HINT = re.compile(rb"\s*=\s*[\"']?(?:\./)?(?:page/)?\d{1,3}/?[\"'\s>]")


@dataclass
class ArticlePages:
    """The pages of one article that were fetched; `first` is the one at the article's own URL."""

    first: StoredPage
    further: list[StoredPage] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    _known: dict[int, str] = field(default_factory=dict, init=False)  # number in the URL -> URL
    _last: int = field(default=0, init=False)  # number of the page that was requested last

    def __post_init__(self) -> None:
        self._note_further(self.first)

    def next_url(self) -> str | None:
        """Return the page to fetch next; None if no page is left, or the limit on pages of one article is reached."""
        size = len(self.first.body) + sum(len(page.body) for page in self.further)
        number = min((n for n in self._known if n > self._last), default=None)
        if number is None or len(self.further) >= MOST_PARTS or size > MOST_BYTES:
            self.missing += [] if number is None else [self._known[number]]
            return None
        self._last = number
        return self._known[number]

    def add(self, page: StoredPage) -> None:
        """Add a further page. One that redirects to a page that was fetched before is the end of the article."""
        if page.url in {self.first.url, *(fetched.url for fetched in self.further)}:
            return
        self.further.append(page)
        self._note_further(page)

    def add_missing(self, url: str) -> None:
        """Record that a further page is unavailable; the pages after it are still fetched."""
        self.missing.append(url)

    def _note_further(self, page: StoredPage) -> None:
        for number, url in further_pages(self.first.url, page).items():
            self._known.setdefault(number, url)


def further_pages(article: str, page: StoredPage) -> dict[int, str]:
    """Return the further pages to which one page of an article links, by the number in their URLs."""
    if not _may_go_on(article, page.body):
        return {}
    whole = _form(article)
    pages: dict[int, str] = {}
    for link in links_of(page.body, page.url, page.content_type):
        match = whole.fullmatch(_without_scheme(link.url))
        if match is None or link.url == article or not (says_page(link.text) or "next" in link.rel.split()):
            continue
        number = int(next(filter(None, match.groups())))
        first = number <= 1 and link.text.strip() in ("1", "")
        if number <= _own_number(article) or first or not number:
            continue
        pages.setdefault(number, link.url)
    return pages


def _may_go_on(article: str, body: bytes) -> bool:
    """Whether the bytes contain what may be the URL of a further page. No expression is compiled for an article:
    the text before the number is searched for literally, and only what follows it is matched.
    """
    if _follows(body, b"?", _QUERY_HINT) or _FURTHER_QUERY_HINT.search(body):
        return True
    if urlsplit(article).query:
        return False
    _, stem, _, last = _names(article)
    if "%" in stem + last:  # escapes may be written in lower case
        body, stem, last = body.lower(), stem.lower(), last.lower()
    if stem:
        return _follows(body, stem.encode("utf-8", "replace"), _STEM_HINT)
    before = [last.encode("utf-8", "replace") + b"/"] if last else [b'"', b"'"]
    return any(_follows(body, mark, _FOLDER_HINT) for mark in before) or _follows(body, b"href", _HREF_HINT)


def _follows(body: bytes, mark: bytes, hint: "re.Pattern[bytes]") -> bool:
    """Whether `hint` matches directly after an occurrence of `mark`."""
    at = body.find(mark)
    while at >= 0:
        at += len(mark)
        if hint.match(body, at):
            return True
        at = body.find(mark, at)
    return False


def _names(article: str) -> tuple[str, str, str, str]:
    """Return the parts of a URL: host and folder, file name without suffix and page number, suffix, last folder."""
    parts = urlsplit(article)
    name, dot, suffix = parts.path.rpartition("/")[2].partition(".")
    folder = parts.netloc + parts.path.rpartition("/")[0] + "/"
    return folder, re.sub(r"[_-][01]$", "", name), dot + suffix, parts.path.rstrip("/").rpartition("/")[2]


def _form(article: str) -> "re.Pattern[str]":
    """Return the form of the whole URL of a further page."""
    parts = urlsplit(article)
    folder, stem, suffix, _ = _names(article)
    query = re.escape("?" + parts.query + "&") if parts.query else r"\?"
    forms = [re.escape(parts.netloc + parts.path) + query + _QUERY + r"=(\d{1,3})"]
    if parts.query:
        pass
    elif stem:
        forms.append(re.escape(folder + stem) + r"(?:_p|-p|[_-])(\d{1,3})" + re.escape(suffix))
        if not suffix:
            forms.append(re.escape(folder + stem) + r"/(?:page/)?(\d{1,3})/?")
    else:
        forms.append(re.escape(folder) + r"(?:page/)?(\d{1,3})/?")
    return re.compile("|".join(forms))


def _own_number(article: str) -> int:
    number = re.search(r"[_-]([01])\.\w+$", urlsplit(article).path)
    return int(number[1]) if number else 0


def _without_scheme(url: str) -> str:
    return normalise(url).partition("://")[2]
