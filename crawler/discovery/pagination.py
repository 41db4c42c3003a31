"""Pagination: which links of a list page lead to its further pages, and which URLs have one shape."""

import re
from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

from crawler.discovery.links import ASSET, PageLink

_NEXT_WORDS = re.compile(
    r"^\W*(?:next|next page|older|older posts|older entries|more|load more|show more|下一?页|下页|后一?页|后页|"
    r"尾页|末页|更多|加载更多|下一頁|次へ|次のページ|다음|suivante?|nächste|weiter|siguiente|próxima?|successiva?|далее)\W*$",
    re.IGNORECASE,
)
# Texts that can only mean the next page of the list
_NEXT_PAGE = re.compile(
    r"^\W*(?:next(?: page)?|older(?: posts| entries)?|(?:load|show) more|下一?页|下一頁|后一?页|(?:点击)?加载更多|"
    r"查看更多|次へ|次のページ|다음|(?:page )?suivante?|nächste(?: seite)?|siguiente|próxima?|successiva?|далее)\W*$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^\W*+(?:第?\s*+\d{1,5}\s*+页?\W*+$|第\s*+\d{1,5}\s*+页\s*+[:：])")
_ARROW = re.compile(r"^\s*+[»›>→]++\s*$")
_DIGITS = re.compile(r"\d+")
_PAGE_WORDS = re.compile(
    r"(?:^|[/_?&.=-])(?:page|paged|pageno|pagenum|pageindex|curpage|cpage|pg|list|index|pn?|start|offset)[/_=-]?(?:\d+[_-])*\d+",
    re.IGNORECASE,
)


def pagination(url: str, links: Iterable[PageLink]) -> list[str]:
    """Return the links of a list page that lead to its further pages, in order of appearance.

    Either by `rel=next`, or by the URL (`list_2.html`, `page/2/`, `?page=2` in the list's own folder, `about_2.html`
    beside `about.html`), or by the link's text (a number, "next", 下一页) with a URL that may be one. A link whose
    text can only mean a further page ("next page", 下一页) counts if its URL has any number.
    """
    place = urlsplit(url)
    return [link.url for link in links if link.url != url and _is_further(place, link)]


def _is_further(place: SplitResult, link: PageLink) -> bool:
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
        if says_page(link.text) and (tail.count("/") <= 1 or shape_of(place.geturl()) == shape_of(link.url)):
            return True
    where = parts.path.rpartition("/")[2] + parts.query
    return bool(_NEXT_PAGE.match(link.text) and (_DIGITS.search(where) or (tail is not None and parts.query)))


def _numbered(parts: SplitResult) -> tuple[str, str]:
    """Return a page's name without its number: `about.html` and `about_2.html` are two pages of one list."""
    stem, dot, suffix = parts.path.rpartition(".")
    return (re.sub(r"[_-]\d{1,5}$", "", stem), suffix) if dot and "/" not in suffix else (parts.path, "")


def shape_of(url: str) -> str:
    """Return the shape of a URL, by template: digits become 0, a last segment without digits becomes `*`."""
    parts = urlsplit(url)
    head, _, last = parts.path.rpartition("/")
    if not last:
        head, _, last = head.rpartition("/")
        last += "/"
    stem, dot, suffix = last.partition(".")
    stem = _DIGITS.sub("0", stem) if _DIGITS.search(stem) else "*/" if stem.endswith("/") else "*"
    keys = "&".join(sorted(pair.partition("=")[0] for pair in parts.query.split("&") if pair))
    return f"{_DIGITS.sub('0', head)}/{stem}{dot}{suffix}" + (f"?{keys}" if keys else "")


def says_page(text: str) -> bool:
    """Whether a link's text is a page's number or a word for "next"."""
    return bool(_NUMBER.match(text) or _NEXT_WORDS.match(text) or _ARROW.match(text))


def _below(path: str, other: SplitResult) -> str | None:
    """Return the part of another URL after the list's folder; None if it is not in that folder."""
    folder = _without_page(path.rpartition("/")[0] + "/")
    if not other.path.startswith(folder):
        return None
    return other.path[len(folder) :] + ("?" + other.query if other.query else "")


def _without_page(folder: str) -> str:
    """Return the folder of a list's pages: `/posts/page/2/` → `/posts/`."""
    return re.sub(r"(?:page|list|p)?[/_-]?(?<!\d)\d++/$", "", folder) or "/"
