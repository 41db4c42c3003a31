"""The declarations of a page: meta elements, links, headings, times, JSON-LD and microdata.

One walk over the tree collects the elements; microdata on visible elements (`<span itemprop="datePublished">`) needs a
separate search, which is made only if necessary.

The names under which sites declare each field in meta elements, lower case and best first, are from schema.org and Open
Graph, Dublin Core, the services to which sites supply data (Parse.ly, Sailthru, Cxense, Baidu, Toutiao) and the Chinese
government's rules for web sites (PubDate, ContentSource, ArticleTitle, SiteName).
"""

import html
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

from lxml import etree

from ..html.decoding import without_controls
from ..html.dom import short_text
from ..html.urls import web_url
from ..page import Page
from . import json_ld

TITLE = ("og:title", "twitter:title", "articletitle", "dc.title", "sailthru.title", "parsely-title", "headline",
         "citation_title")  # fmt: skip
PUBLISHED = (
    "article:published_time", "og:published_time", "datepublished", "article:published", "pubdate", "publishdate",
    "publish_date", "publish-date", "published", "published_time", "published-date", "publication_date", "publishtime",
    "bytedance:published_time", "apub:time", "parsely-pub-date", "sailthru.date", "dc.date.issued", "dcterms.issued",
    "citation_publication_date", "dc.date", "dc.date.created", "dcterms.created", "dcterms.date",
    "cxenseparse:recs:publishtime", "cxenseparse:publishtime", "rnews:datepublished", "og:release_date",
    "article:release_date", "og:time", "bt:pubdate", "ptime", "weibo: article:create_at", "article:create_at",
    "datecreated", "date", "article_date_original", "citation_online_date", "citation_date", "firstpublishedtime",
)  # fmt: skip
MODIFIED = (
    "article:modified_time", "og:updated_time", "datemodified", "article:modified", "article:updated_time",
    "og:modified_time", "updated_time", "modified_time", "bytedance:updated_time", "dateupdate", "dateupdated",
    "last-modified", "last_modified", "lastmod", "lastmodified", "lastpublisheddate", "dc.date.modified",
    "dcterms.modified", "cxenseparse:recs:modifiedtime", "sailthru.updated_time", "weibo: article:update_at",
    "article:update_at", "moddate", "revised", "lastmodifiedtime",
)  # fmt: skip
AUTHOR = (
    "author", "article:author", "byl", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author",
    "article:author_name", "citation_author",
)  # fmt: skip
SOURCE = ("contentsource", "source", "mediaid", "article:source", "og:article:source", "weibo: article:source")
DESCRIPTION = ("description", "og:description", "twitter:description", "dc.description")
KEYWORDS = ("keywords", "news_keywords", "article:tag", "parsely-tags")
TAGS = ("sailthru.tags",)  # keywords in the form of URL parts: day-out
SITE = ("og:site_name", "application-name", "sitename", "twitter:app:name:iphone")
IMAGE = ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src")
URL = ("og:url",)
LANGUAGE = ("og:locale", "content-language", "language", "dc.language")
KIND = ("og:type",)
ROBOTS = ("robots",)  # directives for all crawlers; other names address one crawler
TDM = ("tdm-reservation",)  # TDM Reservation Protocol: 1 is reserved, 0 is not

KNOWN = frozenset(
    name
    for names in (
        TITLE, PUBLISHED, MODIFIED, AUTHOR, SOURCE, DESCRIPTION, KEYWORDS, TAGS, SITE, IMAGE, URL, LANGUAGE, KIND,
        ROBOTS, TDM,
    )
    for name in names
)  # fmt: skip

MAX_CONTENT = 5_000  # characters of a meta element that are read
MAX_REPEATED = 10  # <h1> and <time> elements of a page that are read: lists have one for each entry
MAX_TRIED = 50  # <h1>, <time> and microdata elements of a name that are examined: thousands may be nested
MAX_HEADING = 300  # characters; a longer <h1> was never closed
MAX_NAMED = 60  # characters of an element named after the author
MAX_ITEM = 200  # characters of an element with microdata; a longer one contains a text

_COUNTED = ("article", "h2", "h3")  # elements of which only the number counts, in the page-type model
_DECLARING = ("meta", "link", "base", "title", "h1", "time", "script", *_COUNTED)
_NAMING = ("name", "property", "itemprop", "http-equiv")
_ITEMS = etree.XPath("descendant::*[@itemprop]")
_NAMED_AUTHORS = etree.XPath(
    "descendant::*[contains(@class, 'author') or contains(@class, 'byline') or contains(@rel, 'author')]"
)
# Of 2,914 stored pages 43 more have an author, 3 of them a wrong one; where the page names one elsewhere, both agree on
# 178 of 197 pages, and most of the others have a person here and the publisher there
_AUTHOR_CLASS = re.compile(
    r"(?:(?:entry|post|article|meta|c|news|story|item|blog|single|page)[-_]+)*(?:authors?|byline)"
    r"(?:[-_]*(?:names?|link|info|wrap))?"
)
_WANTED_ITEMS = frozenset({"author", "datepublished", "datecreated", "datemodified"})
_PICTURE = frozenset({"svg", "symbol", "g", "defs"})
_PUBLISHED_MARK = re.compile(r"publi|pubdate|posted|created|entry-date", re.IGNORECASE)
_CRAWLER = re.compile(r"[a-z][\w.-]{0,60}")
_DIRECTIVES = re.compile(  # only directives, so that the meta element is not one with another purpose
    r"\s*(?:(?:none|no(?:index|follow|archive|cache|snippet|imageindex|translate|ai|imageai)|index|follow|all)\s*(?:,\s*|$))+",
    re.IGNORECASE,
)
_MODIFIED_MARK = re.compile(r"updat|modif", re.IGNORECASE)


@dataclass(slots=True)
class Head:
    """The values that one walk over the tree collects, in document order.

    `elements`: all that was found, of scripts those in JSON-LD. `meta`: contents by lower-case name, property or
    itemprop, of the names in `KNOWN`. `robots`: directives for crawlers, `name: …` if they address one crawler.
    `times`: the values of <time> elements without a declared meaning; `published` and `modified`: of those with one.
    `article`, `declared_page` and `products`: the data of JSON-LD on the article, on the page and on products.
    """

    root: etree._Element
    elements: list[etree._Element] = field(default_factory=list)
    meta: dict[str, list[str]] = field(default_factory=dict)
    robots: list[str] = field(default_factory=list)
    title: str = ""
    headings: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    published: list[str] = field(default_factory=list)
    modified: list[str] = field(default_factory=list)
    canonical: str = ""
    base: str = ""
    language: str = ""
    article: dict[str, Any] = field(default_factory=dict)
    declared_page: dict[str, Any] = field(default_factory=dict)
    products: list[dict[str, Any]] = field(default_factory=list)
    microdata: dict[str, list[str]] | None = None  # see `items`

    def items(self, page: Page) -> dict[str, list[str]]:
        """Return microdata of elements that readers see: texts by lower-case itemprop."""
        if self.microdata is None:
            self.microdata = _read_items(self.root) if "itemprop" in page.html else {}
        return self.microdata

    def author_elements(self, page: Page) -> list[str]:
        """Return the texts of elements that a template names after the author, by class or as a link to the author."""
        if not ("author" in page.html or "byline" in page.html):
            return []
        named = filter(_is_named_author, cast(list[etree._Element], _NAMED_AUTHORS(self.root)))
        found = (clean(short_text(element, MAX_NAMED)) for element in islice(named, MAX_TRIED))
        return [text for text in found if text and len(text) <= MAX_NAMED]

    def first(self, names: tuple[str, ...]) -> str:
        """Return the first value of the first name that has one, or ""."""
        meta = self.meta
        for name in names:
            if name in meta:
                return meta[name][0]
        return ""

    def first_name(self, names: tuple[str, ...]) -> str:
        """Return the first name that has a value, or ""."""
        return next((name for name in names if name in self.meta), "")

    def values(self, names: tuple[str, ...]) -> list[str]:
        """Return all values of all names."""
        meta = self.meta
        if meta.keys().isdisjoint(names):
            return []
        return [value for name in names if name in meta for value in meta[name]]

    def base_url(self, page: Page) -> str:
        """Return the base of the page's relative URLs, "" if there is none."""
        return web_url(page.url or "", self.base) or page.url or ""

    def titles(self) -> list[str]:
        """Return the titles in meta elements."""
        return self.values(("og:title", "twitter:title"))[:MAX_REPEATED]


def read_head(root: etree._Element) -> Head:
    """Collect the elements that carry metadata in one walk."""
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    declaring = [each for each in root.iter(*_DECLARING) if each.tag != "script" or "ld+json" in each.get("type", "")]
    head = Head(root, declaring, language=language)
    texts: list[str] = []
    left = {"h1": MAX_TRIED, "time": MAX_TRIED}
    for element in declaring:
        tag = str(element.tag)
        if tag == "meta":
            _read_meta(head, element)
        elif tag == "link":
            if not head.canonical and "canonical" in (element.get("rel") or "").lower().split():
                head.canonical = element.get("href") or ""
        elif tag in _COUNTED:
            continue
        elif tag == "script":
            if element.text:
                texts.append(element.text)
        elif tag == "title":
            head.title = head.title or _read_title(element)
        elif tag == "base":
            head.base = head.base or element.get("href") or ""
        elif left.get(tag):
            left[tag] -= 1
            if tag == "time":
                _read_time(head, element)
            else:
                _read_heading(head.headings, element)
    if texts:
        head.article, head.declared_page, head.products = json_ld.find_declared(texts)
    return head


def clean(text: str | None) -> str | None:
    """Return `text` with white space folded and left-over character references resolved; None if nothing is left."""
    if not text:
        return None
    return " ".join(without_controls(html.unescape(text) if "&" in text else text).split()) or None


def _read_meta(head: Head, element: etree._Element) -> None:
    content = element.get("content")
    if not content:
        return
    read = ""
    for name in map(element.get, _NAMING):
        if name and (name := name.strip().lower()) in KNOWN:
            read = read or content[:MAX_CONTENT].strip()
            if not read:
                break
            head.meta.setdefault(name, []).append(read)
    if "no" in content.lower() or "max-" in content or "unavailable" in content:
        _read_robots(head.robots, element, content)


def _read_robots(robots: list[str], element: Any, content: str) -> None:
    name = (element.get("name") or element.get("property") or "").strip().lower()
    if (name in KNOWN and name != "robots") or len(robots) >= MAX_REPEATED:
        return
    if name == "robots":
        robots.append(content[:MAX_ITEM].strip())
    elif _CRAWLER.fullmatch(name) and _DIRECTIVES.fullmatch(content[:MAX_ITEM]):
        robots.append(f"{name}: {content.strip()}")


def _read_title(element: etree._Element) -> str:
    """Return the page's title, "" for the title of an SVG picture."""
    parent = element.getparent()
    return "" if parent is not None and parent.tag in _PICTURE else clean(element.text) or ""


def _read_heading(headings: list[str], element: etree._Element) -> None:
    if len(headings) < MAX_REPEATED:
        text = clean(short_text(element, MAX_HEADING))
        if text and len(text) <= MAX_HEADING:
            headings.append(text)


def _read_time(head: Head, element: etree._Element) -> None:
    value = element.get("datetime") or short_text(element, MAX_ITEM)[:MAX_ITEM]
    marks = " ".join(element.get(name) or "" for name in ("itemprop", "class", "id"))
    if element.get("pubdate") is not None or _PUBLISHED_MARK.search(marks):
        times = head.published
    else:
        times = head.modified if _MODIFIED_MARK.search(marks) else head.times
    if len(times) < MAX_REPEATED:
        times.append(value)


def _is_named_author(element: etree._Element) -> bool:
    rel, classes = (element.get("rel") or "").split(), (element.get("class") or "").split()
    return "author" in rel or any(map(_AUTHOR_CLASS.fullmatch, classes))


def _read_items(root: etree._Element) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    left = dict.fromkeys(_WANTED_ITEMS, MAX_TRIED)
    for element in cast(list[etree._Element], _ITEMS(root)):
        names = [name for name in {*(element.get("itemprop") or "").lower().split()} if left.get(name)]
        text = _item_text(element) if names else None
        for name in names:
            left[name] -= 1
            if text:
                found.setdefault(name, []).append(text)
    return found


def _item_text(element: etree._Element) -> str | None:
    """Return the value of an element with microdata; None if it is read elsewhere or contains a whole text."""
    if element.tag in ("meta", "time"):
        return None
    if element.get("itemscope") is not None:
        element = next(
            (inner for inner in islice(element.iter(), MAX_ITEM) if "name" in (inner.get("itemprop") or "")), element
        )
    text = clean(element.get("content") or element.get("datetime") or short_text(element, MAX_ITEM))
    return text if text and len(text) <= MAX_ITEM else None
