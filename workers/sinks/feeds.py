"""Feeds: an Atom feed (`.atom`, RFC 4287) or a JSON Feed (`.feed.json`, version 1.1) of the newest rows of a section.

    news.atom    news.feed.json    news.atom?items=100&url=https://example.org/news.atom

`url` is the address at which the feed is published; the feed names it as its own (`rel="self"`, `feed_url`).

Files are written under a temporary name and renamed. The items of a feed are also in a hidden file beside it
(`.news.atom.items`), from which the next write makes the whole feed anew; its lock is that of the feed. A new version
of an article replaces its item, whose id stays the same. Characters that XML forbids are removed from an Atom feed; a
lone surrogate becomes "?" in both.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qsl

from workers.errors import OutputError, SinkUnavailable
from workers.rows import key_of
from workers.sinks.durability import locked, make_folder, rename, reported, write_file

from .feed_forms import GENERATOR, Item, atom_feed, item_of, json_feed
from .formats import as_json
from .interface import PATIENCE, RowBatch
from .kinds import FEED_OPTIONS, Target
from .row_html import web_address

ITEMS, MOST_ITEMS = 50, 1000


class FeedSink:
    """Keeps the newest rows in a feed."""

    def __init__(self, target: Target):
        match = FEED_OPTIONS.search(target.address)
        given = dict(parse_qsl(match[1], keep_blank_values=True)) if match else {}
        items, self._url = given.pop("items", str(ITEMS)), given.get("url", "")
        self._items = int(items) if re.fullmatch(r"\d{1,9}", items) else 0
        if not 1 <= self._items <= MOST_ITEMS or (given and (given.keys() != {"url"} or not web_address(self._url))):
            raise OutputError(
                f"task {target.task}: output {target.label}: items must be a number from 1 to {MOST_ITEMS}, "
                "url a web address, as in ?items=50&url=https://example.org/news.atom"
            )
        if "{date" in target.address:
            raise OutputError(f"task {target.task}: output {target.label}: a feed is one file; remove {{date}}")
        self._path = target.folder / Path(FEED_OPTIONS.sub("", target.address)).expanduser()
        self._state = self._path.with_name(f".{self._path.name}.items")
        self.name, self._task, self._durability = str(self._path), target.task, target.durability
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
            make_folder(self._path.parent, self._durability)
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
        for path, data in ((self._path, self._form(self._task, newest, self._url)), (self._state, lines)):
            temporary = self._path.with_name(f".{self._path.name}.tmp")
            write_file(temporary, data, self._durability)
            rename(temporary, path, self._durability)


def _version(item: Item) -> int:
    return int(item["_exemplar"]["version"])
