"""Sitemaps (https://www.sitemaps.org/protocol.html) and news sitemaps. Input: text; output: links with dates.

No network.

    robots.txt → sitemaps → index → children (nested) → links

A sitemap may be compressed, plain text, or larger than the standard allows: it is read up to the limits below.
"""

import gzip
import io
import re
import zlib
from collections.abc import Iterator

from lxml import etree

from crawler.discovery import lenient_xml
from crawler.discovery.feed_dates import moment_of
from crawler.discovery.lenient_xml import local
from crawler.discovery.links import ListContent, PageLink, absolute
from extractors.html.decoding import without_controls
from extractors.html.urls import normalise, split_web

MOST_ENTRIES = 50_000  # entries of one sitemap: the limit of the protocol
MOST_BYTES = 50 * 2**20  # bytes, unpacked: the limit of the protocol
LONGEST_TEXT = 20_000  # characters of a title that are read
ROOTS = frozenset({"urlset", "sitemapindex"})
USUAL_PLACE = "/sitemap.xml"  # of a site's sitemap, if robots.txt names none
GZIP = b"\x1f\x8b"
PACKED_TWICE = 2  # a .gz file that the server compressed again
ROBOTS_READ = 512 * 1024  # octets of a robots.txt that are read
_SITEMAP_LINE = re.compile(rb"^[ \t]*sitemap[ \t]*:[ \t]*(\S+)", re.IGNORECASE | re.MULTILINE)
_DATE_TAGS = ("publication_date", "lastmod")  # the first with a date counts


def read_sitemap(text: str, url: str, *, recover: bool = False) -> ListContent | None:
    """Return the sitemap that `text` from `url` is, from its root on; None if it is not one.

    Broken XML is read as far as possible (`recover`).
    """
    try:
        return _read_entries(lenient_xml.repaired(text) if recover else text, url, recover=recover)
    except etree.XMLSyntaxError:
        return None if recover else read_sitemap(text, url, recover=True)


def sitemaps_of(robots: bytes, url: str) -> list[str]:
    """Return the sitemaps in a robots.txt from `url`, in its order, each once."""
    named = (line.decode("utf-8", "replace") for line in _SITEMAP_LINE.findall(robots[:ROBOTS_READ]))
    return list(dict.fromkeys(target for name in named if (target := absolute(url, name))))


def unpacked(body: bytes) -> tuple[bytes, bool]:
    """Return `body` without gzip, at most `MOST_BYTES` of it, and whether it is complete."""
    whole = True
    for _ in range(PACKED_TWICE):
        if not body.startswith(GZIP):
            break
        body, whole = _gunzipped(body)
    return body[:MOST_BYTES], whole and len(body) <= MOST_BYTES


def _gunzipped(body: bytes) -> tuple[bytes, bool]:
    found, stream = bytearray(), gzip.GzipFile(fileobj=io.BytesIO(body))
    try:
        while len(found) <= MOST_BYTES and (piece := stream.read1()):
            found += piece
    except (OSError, EOFError, zlib.error):
        return bytes(found), False
    return bytes(found), True


def _read_entries(text: str, url: str, *, recover: bool) -> ListContent:
    links: dict[str, PageLink] = {}
    children: dict[str, PageLink] = {}
    truncated = False
    for element in _elements(text, recover):
        texts = dict(_texts(element))
        target = absolute(url, texts.get("loc", "").replace("&amp;", "&"))
        moment = next(filter(None, (moment_of(texts.get(tag)) for tag in _DATE_TAGS)), None)
        if target:
            title = without_controls(" ".join(texts.get("title", "")[:LONGEST_TEXT].split()))[:200]
            found = children if local(element) == "sitemap" else links
            found.setdefault(target, PageLink(target, title, published=moment))
        if len(links) + len(children) >= MOST_ENTRIES:
            truncated = True
            break
    return ListContent("sitemap", list(links.values()), sitemaps=list(children.values()), truncated=truncated)


def _elements(text: str, recover: bool) -> Iterator["etree._Element"]:
    """Yield the entries one by one, so that a large sitemap is never in memory as a tree."""
    tags = ["{*}url", "{*}sitemap"]
    data = io.BytesIO(text.encode("utf-8", "replace"))
    for _, element in etree.iterparse(data, tag=tags, recover=recover, **lenient_xml.OPTIONS):
        yield element
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]


def _texts(entry: "etree._Element") -> Iterator[tuple[str, str]]:
    """Yield the texts of an entry by local name, without those of its pictures and videos."""
    for child in entry:
        if local(child) in ("image", "video"):
            continue
        for element in reversed([*child.iter()]):
            if element.text and element.text.strip():
                yield local(element), element.text.strip()


def read_lines(text: str) -> ListContent | None:
    """Return the plain text sitemap that `text` is, with only URLs, one per line; None if it is not one."""
    lines = [line for line in map(str.strip, text.split("\n", MOST_ENTRIES + 1)) if line]
    urls = list(dict.fromkeys(normalise(line) for line in lines[:MOST_ENTRIES] if split_web(line)))
    if not lines or any(not line.startswith(("http://", "https://")) or " " in line for line in lines[:MOST_ENTRIES]):
        return None
    return ListContent("sitemap", [PageLink(url, "") for url in urls], truncated=len(lines) > MOST_ENTRIES)
