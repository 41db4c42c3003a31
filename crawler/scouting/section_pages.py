"""Candidates for an article's section pages: its breadcrumb, the folders above it, the home page, its feeds.

`survey` reads a few of them to find those that list articles like the example.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urljoin, urlsplit

from lxml import etree

from crawler.discovery.links import ASSET, PageLink
from crawler.scouting.address_parts import MARK, address_of
from extractors.errors import UnusablePage
from extractors.html.decoding import decode
from extractors.html.dom import parse
from extractors.html.urls import normalise

Why = Literal["breadcrumb", "parent folder", "home page", "named as a list", "feed", "sitemap"]

_CRUMBS = re.compile(
    r"bread-?_?crumb|crumbs?\b|location|weizhi|position|place\b|dqwz|curmbs|where|(?:^|\s)pt(?:\s|$)", re.IGNORECASE
)
_HERE = re.compile(r"(?:当前|所在|您的|现在的?)位置|你在这里|you are here", re.IGNORECASE)
_LISTS = re.compile(
    r"(?:^|\b)(?:all )?(?:blogs?|news|posts|articles|stories|archives?|latest|press|publications|newsroom)\b|"
    r"新闻|资讯|文章|博客|归档|动态|要闻|列表|最新|全部|头条|快讯|公告",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_CATEGORY = re.compile(r"\b(?:category|tag)\b")
MOST_CRUMBS = 8  # links; an element with more is a menu


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that may list the section's articles. `matched`: how many of them it links to, after it was read."""

    url: str
    why: Why
    matched: int = 0


def candidates(url: str, body: bytes, links: Iterable[PageLink], content_type: str | None = None) -> list[Candidate]:
    """Return pages of the site to read, the likeliest first, each once, without the article."""
    links = [link for link in links if _is_here(link.url, url)]
    linked = {link.url for link in links}
    crumbs = breadcrumb(url, body, content_type)
    pages = [Candidate(crumb, "breadcrumb") for crumb in reversed(crumbs)]
    pages += [Candidate(parent, "parent folder") for parent in parents(url) if parent in linked]
    pages += [Candidate(link.url, "breadcrumb") for link in links if _CATEGORY.search(link.rel)][:2]
    home = urljoin(url, "/")
    named = [link.url for link in links if _LISTS.search(link.text) and len(link.text) <= 24]
    named = [target for target in named if _DIGITS.sub("0", target) != _DIGITS.sub("0", normalise(url))]  # no sibling
    pages += [Candidate(target, "named as a list") for target in named]
    pages += [Candidate(parent, "parent folder") for parent in parents(url)]
    by_url: dict[str, Candidate] = {}
    for page in pages:
        by_url.setdefault(page.url, page)
    others = [page for page in by_url.values() if page.url not in (normalise(url), home)]
    return [Candidate(home, "home page"), *others]


def parents(url: str) -> list[str]:
    """Return the folders above a page, without the site's root; folders named for a date come last."""
    parts, address = urlsplit(url), address_of(url, "folders")
    segments = parts.path.rstrip("/").split("/")[1:-1]
    dated = next((n for n, folder in enumerate(address.folders) if MARK in folder), len(segments))
    paths = [f"{parts.scheme}://{parts.netloc}/" + "/".join(segments[:n]) + "/" for n in range(len(segments), 0, -1)]
    above = paths[len(segments) - dated :]
    return [normalise(path) for path in (*above, *paths[: len(segments) - dated])]


def breadcrumb(url: str, body: bytes, content_type: str | None = None) -> list[str]:
    """Return the links of the page's breadcrumb that lead to its own site, the outermost first."""
    try:
        root = parse(decode(body, content_type)[0])
    except UnusablePage:
        return []
    for element in _crumb_elements(root):
        links = [urljoin(url, (a.get("href") or "").strip()) for a in element.iter("a")]
        here = [normalise(link) for link in links if link.startswith("http") and _is_here(link, url)]
        inner = [link for link in dict.fromkeys(here) if urlsplit(link).path != "/" or urlsplit(link).query]
        if inner and len(here) <= MOST_CRUMBS:
            return [link for link in inner if link != normalise(url)]
    return []


def _crumb_elements(root: etree._Element) -> Iterator[etree._Element]:
    for element in root.iter("div", "nav", "ul", "ol", "p", "span", "section", "td", "h2", "h3"):
        marks = " ".join(element.get(name) or "" for name in ("class", "id", "itemtype", "aria-label"))
        text = element.text or ""
        if _CRUMBS.search(marks) or _HERE.search(text):
            yield element


def _is_here(url: str, page: str) -> bool:
    here, there = urlsplit(page), urlsplit(url)
    same = here.netloc.removeprefix("www.") == there.netloc.removeprefix("www.")
    return same and not ASSET.search(there.path)
