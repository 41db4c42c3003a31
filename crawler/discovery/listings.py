"""A list to read, and its content in any of its forms: an HTML page, a feed, a sitemap, JSON, robots.txt.

No network. The form is recognised by the content, never by the URL: a start page may have any form. Lists in
JSON, such as the responses behind "load more", have URLs and pieces of HTML in their strings.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from crawler.discovery.feeds import ROOTS as FEED_ROOTS
from crawler.discovery.feeds import read_feed
from crawler.discovery.lenient_xml import root_of
from crawler.discovery.links import MOST_LINKS, ListContent, PageLink, absolute, links_in
from crawler.discovery.sitemaps import ROOTS as SITEMAP_ROOTS
from crawler.discovery.sitemaps import read_lines, read_sitemap, sitemaps_of, unpacked
from extractors.html.decoding import decode, without_controls

Kind = Literal["start", "next", "follow", "explored", "feed", "robots", "sitemap"]

_LINK_VALUE = re.compile(r"<([^<>]*)>([^<>]*)")  # RFC 8288: a URL in angle brackets, and its parameters
_REL = re.compile(r"""\s*+rel\s*+=\s*+["']?+([^"']*+)""", re.IGNORECASE)
LONGEST_HEADER = 8192  # characters of a Link header that are read
ADDRESS_KEYS = re.compile(r"(?:url|href|link|uri|path)s?$", re.IGNORECASE)
NEXT_KEYS = re.compile(r"^(?:next|more)(?:[-_]?(?:page|url|link|href|uri))*$", re.IGNORECASE)
TITLE_KEYS = re.compile(r"^(?:title|name|headline|text)$", re.IGNORECASE)
LONGEST_ADDRESS = 2000  # characters
MOST_CHARACTERS = 20 * 2**20  # characters of one JSON text
_ANY = re.compile(r"[^\s<>]+$")
_RELATIVE = re.compile(r"[?.][^\s<>]*$")
_ROOTED = re.compile(r"(?:https?:)?//?[^\s<>]+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ListPage:
    """A list to read. `depth` counts hops from a start page, pagination not included.

    `start`: the start page (or the topmost sitemap) that led to it. `without_articles`: how many pages directly before
    it have no articles; `repeats`: how many of them repeat the links of earlier pages. `resumed`: an earlier run was
    interrupted at it, so it is read as if its links were new. `changed`: the date in its index.
    """

    url: str
    kind: Kind
    depth: int = 0
    start: str = ""
    without_articles: int = 0
    resumed: bool = False
    changed: datetime | None = None
    repeats: int = 0


def read_listing(
    body: bytes, url: str, content_type: str | None = None, headers: Mapping[str, str] | None = None
) -> ListContent:
    """Return the content of the list at `url`. `headers`: of the response, by lower-case name."""
    body, is_whole = unpacked(body)
    text, encoding = decode(body, content_type)
    listing = _listing(text, url, encoding)
    if not is_whole:
        listing = replace(listing, truncated=True)
    listing.next.extend(_next_of_header((headers or {}).get("link", ""), url))
    return listing


def _next_of_header(value: str, url: str) -> list[str]:
    """Return the next page of a list by its Link header: the first link whose `rel` has the word "next"."""
    for reference, parameters in _LINK_VALUE.findall(value[:LONGEST_HEADER]):
        rels = [found[1] for part in parameters.split(";")[1:] if (found := _REL.match(part))]
        if rels and "next" in rels[0].lower().partition(",")[0].split():
            target = absolute(url, reference)
            return [target] if target else []
    return []


def robots_listing(body: bytes, url: str) -> ListContent:
    """Return the sitemaps that a robots.txt names."""
    return ListContent("robots", sitemaps=[PageLink(target) for target in sitemaps_of(body, url)])


def _listing(text: str, url: str, encoding: str) -> ListContent:
    name, document = root_of(text, FEED_ROOTS | SITEMAP_ROOTS)
    first = text.lstrip()[:4]
    listing = None
    if name in SITEMAP_ROOTS:
        listing = read_sitemap(document, url)
    elif name in FEED_ROOTS:
        listing = read_feed(document, url)
    elif first[:1] in ("{", "["):
        listing = json_links(text, url)
    elif first == "http":
        listing = read_lines(text)
    return listing or links_in(text, url, encoding)


def json_links(text: str, url: str) -> ListContent | None:
    """Return the links in a JSON text, in its order; None if it is not a JSON object or array, or is too long."""
    try:
        value = json.loads(text) if len(text) <= MOST_CHARACTERS else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict | list):
        return None
    found: dict[str, PageLink] = {}
    for link in _links(value, url):
        if len(found) >= MOST_LINKS:
            return ListContent("json", list(found.values()), truncated=True)
        found.setdefault(link.url, link)
    return ListContent("json", list(found.values()))


def _links(value: object, url: str) -> Iterator[PageLink]:
    waiting: list[tuple[str, object, str]] = [("", value, "")]  # key, value, title beside it
    while waiting:
        key, value, title = waiting.pop()
        if isinstance(value, dict):
            title = next((text for k, text in value.items() if TITLE_KEYS.match(k) and isinstance(text, str)), title)
            waiting += [(k, inner, title) for k, inner in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(key, inner, title) for inner in reversed(value)]
        elif isinstance(value, str) and "<a" in value.lower():
            yield from links_in(value, url).links
        elif isinstance(value, str) and len(value) <= LONGEST_ADDRESS:
            yield from _link(key, value.strip(), title, url)


def _link(key: str, text: str, title: str, url: str) -> Iterator[PageLink]:
    is_next = bool(NEXT_KEYS.match(key))
    named = ADDRESS_KEYS.search(key) and _ANY.match(text)
    if not (_ROOTED.match(text) or named or (is_next and _RELATIVE.match(text))):
        return
    if target := absolute(url, text):
        yield PageLink(target, "" if is_next else without_controls(title[:200]), "next" if is_next else "")
