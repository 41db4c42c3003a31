"""The two forms of feeds: rows to entries, and entries to bytes and back. An entry stays as its file has it.

The ids of entries stay the same, and their dates have a time zone.
"""

import json
import re
import uuid
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from string import Template
from typing import Any
from urllib.parse import quote, urlsplit

from lxml import etree

from workers.rows import Row, encodable

from .row_html import filled, html_of, text_of, web_address

_NAMESPACE = uuid.UUID("1d0e8ab4-6f0b-5f3c-9f55-3c9a5a3a7a10")  # random; a change would change all ids
ALWAYS = frozenset({"task", "canonical_url", "url", "version", "published", "modified", "fetched_at"})
ATOM = "http://www.w3.org/2005/Atom"
OWN = "urn:x-exemplar:feed"  # namespace of the data for the next write: version and rank of an entry
JSON_FEED = "https://jsonfeed.org/version/1.1"
GENERATOR = "Exemplar"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TEXTS = {  # elements of an Atom entry, each with the key of a JSON Feed that has the same text
    "id": "id",
    "title": "title",
    "updated": "date_modified",
    "published": "date_published",
    "summary": "summary",
}
_NAMESPACES: Any = {None: ATOM, "exemplar": OWN}  # lxml's declared type does not allow the default namespace
_ATOM, _OWN = f"{{{ATOM}}}", f"{{{OWN}}}"


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry as its file has it. `updated`: RFC 3339; `rank`: the time by which entries are ordered, newest first.

    `stored`: the entry in the form of the feed, an element of XML or a JSON object.
    """

    id: str
    version: int
    rank: str
    updated: str
    url: str
    stored: Any


def stable_id(*parts: str) -> str:
    """Return a URN that is always the same for the same parts."""
    return uuid.uuid5(_NAMESPACE, encodable(json.dumps(parts, ensure_ascii=False))).urn


def item_of(row: Row, chosen: Set[str] = frozenset(), template: Template | None = None) -> dict[str, Any]:
    """Return a row as an item of a JSON Feed, from which `AtomForm` and `JsonFeedForm` make the entry of any form.

    `chosen`: the fields of the row that are shown; empty: all. `template`: of the content. The id is that of the
    article, so all of its versions have the same. A date without a time zone counts as UTC.
    """
    shown = {name: value for name, value in row.items() if not chosen or name in chosen | ALWAYS}
    if chosen and "blocks" in chosen:  # the article in parts, or whole
        shown["html"] = row.get("html")
    fetched = _moment(row["fetched_at"]) or datetime(1970, 1, 1, tzinfo=UTC)
    published, modified = _moment(row.get("published")), _moment(row.get("modified"))
    summary, author = text_of(shown.get("description")), text_of(shown.get("author"))
    title = text_of(shown.get("title")) or text_of(row["canonical_url"])
    content = filled(template, shown) if template else html_of(shown)
    item = {
        "id": stable_id(row["task"], row["canonical_url"]),
        "url": text_of(row.get("url") or row["canonical_url"]),
        "title": title,
        "content_html": content,
        "date_modified": _stamp(modified or published or fetched),
        "summary": summary,
        "image": web_address(shown.get("image")),
        "date_published": _stamp(published) if published else "",
        "language": text_of(shown.get("language")),
        "content_text": "" if content else summary or title,
        "authors": [{"name": author}] if author else [],
        "tags": [keyword for keyword in map(text_of, shown.get("keywords") or ()) if keyword],
    }
    # A date in the future would keep its entry at the top
    own = {"version": row["version"], "rank": _stamp(min(published or fetched, fetched))}
    return {name: value for name, value in item.items() if value} | {"_exemplar": own}


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


class AtomForm:
    """Atom. The methods are those of `JsonFeedForm`."""

    def __init__(self, title: str):
        self._title = title

    def entry(self, item: Mapping[str, Any]) -> FeedEntry:
        """Return the entry of an item."""
        element = etree.Element(f"{_ATOM}entry", nsmap=_NAMESPACES)
        if language := item.get("language"):
            element.set("{http://www.w3.org/XML/1998/namespace}lang", _xml(language))
        for name, key in _TEXTS.items():
            if key in item:
                _add(element, name, item[key])
        _add(element, "link", rel="alternate", href=_iri(item["url"]))
        for author in item.get("authors", ()):
            _add(_add(element, "author"), "name", author["name"])
        for keyword in item.get("tags", ()):
            _add(element, "category", term=keyword)
        if content := item.get("content_html"):
            _add(element, "content", content, type="html")
        if image := item.get("image"):
            _add(element, "link", rel="enclosure", href=_iri(image))
        own = etree.SubElement(element, f"{_OWN}row")
        own.set("version", str(item["_exemplar"]["version"]))
        own.set("rank", item["_exemplar"]["rank"])
        return _atom_entry(element)

    def write(self, entries: Sequence[FeedEntry], url: str = "") -> bytes:
        """Return the feed as XML in UTF-8."""
        feed = etree.Element(f"{_ATOM}feed", nsmap=_NAMESPACES)
        _add(feed, "id", stable_id("feed", self._title))
        _add(feed, "title", self._title)
        _add(feed, "updated", _newest(entries))
        _add(_add(feed, "author"), "name", self._title or GENERATOR)  # the author of entries without one
        if url:
            _add(feed, "link", rel="self", href=_iri(url))
        if home := _home(entries):
            _add(feed, "link", rel="alternate", href=home)
        _add(feed, "generator", GENERATOR)
        feed.extend(entry.stored for entry in entries)
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
            return [_atom_entry(entry) for entry in feed.iterfind(f"{_ATOM}entry")]
        except (ValueError, TypeError):
            raise UnknownFeed("it has an incomplete entry") from None


class JsonFeedForm:
    """JSON Feed."""

    def __init__(self, title: str):
        self._title = title

    def entry(self, item: Mapping[str, Any]) -> FeedEntry:
        """Return the entry of an item. Raises `KeyError`, `TypeError` or `ValueError` if it is incomplete."""
        own, texts = item["_exemplar"], [item[key] for key in ("id", "date_modified", "url")]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("not ours")
        return FeedEntry(texts[0], int(own["version"]), str(own["rank"]), texts[1], texts[2], item)

    def write(self, entries: Sequence[FeedEntry], url: str = "") -> bytes:
        """Return the feed of the entries, in their order, in UTF-8. `url`: where it is published; may be empty."""
        feed: dict[str, Any] = {"version": JSON_FEED, "title": self._title}
        if home := _home(entries):
            feed["home_page_url"] = home
        if url:
            feed["feed_url"] = url
        feed["_exemplar"] = {"generator": GENERATOR}
        feed["items"] = [entry.stored for entry in entries]
        return json.dumps(feed, ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"

    def read(self, data: bytes) -> list[FeedEntry]:
        """Return the entries of a feed. Raises `UnknownFeed`."""
        try:
            feed = json.loads(data)
        except ValueError:
            raise UnknownFeed("it is not JSON") from None
        try:
            if feed["version"] != JSON_FEED or feed["_exemplar"]["generator"] != GENERATOR:
                raise UnknownFeed(f"its generator is not {GENERATOR}")
            return [self.entry(item) for item in feed["items"]]
        except (KeyError, TypeError, ValueError):
            raise UnknownFeed(f"its generator is not {GENERATOR}, or it has an incomplete entry") from None


def _atom_entry(element: etree._Element) -> FeedEntry:
    """Return the entry of an element. Raises `TypeError` or `ValueError` if it is incomplete."""
    id_, updated = (element.findtext(f"{_ATOM}{name}") for name in ("id", "updated"))
    own, link = element.find(f"{_OWN}row"), element.find(f"{_ATOM}link[@rel='alternate']")
    has_entity = next(element.iter(etree.Entity), None) is not None  # of a document type, which is not written again
    if own is None or link is None or not id_ or not updated or has_entity:
        raise ValueError("not ours")
    return FeedEntry(
        id_, int(own.get("version") or ""), own.get("rank") or "", updated, link.get("href") or "", element
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
