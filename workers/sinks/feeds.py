"""Feeds: an Atom feed (`.atom`, RFC 4287) or a JSON Feed (`.feed.json`, version 1.1) of the newest rows of a section.

    news.atom    news.feed.json    news.atom?items=100

Files are written under a temporary name and renamed. The items of a feed are also in a hidden file beside it
(`.news.atom.items`), from which the next write makes the whole feed anew; its lock is that of the feed. A new version
of an article replaces its item, whose id stays the same. Characters that XML forbids are removed from an Atom feed; a
lone surrogate becomes "?" in both.
"""

import json
import os
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from lxml import etree

from workers.errors import OutputError, SinkUnavailable
from workers.rows import Row, encodable, key_of
from workers.sinks.durability import locked, make_folder, rename, reported, write_file

from .formats import as_json
from .interface import PATIENCE, RowBatch
from .kinds import FEED_OPTIONS, Target
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


def atom_feed(title: str, items: Sequence[Item]) -> bytes:
    """Return an Atom feed of the items, in their order, in UTF-8."""
    feed = etree.Element(f"{_ATOM}feed", nsmap=_NAMESPACES)
    _add(feed, "id", stable_id("feed", title))
    _add(feed, "title", title)
    _add(feed, "updated", max((item["date_modified"] for item in items), default=_stamp(datetime.now(UTC))))
    _add(_add(feed, "author"), "name", title or GENERATOR)  # the author of entries without one
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


def json_feed(title: str, items: Sequence[Item]) -> bytes:
    """Return a JSON Feed; for the arguments see `atom_feed`."""
    feed: dict[str, Any] = {"version": JSON_FEED, "title": title}
    if home := _home(items):
        feed["home_page_url"] = home
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


ITEMS, MOST_ITEMS = 50, 1000


class FeedSink:
    """Keeps the newest rows in a feed."""

    def __init__(self, target: Target):
        match = FEED_OPTIONS.search(target.address)
        items = match[1] if match else str(ITEMS)
        self._items = int(items) if re.fullmatch(r"\d{1,9}", items) else 0
        if not 1 <= self._items <= MOST_ITEMS:
            raise OutputError(
                f"task {target.task}: output {target.label}: items must be a number from 1 to {MOST_ITEMS}, as in "
                f"?items={ITEMS}"
            )
        if "{date" in target.address:
            raise OutputError(f"task {target.task}: output {target.label}: a feed is one file; remove {{date}}")
        self._path = target.folder / Path(FEED_OPTIONS.sub("", target.address)).expanduser()
        self._state = self._path.with_name(f".{self._path.name}.items")
        self.name, self._task = str(self._path), target.task
        self._form = atom_feed if self._path.suffix.lower() == ".atom" else json_feed
        self._fields = frozenset(source for _, source in target.options.fields)

    def write(self, batch: RowBatch) -> None:
        """Add the rows, or replace earlier versions of them. Raises `SinkUnavailable`."""
        if not batch.rows:
            return
        with self._exclusive() as items:
            for row in batch.rows:
                item = item_of(row, self._fields)
                present = items.get(item["id"])
                if present is None or key_of(row) not in batch.again or _version(present) < _version(item):
                    items[item["id"]] = item
            self._save(items.values())

    def check(self) -> None:
        """Read the feed, and create one without entries if there is none."""
        with self._exclusive() as items:
            if not self._path.exists():
                self._save(items.values())

    def close(self) -> None:
        """Do nothing: nothing is open between writes."""

    @contextmanager
    def _exclusive(self) -> Iterator[dict[str, Item]]:
        """Hold the feed by a lock on the file of its items, and yield these by id."""
        with reported(self.name):
            make_folder(self._path.parent)
            file = locked(self._state, self.name, PATIENCE, os.O_NOFOLLOW)
            try:
                if self._path.exists() and GENERATOR not in self._path.read_text("utf-8", "replace"):
                    raise SinkUnavailable(
                        f"output unavailable: {self.name} is not a feed written by this program; move it away"
                    )
                yield self._items_there()
            finally:
                os.close(file)

    def _items_there(self) -> dict[str, Item]:
        try:
            return {item["id"]: item for item in map(json.loads, self._state.read_bytes().splitlines())}
        except ValueError:
            raise SinkUnavailable(f"output unavailable: {self._state} is damaged; remove it") from None

    def _save(self, items: Iterable[Item]) -> None:
        """Write the feed, and then its items: a batch that is interrupted in between is delivered again."""
        newest = sorted(items, key=lambda item: (item["_exemplar"]["rank"], item["id"]), reverse=True)[: self._items]
        lines = b"".join(as_json(item) + b"\n" for item in newest)
        for path, data in ((self._path, self._form(self._task, newest)), (self._state, lines)):
            temporary = self._path.with_name(f".{self._path.name}.tmp")
            write_file(temporary, data)
            rename(temporary, path)


def _version(item: Item) -> int:
    return int(item["_exemplar"]["version"])
