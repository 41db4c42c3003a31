"""Feeds: RSS 0.9x, 1.0 (RDF) and 2.0, Atom. Input: text; output: links with their dates. No network.

An entry's URL is, in this order: FeedBurner's original link, Atom's link (alternate), RSS's link, a guid that is a
permalink, an id that is a URL. Relative URLs are resolved against `xml:base`, else against the feed's URL.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from html import unescape
from itertools import islice

from lxml import etree

from crawler.discovery import lenient_xml
from crawler.discovery.feed_dates import moment_of
from crawler.discovery.lenient_xml import local
from crawler.discovery.links import ListContent, PageLink, absolute
from extractors.html.decoding import without_controls

MOST_ENTRIES = 5000  # entries of one feed
MOST_CHARACTERS = 20 * 2**20  # characters of one feed; the rest is not read
LONGEST_TEXT = 20_000  # characters of an element that are read
ROOTS = frozenset({"rss", "feed", "rdf", "channel"})
PUBLISHED = ("pubdate", "published", "issued", "date", "created", "updated", "modified")  # the first with a date counts
OLDER = frozenset({"next", "prev-archive"})  # RFC 5005: relations to the feed's further pages and its archive
_TAGS = re.compile(r"<[^<>]*>")


def read_feed(text: str, url: str) -> ListContent | None:
    """Return the feed that `text` from `url` is, from its root on; None if it is not a feed.

    Broken XML is read as far as possible.
    """
    whole, root = len(text) <= MOST_CHARACTERS, lenient_xml.parse(text[:MOST_CHARACTERS], url)
    if root is None or local(root) not in ROOTS:
        return None
    head = root if local(root) in ("feed", "channel") else next((c for c in root if local(c) == "channel"), root)
    items = islice(root.iter("{*}item", "{*}entry"), MOST_ENTRIES + 1)
    links = [entry for item in items if (entry := _entry(item, url))]
    truncated = not whole or len(links) > MOST_ENTRIES
    return ListContent("feed", _once(links), _links(head, url, OLDER), home=_home(head, url), truncated=truncated)


def _entry(item: "etree._Element", url: str) -> PageLink | None:
    target = next((found for found in _addresses(item, url) if found), None)
    if target is None:
        return None
    title = next((text for child in item if local(child) == "title" and (text := _plain(child))), "")
    return PageLink(target, title, published=_published(item))


def _addresses(item: "etree._Element", url: str) -> Iterator[str | None]:
    yield from (absolute(child.base or url, _text(child)) for child in item if local(child) == "origlink")
    yield from _links(item, url, frozenset({"alternate"}))
    yield from (_address(c, url) for c in item if local(c) == "link" and c.get("href") is None and _text(c))
    for child in item:
        if local(child) == "guid" and (child.get("isPermaLink") or "true").strip().lower() != "false":
            yield _web(child)
    yield from (_web(child) for child in item if local(child) == "id")
    yield from (absolute(url, str(about)) for name, about in item.attrib.items() if str(name).endswith("}about"))


def _links(element: "etree._Element", url: str, rels: frozenset[str]) -> list[str]:
    """Return the targets of the Atom links of an element with one of `rels`; pages before other kinds of file."""
    chosen = [
        (link.get("type") or "text/html", target)
        for link in element
        if local(link) == "link" and (link.get("rel") or "alternate").strip().lower() in rels
        if (target := absolute(link.base or url, link.get("href") or ""))
    ]
    return [target for kind, target in sorted(chosen, key=lambda pair: "html" not in pair[0])]


def _home(head: "etree._Element", url: str) -> str:
    texts = (_address(child, url) for child in head if local(child) == "link" and _text(child))
    return next(iter(_links(head, url, frozenset({"alternate"}))), None) or next(filter(None, texts), "")


def _published(item: "etree._Element") -> datetime | None:
    said: dict[str, datetime] = {}
    for child in item:
        name = local(child)
        if name in PUBLISHED and name not in said and (moment := moment_of(_text(child))):
            said[name] = moment
    return next((said[name] for name in PUBLISHED if name in said), None)


def _address(element: "etree._Element", url: str) -> str | None:
    return absolute(element.base or url, _text(element).replace("&amp;", "&"))


def _web(element: "etree._Element") -> str | None:
    text = _text(element)
    return absolute("", text) if text.startswith(("http://", "https://")) else None


def _text(element: "etree._Element") -> str:
    return lenient_xml.text_of(element, LONGEST_TEXT).strip()


def _plain(element: "etree._Element") -> str:
    """Return the text of a title, which is often HTML."""
    words = unescape(_TAGS.sub("", unescape(_text(element))))
    return without_controls(" ".join(words.split()))[:200]


def _once(links: list[PageLink]) -> list[PageLink]:
    once: dict[str, PageLink] = {}
    for link in links[:MOST_ENTRIES]:
        once.setdefault(link.url, link)
    return list(once.values())
