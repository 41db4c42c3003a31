"""The result for a list page: a `Listing` of its entries."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

from .article import Article, Block, NoArticle, PageType


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list. `url`: absolute if the page has a URL, else as written. `published`: None if not shown."""

    title: str
    url: str
    published: date | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON types, times in ISO 8601."""
        return {
            "title": self.title,
            "url": self.url,
            "published": self.published.isoformat() if self.published else None,
        }


@dataclass(frozen=True, slots=True)
class Listing:
    """A list page: its entries in the page's order, each URL once. True in a condition.

    `text`: the whole text of the list's elements, titles, dates and teasers, separated by a blank line; `blocks`: this
    text in blocks. The other fields are those of `Article`, for the page.
    """

    entries: tuple[Entry, ...]
    text: str
    blocks: tuple[Block, ...]
    method: str
    confidence: float
    reason: str
    url: str | None = None
    canonical_url: str | None = None
    title: str | None = None
    language: str | None = None
    description: str | None = None
    site_name: str | None = None
    robots_meta: tuple[str, ...] = ()
    tdm_meta: str | None = None
    page_type: PageType = "list"
    article_probability: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON types, times in ISO 8601."""
        row = {field.name: getattr(self, field.name) for field in fields(self)}
        row["entries"] = [entry.to_dict() for entry in self.entries]
        row["robots_meta"] = list(self.robots_meta)
        row["blocks"] = [block.to_dict() for block in self.blocks]
        return row


def listing_of(page: Article | NoArticle, entries: Sequence[Entry]) -> Listing | NoArticle:
    """Return the listing of a page whose list's text was read as `page`."""
    if isinstance(page, NoArticle):
        return page
    shared = {field.name for field in fields(Listing)} - {"entries", "page_type"}
    return Listing(tuple(entries), **{name: getattr(page, name) for name in sorted(shared)})
