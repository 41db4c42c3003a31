"""Feeds: an Atom feed (`.atom`, RFC 4287) or a JSON Feed (`.feed.json`, version 1.1) of the newest rows of a section.

    news.atom    news.feed.json    news.atom?items=100&url=https://example.org/news.atom

`url` is the address at which the feed is published; the feed names it as its own (`rel="self"`, `feed_url`).

The whole file is written under a temporary name and renamed. It also contains the state of the feed: the next write
reads its entries and adds those of the rows. A new version of an article replaces its entry, whose id stays the same.
Characters that XML forbids are removed from an Atom feed; a lone surrogate becomes "?" in both.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qsl

from workers.errors import OutputError, SinkUnavailable
from workers.rows import key_of
from workers.sinks.durability import locked, make_folder, rename, reported, write_file

from .feed_forms import AtomForm, FeedEntry, JsonFeedForm, UnknownFeed, item_of
from .interface import PATIENCE, RowBatch
from .kinds import FEED_OPTIONS, Target
from .paths import read_template
from .row_html import TEMPLATE_NAMES, web_address

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
        self._temporary = self._path.with_name(f".{self._path.name}.tmp")
        self.name, self._durability = str(self._path), target.durability
        self._form = (AtomForm if self._path.suffix.lower() == ".atom" else JsonFeedForm)(target.task)
        self._fields = frozenset(source for _, source in target.options.fields)
        self._template = read_template(target, TEMPLATE_NAMES) if target.options.template else None

    def write(self, batch: RowBatch) -> None:
        """Add the rows, or replace earlier versions of them. Raises `SinkUnavailable`."""
        if not batch.rows:
            return
        with self._exclusive():
            entries = {entry.id: entry for entry in self._entries()}
            for row in batch.rows:
                entry = self._form.entry(item_of(row, self._fields, self._template))
                present = entries.get(entry.id)
                if present is None or key_of(row) not in batch.again or present.version < entry.version:
                    entries[entry.id] = entry
            self._save(list(entries.values()))

    def check(self) -> None:
        """Read the feed, and create one without entries if there is none."""
        with self._exclusive():
            if not self._entries() and not self._path.exists():
                self._save([])

    def close(self) -> None:
        """Do nothing: nothing is open between writes."""

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Hold the feed by a lock on the temporary file; one that was not renamed is removed."""
        with reported(self.name):
            make_folder(self._path.parent, self._durability)
            file = locked(self._temporary, self.name, PATIENCE, os.O_NOFOLLOW)
            try:
                yield
            finally:
                with suppress(OSError):
                    if os.path.samestat(os.fstat(file), self._temporary.stat()):
                        self._temporary.unlink()
                os.close(file)

    def _entries(self) -> list[FeedEntry]:
        try:
            return self._form.read(self._path.read_bytes())
        except FileNotFoundError:
            return []
        except UnknownFeed as error:
            raise SinkUnavailable(
                f"output unavailable: {self.name} is not a feed written by this program ({error}); move it away"
            ) from None

    def _save(self, entries: Sequence[FeedEntry]) -> None:
        newest = sorted(entries, key=lambda entry: (entry.rank, entry.id), reverse=True)[: self._items]
        write_file(self._temporary, self._form.write(newest, self._url), self._durability)
        rename(self._temporary, self._path, self._durability)
