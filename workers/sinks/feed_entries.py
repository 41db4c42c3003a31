"""Entries of feeds, made from rows: ids that stay the same, and dates with a time zone."""

import json
import uuid
from collections.abc import Set
from dataclasses import dataclass
from datetime import UTC, datetime
from string import Template

from workers.rows import Row

from .row_html import filled, html_of, text_of, web_address

_NAMESPACE = uuid.UUID("1d0e8ab4-6f0b-5f3c-9f55-3c9a5a3a7a10")  # random; a change would change all ids
ALWAYS = frozenset({"task", "canonical_url", "url", "version", "published", "modified", "fetched_at"})


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
