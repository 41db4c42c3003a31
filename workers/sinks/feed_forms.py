"""The two forms of feeds: rows to entries, and entries to bytes and back.

The ids of entries stay the same, and their dates have a time zone.
"""

import json
import re
import uuid
from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from string import Template
from typing import Any, Protocol
from urllib.parse import quote, urlsplit

from lxml import etree

from workers.rows import Row

from .row_html import filled, html_of, text_of, web_address

_NAMESPACE = uuid.UUID("1d0e8ab4-6f0b-5f3c-9f55-3c9a5a3a7a10")  # random; a change would change all ids
ALWAYS = frozenset({"task", "canonical_url", "url", "version", "published", "modified", "fetched_at"})
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


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry. `published` and `updated`: RFC 3339; `rank`: the time by which entries are ordered, newest first."""

    id: str
    version: int
    rank: str
    updated: str
    title: str
    url: str
    content: str = ""  # HTML
    published: str = ""
    summary: str = ""
    image: str = ""
    author: str = ""
    language: str = ""
    keywords: tuple[str, ...] = ()


def stable_id(*parts: str) -> str:
    """Return a URN that is always the same for the same parts."""
    text = json.dumps(parts, ensure_ascii=False).encode("utf-8", "replace").decode()
    return uuid.uuid5(_NAMESPACE, text).urn


def entry_of(row: Row, chosen: Set[str] = frozenset(), template: Template | None = None) -> FeedEntry:
    """Return the entry of a row. `chosen`: the fields of the row that are shown; empty: all. `template`: of content.

    The id is that of the article, so all of its versions have the same. A date without a time zone counts as UTC.
    """
    shown = {name: value for name, value in row.items() if not chosen or name in chosen | ALWAYS}
    if chosen and "blocks" in chosen:  # the article in parts, or whole
        shown["html"] = row.get("html")
    fetched = _moment(row["fetched_at"]) or datetime(1970, 1, 1, tzinfo=UTC)
    published, modified = _moment(row.get("published")), _moment(row.get("modified"))
    # A date in the future would keep its entry at the top
    rank = min(published or fetched, fetched)
    return FeedEntry(
        id=stable_id(row["task"], row["canonical_url"]),
        version=row["version"],
        rank=_stamp(rank),
        updated=_stamp(modified or published or fetched),
        published=_stamp(published) if published else "",
        title=text_of(shown.get("title")) or text_of(row["canonical_url"]),
        url=text_of(row.get("url") or row["canonical_url"]),
        content=filled(template, shown) if template else html_of(shown),
        summary=text_of(shown.get("description")),
        image=web_address(shown.get("image")),
        author=text_of(shown.get("author")),
        language=text_of(shown.get("language")),
        keywords=tuple(filter(None, map(text_of, shown.get("keywords") or ()))),
    )


def _moment(value: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(value))
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _stamp(moment: datetime) -> str:
    return f"{moment.replace(microsecond=0, tzinfo=None).isoformat()}Z"


class UnknownFeed(Exception):
    """A file is not a feed written by this program; the message has the reason."""


class FeedForm(Protocol):
    """A form of feeds."""

    def write(self, entries: Sequence[FeedEntry], url: str = "") -> bytes:
        """Return the feed of the entries, in their order. `url`: where it is published, empty if that is unknown."""

    def read(self, data: bytes) -> list[FeedEntry]:
        """Return the entries of a feed. Raises `UnknownFeed`."""


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
