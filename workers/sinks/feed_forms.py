"""The two forms of feeds: entries to bytes and back."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Protocol
from urllib.parse import quote, urlsplit

from lxml import etree

from .feed_entries import FeedEntry, stable_id

ATOM = "http://www.w3.org/2005/Atom"
OWN = "urn:x-exemplar:feed"  # namespace of the data for the next write: version and rank of an entry
JSON_FEED = "https://jsonfeed.org/version/1.1"
GENERATOR = "Exemplar"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TEXTS = ("id", "title", "updated", "published", "summary")  # fields of an entry that Atom calls the same
_REQUIRED = ("id", "title", "updated", "url")
_KEYS = {  # fields of an entry that are a text in a JSON Feed, each with its name there
    "id": "id",
    "url": "url",
    "title": "title",
    "content": "content_html",
    "updated": "date_modified",
    "summary": "summary",
    "image": "image",
    "published": "date_published",
    "language": "language",
}
_ATOM, _OWN = f"{{{ATOM}}}", f"{{{OWN}}}"


class UnknownFeed(Exception):
    """A file is not a feed written by this program; the message has the reason."""


class FeedForm(Protocol):
    """A form of feeds."""

    def write(self, entries: Sequence[FeedEntry], url: str = "") -> bytes:
        """Return the feed of the entries, in their order. `url`: where it is published, empty if that is unknown."""
        ...

    def read(self, data: bytes) -> list[FeedEntry]:
        """Return the entries of a feed. Raises `UnknownFeed`."""
        ...


class AtomForm:
    """Atom."""

    def __init__(self, title: str):
        self._title = title

    def write(self, entries: Sequence[FeedEntry], url: str = "") -> bytes:
        """Return the feed as XML in UTF-8."""
        namespaces: Any = {None: ATOM, "exemplar": OWN}  # lxml's declared type does not allow the default namespace
        feed = etree.Element(f"{_ATOM}feed", nsmap=namespaces)
        _add(feed, "id", stable_id("feed", self._title))
        _add(feed, "title", self._title)
        _add(feed, "updated", _newest(entries))
        _add(_add(feed, "author"), "name", self._title or GENERATOR)  # the author of entries without one
        if url:
            _add(feed, "link", rel="self", href=_iri(url))
        if home := _home(entries):
            _add(feed, "link", rel="alternate", href=home)
        _add(feed, "generator", GENERATOR)
        for entry in entries:
            self._write_entry(feed, entry)
        return etree.tostring(feed, encoding="utf-8", xml_declaration=True) + b"\n"

    def read(self, data: bytes) -> list[FeedEntry]:
        """Return the entries."""
        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, remove_comments=True)
        try:
            feed = etree.fromstring(data, parser)
        except etree.XMLSyntaxError:
            raise UnknownFeed("it is not XML") from None
        if feed.tag != f"{_ATOM}feed" or feed.findtext(f"{_ATOM}generator") != GENERATOR:
            raise UnknownFeed(f"its generator is not {GENERATOR}")
        try:
            return [self._read_entry(entry) for entry in feed.iterfind(f"{_ATOM}entry")]
        except (ValueError, TypeError):
            raise UnknownFeed("it has an incomplete entry") from None

    def _write_entry(self, feed: etree._Element, entry: FeedEntry) -> None:
        element = _add(feed, "entry")
        if entry.language:
            element.set("{http://www.w3.org/XML/1998/namespace}lang", _xml(entry.language))
        for name in _TEXTS:
            if (value := getattr(entry, name)) or name in _REQUIRED:
                _add(element, name, value)
        _add(element, "link", rel="alternate", href=_iri(entry.url))
        if entry.author:
            _add(_add(element, "author"), "name", entry.author)
        for keyword in entry.keywords:
            _add(element, "category", term=keyword)
        if entry.content:
            _add(element, "content", entry.content, type="html")
        if entry.image:
            _add(element, "link", rel="enclosure", href=_iri(entry.image))
        own = etree.SubElement(element, f"{_OWN}row")
        own.set("version", str(entry.version))
        own.set("rank", entry.rank)

    def _read_entry(self, element: etree._Element) -> FeedEntry:
        own = element.find(f"{_OWN}row")
        links = {link.get("rel"): link.get("href") or "" for link in element.iterfind(f"{_ATOM}link")}
        if own is None or not element.findtext(f"{_ATOM}id"):
            raise ValueError("not ours")
        return FeedEntry(
            version=int(own.get("version") or ""),
            rank=own.get("rank") or "",
            url=links.get("alternate", ""),
            image=links.get("enclosure", ""),
            author=element.findtext(f"{_ATOM}author/{_ATOM}name") or "",
            language=element.get("{http://www.w3.org/XML/1998/namespace}lang") or "",
            keywords=tuple(term.get("term") or "" for term in element.iterfind(f"{_ATOM}category")),
            **{name: element.findtext(f"{_ATOM}{name}") or "" for name in (*_TEXTS, "content")},
        )


class JsonFeedForm:
    """JSON Feed."""

    def __init__(self, title: str):
        self._title = title

    def write(self, entries: Sequence[FeedEntry], url: str = "") -> bytes:
        """Return the feed as JSON in UTF-8."""
        feed: dict[str, Any] = {"version": JSON_FEED, "title": self._title}
        if home := _home(entries):
            feed["home_page_url"] = home
        if url:
            feed["feed_url"] = url
        feed["_exemplar"] = {"generator": GENERATOR}
        feed["items"] = [self._item(entry) for entry in entries]
        return json.dumps(feed, ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"

    def read(self, data: bytes) -> list[FeedEntry]:
        """Return the entries."""
        try:
            feed = json.loads(data)
        except ValueError:
            raise UnknownFeed("it is not JSON") from None
        try:
            if feed["version"] != JSON_FEED or feed["_exemplar"]["generator"] != GENERATOR:
                raise UnknownFeed(f"its generator is not {GENERATOR}")
            return [self._read_item(item) for item in feed["items"]]
        except (KeyError, TypeError, ValueError):
            raise UnknownFeed(f"its generator is not {GENERATOR}, or it has an incomplete entry") from None

    def _item(self, entry: FeedEntry) -> dict[str, Any]:
        item: dict[str, Any] = {
            key: value for name, key in _KEYS.items() if (value := getattr(entry, name)) or name in _REQUIRED
        }
        if not entry.content:
            item["content_text"] = entry.summary or entry.title
        if entry.author:
            item["authors"] = [{"name": entry.author}]
        if entry.keywords:
            item["tags"] = list(entry.keywords)
        return item | {"_exemplar": {"version": entry.version, "rank": entry.rank}}

    def _read_item(self, item: dict[str, Any]) -> FeedEntry:
        return FeedEntry(
            version=int(item["_exemplar"]["version"]),
            rank=str(item["_exemplar"]["rank"]),
            author=str((item.get("authors") or [{}])[0].get("name", "")),
            keywords=tuple(map(str, item.get("tags", ()))),
            **{name: str(item[key]) for name, key in _KEYS.items() if key in item},
        )


def _add(parent: etree._Element, name: str, text: str | None = None, **attributes: str) -> etree._Element:
    element = etree.SubElement(parent, f"{_ATOM}{name}")
    for attribute, value in attributes.items():
        element.set(attribute, _xml(value))
    if text is not None:
        element.text = _xml(text)
    return element


def _xml(text: str) -> str:
    """Return a text without the characters that XML forbids."""
    return _NOT_XML.sub("", text)


def _iri(url: str) -> str:
    return quote(url, safe="!#$%&'()*+,/:;=?@[]~", errors="replace") if not url.isascii() or " " in url else url


def _newest(entries: Sequence[FeedEntry]) -> str:
    now = datetime.now(UTC).replace(microsecond=0, tzinfo=None).isoformat()
    return max((entry.updated for entry in entries), default=f"{now}Z")


def _home(entries: Sequence[FeedEntry]) -> str:
    """Return the front page of the newest entry's site."""
    if not entries:
        return ""
    try:
        parts = urlsplit(entries[0].url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/" if parts.scheme in ("http", "https") else ""
