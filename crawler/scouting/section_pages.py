"""Where an article's section pages may be: its breadcrumb, the folders above it, the home page, its feeds.

Candidates only: which of them list articles like the example, `survey` finds out by reading a few.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urljoin, urlsplit

from lxml import etree

from crawler.discovery.links import ASSET, PageLink
from crawler.scouting.address_parts import MARK, address_of
from extractors.html.decoding import decode
from extractors.html.urls import normalise

Why = Literal["breadcrumb", "parent folder", "home page", "named as a list", "feed", "sitemap"]

_CRUMBS = re.compile(r"bread-?_?crumb|crumbs?\b|location|weizhi|position|place\b|dqwz|curmbs|where", re.IGNORECASE)
_HERE = re.compile(r"(?:当前|所在|您的|现在的?)位置|你在这里|you are here", re.IGNORECASE)
_LISTS = re.compile(
    r"(?:^|\b)(?:all )?(?:blogs?|news|posts|articles|stories|archives?|latest|press|publications|newsroom)\b|"
    r"新闻|资讯|文章|博客|归档|动态|要闻|列表|最新|全部|头条|快讯|公告",
    re.IGNORECASE,
)
_CATEGORY = re.compile(r"\b(?:category|tag)\b")
MOST_CRUMBS = 8  # links; an element with more is a menu


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that may list the section's articles."""

    url: str
    why: Why


def candidates(url: str, body: bytes, links: Iterable[PageLink], content_type: str | None = None) -> list[Candidate]:
    """Return the pages worth reading, the likeliest first, each once, without the article and pages of other sites."""
    links = [link for link in links if _is_here(link.url, url)]
    linked = {link.url for link in links}
    crumbs = breadcrumb(url, body, content_type)
    found = [Candidate(each, "breadcrumb") for each in reversed(crumbs)]
    found += [Candidate(each, "parent folder") for each in parents(url) if each in linked]
    found += [Candidate(link.url, "breadcrumb") for link in links if _CATEGORY.search(link.rel)][:2]
    home = urljoin(url, "/")
    named = [link.url for link in links if _LISTS.search(link.text) and len(link.text) <= 24]
    found += [Candidate(each, "named as a list") for each in named]
    found += [Candidate(each, "parent folder") for each in parents(url)]
    by_url: dict[str, Candidate] = {}
    for each in found:
        by_url.setdefault(each.url, each)
    others = [each for each in by_url.values() if each.url not in (normalise(url), home)]
    return [Candidate(home, "home page"), *others]


def parents(url: str) -> list[str]:
    """Return the folders above a page, without the site's root; folders named for a date come last."""
    parts, address = urlsplit(url), address_of(url, "folders")
    segments = parts.path.rstrip("/").split("/")[1:-1]
    dated = next((n for n, each in enumerate(address.folders) if MARK in each), len(segments))
    paths = [f"{parts.scheme}://{parts.netloc}/" + "/".join(segments[:n]) + "/" for n in range(len(segments), 0, -1)]
    above = paths[len(segments) - dated :]
    return [normalise(each) for each in (*above, *paths[: len(segments) - dated])]


def breadcrumb(url: str, body: bytes, content_type: str | None = None) -> list[str]:
    """Return the links of the page's breadcrumb on its own site, from the outermost in."""
    root = _parse(body, content_type)
    if root is None:
        return []
    for element in _crumb_elements(root):
        links = [urljoin(url, (a.get("href") or "").strip()) for a in element.iter("a")]
        here = [normalise(each) for each in links if each.startswith("http") and _is_here(each, url)]
        inner = [each for each in dict.fromkeys(here) if urlsplit(each).path != "/" or urlsplit(each).query]
        if inner and len(here) <= MOST_CRUMBS:
            return [each for each in inner if each != normalise(url)]
    return []


def _crumb_elements(root: etree._Element) -> Iterator[etree._Element]:
    for element in root.iter("div", "nav", "ul", "ol", "p", "span", "section", "td", "h2", "h3"):
        marks = " ".join(element.get(name) or "" for name in ("class", "id", "itemtype", "aria-label"))
        text = element.text or ""
        if _CRUMBS.search(marks) or _HERE.search(text):
            yield element


def _parse(body: bytes, content_type: str | None) -> etree._Element | None:
    text, _ = decode(body, content_type)
    try:
        root = etree.fromstring(
            text.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8", collect_ids=False, huge_tree=True)
        )
    except etree.XMLSyntaxError:
        return None
    return root


def _is_here(url: str, page: str) -> bool:
    here, there = urlsplit(page), urlsplit(url)
    same = here.netloc.removeprefix("www.") == there.netloc.removeprefix("www.")
    return same and not ASSET.search(there.path)
