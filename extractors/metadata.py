"""Title, date, author and the rest: from JSON-LD, then meta elements, then what the reader sees around the body.

The tree is walked once, for the few elements that carry metadata; visible forms (bylines, dates) are looked for in the
text lines just before and at the beginning of the body.
"""

import html
import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypedDict

from lxml import etree

from . import json_ld
from .dates import find_date
from .dom import inner_text
from .language import find_language
from .lines import Lines
from .page import Page
from .phrases import may_be_byline
from .titles import find_title
from .web import web_url

LINES_BEFORE, LINES_WITHIN = 15, 5  # lines before the body, and its first ones, where date and byline stand
MAX_BYLINE = 200  # characters; longer lines are prose
MAX_RELATIVE = 40  # characters of a line in which 昨天 or "3 hours ago" is a date
MAX_CONTENT = 5_000  # characters of a meta element that are read
MAX_REPEATED = 10  # <h1> and <time> elements of a page that are read: lists have one for each entry
MAX_HEADING = 300  # characters; a longer <h1> was never closed
LANGUAGE_LINES = 10  # lines of the body that tell its language

TITLE_META = ("og:title", "twitter:title", "dc.title", "sailthru.title", "parsely-title", "headline")
PUBLISHED_META = (
    "article:published_time", "og:published_time", "datepublished", "article:published", "pubdate", "publishdate",
    "publish_date", "publish-date", "published_time", "parsely-pub-date", "sailthru.date", "dc.date.issued", "dc.date",
    "dcterms.created", "dcterms.date", "cxenseparse:recs:publishtime", "rnews:datepublished", "og:release_date",
    "bt:pubdate", "weibo: article:create_at", "article:create_at", "date",
)  # fmt: skip
AUTHOR_META = (
    "author",
    "article:author",
    "byl",
    "dc.creator",
    "parsely-author",
    "sailthru.author",
    "article:author_name",
)
SOURCE_META = ("source", "mediaid", "article:source", "og:article:source")
DESCRIPTION_META = ("description", "og:description", "twitter:description")
KEYWORDS_META = ("keywords", "news_keywords", "article:tag", "parsely-tags")
SITE_META = ("og:site_name", "application-name", "twitter:app:name:iphone")
IMAGE_META = ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src")

NO_SOURCE = frozenset({"未知", "本站", "网络", "互联网"})  # what editors fill in when they don't know
_LIST_SEPARATOR = re.compile(r"[,，;；、|]")
# A Chinese name or a Latin one, the latter with spaces: names end where another script, a sign or a digit begins.
_NAME = r"([^\W\d_A-Za-z][^\s|｜/；;，,。（(\])）】》\[]{0,29}|[A-Za-z][\w.'’-]*(?: [A-Za-z][\w.'’-]*){0,5})"
_SOURCE = re.compile(rf"(?:来源|稿源|来自)\s*[:：]\s*[《【]?{_NAME}")
_AUTHOR = re.compile(rf"(?:(?:作者|撰文|记者|文)\s*[:：]|文\s*[|｜/])\s*{_NAME}")
_WORD = r"[A-Z][\w.'’-]*"
_BYLINE = re.compile(rf"^(?i:(?:written|posted|story)\s+)?(?i:by):?\s+({_WORD}(?:\s+(?:and\s+)?{_WORD}){{0,5}})")
_LEADING_BY = re.compile(r"^\W*(?:by\b)?\W*", re.IGNORECASE)
_ADDRESS = re.compile(r"https?:|www\.|@|facebook\.com")  # what some sites put in place of the author's name
_REPORTER = re.compile(r"(?:本报|新华社|中新社)?记者\s?([\u4e00-\u9fff]{2,4})(?=[\s）)　]|$)")


class Metadata(TypedDict):
    """The fields of `Article` that this module fills."""

    canonical_url: str | None
    title: str | None
    published: date | None
    author: str | None
    source: str | None
    keywords: tuple[str, ...]
    language: str | None
    description: str | None
    site_name: str | None
    image: str | None


@dataclass(slots=True)
class Head:
    """What one walk over the tree collects, in document order."""

    meta: dict[str, list[str]] = field(default_factory=dict)  # by lower-case name, property or itemprop
    title: str = ""
    headings: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)  # JSON-LD
    canonical: str = ""
    base: str = ""
    language: str = ""
    article: dict[str, Any] = field(default_factory=dict)  # what JSON-LD says about it

    def first(self, names: tuple[str, ...]) -> str:
        """Return the first value of the first name that has one, or ""."""
        return next((value for name in names for value in self.meta.get(name, ())), "")

    def base_url(self, page: Page) -> str:
        """Return the URL that the page's relative ones refer to, "" if there is none."""
        return web_url(page.url or "", self.base) or page.url or ""

    def titles(self) -> list[str]:
        """Return what meta elements give as the title."""
        return [value for name in ("og:title", "twitter:title") for value in self.meta.get(name, ())]


def read_metadata(head: Head, lines: Lines, kept: list[int], title_line: int, page: Page) -> Metadata:
    """Return the metadata of a page whose body is the `kept` lines; `title_line` repeats its title, or is -1."""
    article = head.article
    declared = [head.first(TITLE_META), *map(html.unescape, json_ld.texts(article.get("headline")))]
    nearby = lines_around(lines, kept, title_line)
    headings = head.headings + ([lines.texts[title_line]] if title_line >= 0 else [])
    base = head.base_url(page)
    site_name = clean(head.first(SITE_META)) or next(map(clean, json_ld.texts(article.get("publisher"))), None)
    sample = " ".join(lines.texts[index] for index in kept[:LANGUAGE_LINES])
    return Metadata(
        canonical_url=web_url(base, head.canonical) or web_url(base, head.first(("og:url",))),
        title=find_title(declared, head.title, headings, site_name),
        published=find_published(head, article, nearby, page),
        author=find_author(head, article, nearby),
        source=find_source(head, nearby),
        keywords=find_keywords(head, article),
        language=find_language(head.language or head.first(("og:locale", "content-language")), sample),
        description=clean(head.first(DESCRIPTION_META))
        or next(map(clean, json_ld.texts(article.get("description"))), None),
        site_name=site_name,
        image=web_url(base, head.first(IMAGE_META)) or next((web_url(base, u) for u in _image_urls(article)), None),
    )


def read_head(root: etree._Element) -> Head:
    """Collect the elements that carry metadata in one walk."""
    head = Head(language=root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or "")
    for element in root.iter("meta", "title", "h1", "time", "script", "link", "base"):
        tag = element.tag
        if tag == "meta":
            _read_meta(head, element)
        elif tag == "script":
            if "ld+json" in (element.get("type") or "") and element.text:
                head.scripts.append(element.text)
        elif tag == "link":
            if not head.canonical and "canonical" in (element.get("rel") or "").lower().split():
                head.canonical = element.get("href") or ""
        elif tag == "base":
            head.base = head.base or element.get("href") or ""
        elif tag == "title":
            head.title = head.title or (clean(element.text) or "")
        elif tag == "time" and len(head.times) < MAX_REPEATED:
            _read_time(head, element)
        elif tag == "h1" and len(head.headings) < MAX_REPEATED:
            _read_heading(head, element)
    head.article = json_ld.find_article(head.scripts)
    return head


def lines_around(lines: Lines, kept: list[int], title_line: int) -> list[str]:
    """Return the short lines where date, author and source are printed: after the title, then before the body.

    Of the body's own first lines those count that have the form of a byline.
    """
    start = kept[0] if kept else 0
    first = max(0, start - LINES_BEFORE)
    after_title = range(title_line + 1, start) if first <= title_line < start else range(0)
    before = [index for index in range(first, start) if index not in after_title]
    around = [lines.texts[index] for index in [*after_title, *before]]
    around += [text for text in (lines.texts[index] for index in kept[:LINES_WITHIN]) if may_be_byline(text)]
    return [text for text in around if len(text) <= MAX_BYLINE]


def find_published(head: Head, article: dict[str, Any], nearby: list[str], page: Page) -> date | None:
    """Return when the article was published: aware where the page names a zone, else naive, else a date.

    Words such as "yesterday" count in short lines only: in longer ones somebody tells of his day.
    """
    declared = [*json_ld.texts(article.get("datePublished")), *json_ld.texts(article.get("dateCreated"))]
    declared += [value for name in PUBLISHED_META for value in head.meta.get(name, ())]
    for value in [*declared, *head.times, *nearby]:
        found = find_date(value[:MAX_BYLINE], page.fetched_at, relative=len(value) <= MAX_RELATIVE)
        if found:
            return found
    return None


def find_author(head: Head, article: dict[str, Any], nearby: list[str]) -> str | None:
    """Return the author or authors, joined by ", "."""
    declared = [json_ld.texts(article.get("author")), *(head.meta.get(name, []) for name in AUTHOR_META)]
    for values in declared:
        names = [_LEADING_BY.sub("", name) for name in map(clean, values) if name and not _ADDRESS.search(name)]
        if any(names):
            return ", ".join(dict.fromkeys(filter(None, names)))
    return next((found for form in (_AUTHOR, _BYLINE, _REPORTER) if (found := _first_match(form, nearby))), None)


def find_source(head: Head, nearby: list[str]) -> str | None:
    """Return where the page says it has the article from (来源)."""
    found = clean(_first_match(_SOURCE, nearby)) or clean(head.first(SOURCE_META))
    return None if found in NO_SOURCE else found


def find_keywords(head: Head, article: dict[str, Any]) -> tuple[str, ...]:
    """Return the keywords, each once, in the page's order."""
    values = [value for name in KEYWORDS_META for value in head.meta.get(name, ())]
    values = values or json_ld.texts(article.get("keywords"))
    words = (clean(word) for value in values for word in _split_keywords(value))
    return tuple(dict.fromkeys(word for word in words if word))


def clean(text: str | None) -> str | None:
    """Return `text` with white space folded and left-over character references resolved; None if nothing is left."""
    if not text:
        return None
    text = html.unescape(text) if "&" in text else text
    return " ".join(text.encode("utf-8", "replace").decode().split()) or None


def _read_meta(head: Head, element: etree._Element) -> None:
    content = element.get("content")
    if not content or content.isspace():
        return
    for attribute in ("name", "property", "itemprop", "http-equiv"):
        name = element.get(attribute)
        if name:
            head.meta.setdefault(name.strip().lower(), []).append(content[:MAX_CONTENT].strip())


def _read_heading(head: Head, element: etree._Element) -> None:
    text = clean(inner_text(element))
    if text and len(text) <= MAX_HEADING:
        head.headings.append(text)


def _read_time(head: Head, element: etree._Element) -> None:
    value = element.get("datetime") or inner_text(element)
    marked = element.get("pubdate") is not None or "datepublished" in (element.get("itemprop") or "").lower()
    head.times.insert(0, value) if marked else head.times.append(value)


def _image_urls(article: dict[str, Any]) -> list[str]:
    image = article.get("image")
    entries = image if isinstance(image, list) else [image]
    return [url for entry in entries for url in json_ld.texts(entry.get("url") if isinstance(entry, dict) else entry)]


def _split_keywords(value: str) -> list[str]:
    parts = _LIST_SEPARATOR.split(value)
    # Chinese pages often put spaces between keywords; English keywords may be phrases.
    return value.split() if len(parts) == 1 and not value.isascii() else parts


def _first_match(pattern: re.Pattern[str], texts: list[str]) -> str | None:
    return next((match[1] for text in texts if (match := pattern.search(text))), None)
