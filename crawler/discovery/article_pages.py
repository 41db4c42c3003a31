"""Articles that continue on further pages (分页): which pages these are, and their order.

A further page has the article's own URL with a number in it, and a link whose text is a number or a word for "next":

    /a/166.html     →  /a/166_2.html, /a/166-2.html, /a/166_p2.html, /a/166.html?page=2
    /a/166_1.html   →  /a/166_2.html
    /a/slug/        →  /a/slug/2/, /a/slug/page/2/, /a/slug/?page=2
    /show?id=166    →  /show?id=166&page=2, /show?id=166&start=10
    /t/slug.166/    →  /t/slug.166/page-2
    /t-166-1-1.html →  /t-166-2-1.html

The last two, and `start`, are forms of threads. Most articles have one page, so the bytes are searched for such a URL
first, and only a page that contains one is parsed. No network: the input is pages, the output URLs.
"""

import re
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit

import re2

from crawler.discovery.links import page_links
from crawler.discovery.pagination import says_page
from extractors.html.urls import normalise
from workers.inbox import StoredPage

MOST_PARTS = 50  # further pages of one article
MOST_BYTES = 32 * 2**20  # bytes of all pages of an article together
_QUERY = r"(?:(?:page|p|pn|pg|pageno|page_no|pagenum|curpage|currentpage)=(\d{1,3})|(?:start|offset)=(\d{1,5}))"
_PART = r"(?:page[/-]?|p)?"  # before a number that is a part of the path
_OF_BYTES = re2.Options()
_OF_BYTES.encoding, _OF_BYTES.case_sensitive = re2.Options.Encoding.LATIN1, False
_MIDDLE = re.compile(r"(.*\d-)1(-\d{1,3})")  # a thread's name, with the numbers of its page and of the list's page


@dataclass
class ArticlePages:
    """The pages of one article that were fetched, in order; `url`: the article's own."""

    url: str
    fetched: list[StoredPage] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    _known: dict[int, str] = field(default_factory=dict, init=False)  # number in the URL -> URL
    _last: int = field(default=0, init=False)  # number of the page that was requested last

    @classmethod
    def after(cls, first: StoredPage) -> Self:
        """Return the pages of the article whose first page this is."""
        pages = cls(first.url)
        pages.add(first)
        return pages

    @classmethod
    def beginning_with(cls, further: str, url: str) -> Self | None:
        """Return the pages of an article from this further page on; None if its URL is no further page's."""
        pages = cls(url)
        match = _form(url).fullmatch(_without_scheme(further))
        if match is None:
            return None
        pages._known[_number(match)] = further
        return pages

    def next_url(self) -> str | None:
        """Return the page to fetch next; None if no page is left, or the limit on pages of one article is reached."""
        size = sum(len(page.body) for page in self.fetched)
        number = min((n for n in self._known if n > self._last), default=None)
        if number is None or len(self.fetched) > MOST_PARTS or size > MOST_BYTES:
            self.missing += [] if number is None else [self._known[number]]
            return None
        self._last = number
        return self._known[number]

    def add(self, page: StoredPage) -> None:
        """Add a page. One that redirects to a page that was fetched before is the end of the article.

        If a thread's last page redirects, the thread has become shorter, and the page is missing.
        """
        if page.url in {fetched.url for fetched in self.fetched}:
            return
        requested = self._known.get(self._last, page.url)
        if not self.fetched and page.url != requested:
            self.add_missing(requested)
            return
        self.fetched.append(page)
        for number, url in further_pages(self.url, page).items():
            self._known.setdefault(number, url)

    def add_missing(self, url: str) -> None:
        """Record that a further page is unavailable; the pages after it are still fetched."""
        self.missing.append(url)


def further_pages(article: str, page: StoredPage) -> dict[int, str]:
    """Return the further pages to which one page of an article links, by the number in their URLs."""
    if not _may_go_on(article, page.body):
        return {}
    whole = _form(article)
    pages: dict[int, str] = {}
    for link in page_links(page.body, page.url, page.content_type).links:
        match = whole.fullmatch(_without_scheme(link.url))
        if match is None or link.url == article or not (says_page(link.text) or "next" in link.rel.split()):
            continue
        number = _number(match)
        first = number <= 1 and link.text.strip() in ("1", "")
        if number <= _own_number(article) or first or not number:
            continue
        pages.setdefault(number, link.url)
    return pages


def _may_go_on(article: str, body: bytes) -> bool:
    """Whether the bytes contain what may be the URL of a further page. In any case: escapes may be in lower case."""
    forms = [r"[?&](?:amp;|#0*38;)?" + _QUERY]
    _, stem, _, last = _names(article)
    if urlsplit(article).query:
        pass
    elif stem:
        forms.append(re2.escape(stem) + r"(?:[_-](?:page[_-]?|p)?|/" + _PART + r")\d")
        if middle := _MIDDLE.fullmatch(stem):
            forms.append(re2.escape(middle[1]) + r"\d{1,3}-\d")
    else:
        before = f"{re2.escape(last)}/" if last else "[\"']"
        forms.append(rf"(?:{before}|href\s*=\s*[\"']?(?:\./)?)" + _PART + r"\d{1,3}/?[\"'\s>]")
    return re2.search("|".join(forms).encode(), body, _OF_BYTES) is not None


def _names(article: str) -> tuple[str, str, str, str]:
    """Return the parts of a URL: host and folder, file name without suffix and page number, suffix, last folder."""
    parts = urlsplit(article)
    name, dot, suffix = parts.path.rpartition("/")[2].partition(".")
    folder = parts.netloc + parts.path.rpartition("/")[0] + "/"
    stem = name if _MIDDLE.fullmatch(name) else re.sub(r"[_-][01]$", "", name)
    return folder, stem, dot + suffix, parts.path.rstrip("/").rpartition("/")[2]


def _form(article: str) -> "re.Pattern[str]":
    """Return the form of the whole URL of a further page."""
    parts = urlsplit(article)
    folder, stem, suffix, _ = _names(article)
    query = re.escape("?" + parts.query + "&") if parts.query else r"\?"
    forms = [re.escape(parts.netloc + parts.path) + query + _QUERY]
    if parts.query:
        pass
    elif stem:
        forms.append(re.escape(folder + stem) + r"(?:[_-]page[_-]?|[_-]p?)(\d{1,3})" + re.escape(suffix))
        if not suffix:
            forms.append(re.escape(folder + stem) + "/" + _PART + r"(\d{1,3})/?")
        if middle := _MIDDLE.fullmatch(stem):
            forms.append(re.escape(folder + middle[1]) + r"(\d{1,3})" + re.escape(middle[2] + suffix))
    else:
        forms.append(re.escape(folder) + _PART + r"(\d{1,3})/?")
    return re.compile("|".join(forms))


def _number(match: "re.Match[str]") -> int:
    return int(next(filter(None, match.groups())))


def _own_number(article: str) -> int:
    number = re.search(r"[_-]([01])\.\w+$", urlsplit(article).path)
    return int(number[1]) if number else 0


def _without_scheme(url: str) -> str:
    return normalise(url).partition("://")[2]
