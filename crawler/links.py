"""The links of a page, in document order, each with what a reader sees of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urljoin, urlsplit

from lxml import etree

from extractors.decoding import decode
from extractors.urls import normalise

MOST_LINKS = 5000  # of one page; endless lists exist
# What is surely no page of text
ASSET = re.compile(
    r"\.(?:css|js|mjs|json|map|png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4a|ogg|wav|webm|avi|mov|flv|pdf|docx?"
    r"|xlsx?|pptx?|zip|rar|7z|gz|tgz|bz2|apk|exe|dmg|iso|woff2?|ttf|eot|torrent)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Link:
    """A link: where it leads (absolute, normalised), its text, its `rel` words.

    `published`: when that was published, or else last changed, if the list says so (aware).
    """

    url: str
    text: str
    rel: str = ""
    published: datetime | None = None


def links_of(body: bytes, url: str, content_type: str | None = None) -> list[Link]:
    """The http(s) links of a page, each URL once (with its first non-empty text), at most `MOST_LINKS`."""
    text, _ = decode(body, content_type)
    parser = etree.HTMLParser(encoding="utf-8", collect_ids=False, remove_comments=True, huge_tree=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        root = None
    if root is None:
        return []
    found: dict[str, Link] = {}
    for link in _all_links(root, url):
        known = found.get(link.url)
        if known is None or (link.text and not known.text):
            found[link.url] = link
        if len(found) >= MOST_LINKS:
            break
    return list(found.values())


def _all_links(root: "etree._Element", url: str) -> Iterator[Link]:
    base = url
    for element in root.iter("base", "a", "area", "link"):
        href = element.get("href")
        if not href:
            continue
        if element.tag == "base":
            base = absolute(url, href) or url
            continue
        rel = (element.get("rel") or "").lower()
        if element.tag == "link" and "next" not in rel.split():
            continue
        target = absolute(base, href)
        if target:
            yield Link(
                target, " ".join("".join(map(str, element.itertext())).split())[:200] or element.get("title") or "", rel
            )


def absolute(base: str, href: str) -> str | None:
    """Return a reference as a normalised http(s) URL; None if it is none."""
    if not href.strip():
        return None
    try:
        target = urljoin(base, href.strip())
        if urlsplit(target).scheme not in ("http", "https"):
            return None
        return normalise(target)
    except ValueError:
        return None  # such as http://[broken
