"""The links of a page, in document order, each with its text.

Besides <a href>, lists have the URLs of further pages in <option> elements, in `data-…` and `hx-get` attributes and
in short scripts (`onclick="location='/list_2.html'"`): such a URL is a link as well. So are the further pages of which
a script of TRS WCM, the system of many Chinese offices, knows only the number: `createPageHTML(3, 0, "index", "html")`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Literal, cast
from urllib.parse import urlsplit

from lxml import etree

from crawler.discovery.lenient_xml import text_of
from extractors.errors import UnusablePage
from extractors.html.decoding import decode
from extractors.html.dom import parse
from extractors.html.urls import normalise, split_web, web_url, with_encoded_query, with_slashes

Form = Literal["page", "feed", "sitemap", "json", "robots"]
Resolve = Callable[[str], str | None]  # a reference of a page → its URL, as `absolute`

MOST_LINKS = 5000  # links of one page; endless lists exist
MOST_NUMBERED = 100  # further pages of which a script knows the number
LONGEST_WORDS = 600  # characters of an element that are read for its words, with the space between them
LONGEST_URL = 8192  # characters of an address; no server takes a longer one
MOST_FEEDS = 3  # feeds of one page: that of the section, that of the site, one more
# Suffixes of files that are not pages
ASSET = re.compile(
    r"\.(?:css|js|mjs|json|map|png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4a|ogg|wav|webm|avi|mov|flv|pdf|docx?"
    r"|xlsx?|pptx?|zip|rar|7z|gz|tgz|bz2|apk|exe|dmg|iso|woff2?|ttf|eot|torrent)$",
    re.IGNORECASE,
)
FEED_TYPES = frozenset({
    "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json", "text/rss+xml",
    "application/rss", "application/atom",
})  # fmt: skip
NEXT_ATTRIBUTES = (
    "data-next", "data-next-url", "data-next-href", "data-next-page", "data-next-page-url", "data-nexturl",
    "data-load-more", "data-load-more-url", "data-more", "data-more-url",
)  # fmt: skip
URL_ATTRIBUTES = ("data-href", "data-url", "data-link", "data-ajax-url", "data-load-url", "hx-get", "data-hx-get")
HIDDEN = frozenset({*NEXT_ATTRIBUTES, *URL_ATTRIBUTES, "onclick"})
SHORT_CJK, SHORT_LATIN = 6, 20  # characters of a text that names a section rather than an article
WORDED = frozenset({"a", "area", "option", "button", "span", "li", "b", "strong", "em"})  # others may hold whole lists

_NAMES = f"|{'|'.join(sorted(HIDDEN))}|"
# In document order; a union would take quadratic time, and a test for each attribute three times as long
_of_interest = etree.XPath(
    "//*[self::a or self::area or self::base or self::link or self::option"
    f" or @*[contains('{_NAMES}', name())][contains('{_NAMES}', concat('|', name(), '|'))]]"
)
_FEED_ADDRESS = re.compile(
    r"(?:^|/)(?:rss|atom|feeds?|index)(?:\.(?:xml|rss|rdf|atom)|/)?$|\.(?:rss|atom)$", re.IGNORECASE
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_COMMENTS = re.compile(r"comment|评论|留言", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?:/)?/\S|\?\S|\.{1,2}/\S|[^\s:#]+\.(?:s?html?|php|aspx?|jsp)\b", re.IGNORECASE)
_TEMPLATE = re.compile(r"[{}<>\s]|=$")  # a template in which a script inserts something
_SCRIPTED = re.compile(
    r"""location(?:\.href)?\s*=\s*["']([^"'\s]+)["']|["']((?:https?:/)?/[^"'\s]+|\?[^"'\s]+|\.{1,2}/[^"'\s]+)["']"""
)
# The number of pages, that of this page from 0, the name of the first one, its suffix
_NUMBERED = re.compile(
    r"""createPageHTML\(\s*(\d{1,5})\s*,\s*\d{1,5}\s*,\s*["']([\w-]{1,60})["']\s*,\s*["'](\w{1,5})["']"""
)
_MORE = re.compile(
    r"(?:load|show|view|see|read|get)[-_ ]?more|more[-_ ]?(?:btn|button|link)|next|加载|更多|下一?页", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link: its URL (absolute, normalised), its text, its `rel` words.

    `published`: when the page was published, or else last changed, if the list has the date (aware).
    """

    url: str
    text: str = ""
    rel: str = ""
    published: datetime | None = None


@dataclass(frozen=True, slots=True)
class ListContent:
    """A list that was read: its links, each URL once, of a sitemap with the date of the news or of the last change.

    `next`: its declared further pages. `sitemaps`: the children of an index. `home`: the page to which a feed belongs,
    empty if unknown. `truncated`: some of its links were not read.
    """

    form: Form
    links: list[PageLink] = field(default_factory=list)
    next: list[str] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    sitemaps: list[PageLink] = field(default_factory=list)
    home: str = ""
    truncated: bool = False


def is_short(text: str) -> bool:
    """Return whether a link's text is so short that it names a section rather than an article."""
    return len(text) <= SHORT_CJK if _CJK.search(text) else len(text) <= SHORT_LATIN and text.count(" ") <= 2


def page_links(body: bytes, url: str, content_type: str | None = None) -> ListContent:
    """Return the http(s) links of a page, at most `MOST_LINKS`, and its feeds, at most `MOST_FEEDS`.

    Each URL comes once, with its first text that is not empty.
    """
    text, encoding = decode(body, content_type)
    return links_in(text, url, encoding)


def links_in(html: str, url: str, encoding: str = "utf-8") -> ListContent:
    """As `page_links`, for a page, or a part of one, as text. `encoding`: of queries in the links' URLs."""
    try:
        root = parse(html)
    except UnusablePage:
        return ListContent("page")
    found: dict[str, PageLink] = {}
    feeds: dict[str, None] = {}
    for link in chain(_all_links(root, url, encoding), _numbered_pages(html, url)):
        if link.rel == FEED:
            feeds.setdefault(link.url)
            continue
        known = found.get(link.url)
        if known is None or (link.text and not known.text):
            if known is None and len(found) >= MOST_LINKS:
                return ListContent("page", list(found.values()), feeds=[*feeds][:MOST_FEEDS], truncated=True)
            found[link.url] = PageLink(link.url, link.text, link.rel or known.rel) if known else link
    return ListContent("page", list(found.values()), feeds=[*feeds][:MOST_FEEDS])


FEED = "feed"  # the `rel` of links to feeds within this module


def _all_links(root: "etree._Element", url: str, encoding: str) -> Iterator[PageLink]:
    resolve = partial(absolute, url, encoding=encoding)
    for element in cast("list[etree._Element]", _of_interest(root)):
        if element.tag == "base":
            resolve = partial(absolute, absolute(url, element.get("href") or "", encoding) or url, encoding=encoding)
        elif element.tag == "link":
            yield from _head_link(element, resolve)
        else:
            yield from _links_of_element(element, resolve)


def _numbered_pages(html: str, url: str) -> Iterator[PageLink]:
    """Yield the further pages of a list: index_1.html is the second one."""
    if not (found := _NUMBERED.search(html)):
        return
    for number in range(1, min(int(found[1]), MOST_NUMBERED)):
        if target := absolute(url, f"{found[2]}_{number}.{found[3]}"):
            yield PageLink(target, str(number + 1))


def _head_link(element: "etree._Element", resolve: Resolve) -> Iterator[PageLink]:
    rel = (element.get("rel") or "").lower()
    target = resolve(element.get("href") or "")
    if target is None:
        return
    if "next" in rel.split():
        yield PageLink(target, (element.get("title") or "")[:200], rel)
    elif "alternate" in rel.split() and _is_feed(element, target):
        yield PageLink(target, "", FEED)


def _is_feed(element: "etree._Element", target: str) -> bool:
    kind = (element.get("type") or "").split(";")[0].strip().lower()
    return kind in FEED_TYPES and not _COMMENTS.search(f"{target} {element.get('title') or ''}")


def _links_of_element(element: "etree._Element", resolve: Resolve) -> Iterator[PageLink]:
    if element.tag in ("a", "area"):
        href = element.get("href") or ""
        if target := resolve(href):
            text = _words(element)
            yield PageLink(target, text or (element.get("title") or "")[:200], (element.get("rel") or "").lower())
            if ("xml" in href or "rss" in text.lower()) and _FEED_ADDRESS.search(urlsplit(target).path):
                yield PageLink(target, "", FEED)
        elif href.lstrip()[:11].lower() == "javascript:" and (hidden := _in_script(resolve, href)):
            yield _hidden_link(hidden, element)
    elif element.tag == "option" and (value := _written(resolve, element.get("value"))):
        yield PageLink(value, _words(element))
    if not HIDDEN.isdisjoint(map(str, element.keys())):
        yield from _hidden(element, resolve)


def _hidden(element: "etree._Element", resolve: Resolve) -> Iterator[PageLink]:
    """Yield the URLs in attributes that scripts read."""
    for name in NEXT_ATTRIBUTES:
        if target := _written(resolve, element.get(name)):
            yield PageLink(target, _words(element), "next")
    targets = [_written(resolve, element.get(name)) for name in URL_ATTRIBUTES]
    for target in filter(None, [*targets, _in_script(resolve, element.get("onclick") or "")]):
        yield _hidden_link(target, element)


def _in_script(resolve: Resolve, script: str) -> str | None:
    found = _SCRIPTED.search(script)
    return _written(resolve, found[1] or found[2], sure=True) if found else None


def _written(resolve: Resolve, text: str | None, *, sure: bool = False) -> str | None:
    """Return the URL in an attribute; None if the value is something else, or a template of a URL."""
    text = (text or "").strip()
    if not text or _TEMPLATE.search(text) or not (sure or _ADDRESS.match(text)):
        return None
    return resolve(text)


def _hidden_link(target: str, element: "etree._Element") -> PageLink:
    """Return the link of a script: to the next page if the element's names and words say that it loads more."""
    words = _words(element)
    said = f"{element.get('class') or ''} {element.get('id') or ''} {words[:40]}"
    return PageLink(target, words, "next" if _MORE.search(said) else "")


def _words(element: "etree._Element") -> str:
    if element.tag not in WORDED:
        return ""
    return " ".join(text_of(element, LONGEST_WORDS).split())[:200]


def absolute(base: str, href: str, encoding: str = "utf-8") -> str | None:
    """Return a reference as a normalised http(s) URL; None if it is not one.

    As in browsers, a backslash is a slash, and the query is sent in the encoding of the page.
    """
    href = href.strip()
    written = with_encoded_query(with_slashes(href), encoding)
    joined = web_url(base, written) if len(href) <= LONGEST_URL else None
    target = normalise(joined) if joined else ""
    return target if len(target) <= LONGEST_URL and split_web(target) else None
