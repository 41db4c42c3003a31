"""The two forms of feeds: rows to items of a JSON Feed, and items to an Atom feed or a JSON Feed.

The ids of items stay the same, and their dates have a time zone.
"""

import json
import re
import uuid
from collections.abc import Mapping, Sequence, Set
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit

from lxml import etree

from workers.rows import Row, encodable

from .row_html import html_of, text_of, web_address

_NAMESPACE = uuid.UUID("1d0e8ab4-6f0b-5f3c-9f55-3c9a5a3a7a10")  # random; a change would change all ids
ALWAYS = frozenset({"task", "canonical_url", "url", "version", "published", "modified", "fetched_at"})
ATOM = "http://www.w3.org/2005/Atom"
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
_NAMESPACES: Any = {None: ATOM}  # lxml's declared type does not allow the default namespace
_ATOM = f"{{{ATOM}}}"
Item = Mapping[str, Any]  # of a JSON Feed; `_exemplar` has the version of its row, and the rank by which it is ordered


def stable_id(*parts: str) -> str:
    """Return a URN that is always the same for the same parts."""
    return uuid.uuid5(_NAMESPACE, encodable(json.dumps(parts, ensure_ascii=False))).urn


def item_of(row: Row, chosen: Set[str] = frozenset()) -> Item:
    """Return a row as an item.

    `chosen`: the fields of the row that are shown; empty: all. The id is that of the article, so all of its versions
    have the same. A date without a time zone counts as UTC.
    """
    shown = {name: value for name, value in row.items() if not chosen or name in chosen | ALWAYS}
    if chosen and "blocks" in chosen:  # the article in parts, or whole
        shown["html"] = row.get("html")
    fetched = _moment(row["fetched_at"]) or datetime(1970, 1, 1, tzinfo=UTC)
    published, modified = _moment(row.get("published")), _moment(row.get("modified"))
    summary, author = text_of(shown.get("description")), text_of(shown.get("author"))
    title = text_of(shown.get("title")) or text_of(row["canonical_url"])
    content = html_of(shown)
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


def atom_feed(title: str, items: Sequence[Item], url: str) -> bytes:
    """Return an Atom feed of the items, in their order, in UTF-8. `url`: where it is published; may be empty."""
    feed = etree.Element(f"{_ATOM}feed", nsmap=_NAMESPACES)
    _add(feed, "id", stable_id("feed", title))
    _add(feed, "title", title)
    _add(feed, "updated", max((item["date_modified"] for item in items), default=_stamp(datetime.now(UTC))))
    _add(_add(feed, "author"), "name", title or GENERATOR)  # the author of entries without one
    if url:
        _add(feed, "link", rel="self", href=_iri(url))
    if home := _home(items):
        _add(feed, "link", rel="alternate", href=home)
    _add(feed, "generator", GENERATOR)
    for item in items:
        _add_entry(feed, item)
    return etree.tostring(feed, encoding="utf-8", xml_declaration=True) + b"\n"


def _add_entry(feed: etree._Element, item: Item) -> None:
    element = _add(feed, "entry")
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


def json_feed(title: str, items: Sequence[Item], url: str) -> bytes:
    """Return a JSON Feed; for the arguments see `atom_feed`."""
    addresses = {"home_page_url": _home(items), "feed_url": url}
    feed: dict[str, Any] = {
        "version": JSON_FEED,
        "title": title,
        **{name: value for name, value in addresses.items() if value},
    }
    feed |= {"_exemplar": {"generator": GENERATOR}, "items": items}
    return json.dumps(feed, ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"


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


def _home(items: Sequence[Item]) -> str:
    """Return the front page of the newest item's site."""
    try:
        parts = urlsplit(items[0]["url"] if items else "")
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/" if parts.scheme in ("http", "https") else ""
