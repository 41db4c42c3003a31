"""Entries of feeds, made from rows: ids that stay the same, dates with a time zone, content as HTML from the blocks."""

import json
import uuid
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any

from workers.rows import Row

_NAMESPACE = uuid.UUID("1d0e8ab4-6f0b-5f3c-9f55-3c9a5a3a7a10")  # random; a change would change all ids
ALWAYS = frozenset({"task", "canonical_url", "url", "version", "published", "modified", "fetched_at"})
WEB = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry. `published` and `updated`: RFC 3339; `rank`: the time by which entries are ordered, newest first."""

    id: str
    version: int
    rank: str
    updated: str
    title: str
    url: str
    content: str  # HTML
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


def entry_of(row: Row, chosen: Set[str] = frozenset()) -> FeedEntry:
    """Return the entry of a row. `chosen`: the fields of the row that are shown; empty: all.

    The id is that of the article, so all of its versions have the same. A date without a time zone counts as UTC.
    """
    shown = {name: value for name, value in row.items() if not chosen or name in chosen | ALWAYS}
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
        title=_text(shown.get("title")) or _text(row["canonical_url"]),
        url=_text(row.get("url") or row["canonical_url"]),
        content=_content(shown),
        summary=_text(shown.get("description")),
        image=_web(shown.get("image")),
        author=_text(shown.get("author")),
        language=_text(shown.get("language")),
        keywords=tuple(filter(None, map(_text, shown.get("keywords") or ()))),
    )


def _moment(value: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(value))
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _stamp(moment: datetime) -> str:
    return f"{moment.replace(microsecond=0, tzinfo=None).isoformat()}Z"


def _text(value: object) -> str:
    return "" if value is None else str(value).encode("utf-8", "replace").decode()


def _web(value: object) -> str:
    text = _text(value)
    return text if text.lower().startswith(WEB) else ""


# HTML


def _content(row: Mapping[str, Any]) -> str:
    """Return the blocks as HTML, else the text; empty without both."""
    if blocks := row.get("blocks"):
        return "\n".join(filter(None, map(_block, blocks)))
    return "\n".join(f"<p>{_lines(part)}</p>" for part in _text(row.get("text")).split("\n\n") if part)


def _block(block: Mapping[str, Any]) -> str:
    """Return one block as HTML. Everything from the page is escaped; addresses are those of the web only."""
    kind, text = block.get("kind"), _text(block.get("text"))
    if kind == "heading":
        level = max(2, min(int(block.get("level") or 2), 6))
        return f"<h{level}>{_prose(text, block)}</h{level}>"
    if kind == "list":
        return "<ul>" + "".join(f"<li>{_prose(line, block)}</li>" for line in text.split("\n")) + "</ul>"
    if kind == "table":
        return f"<table>{''.join(map(_table_row, text.split(chr(10))))}</table>"
    if kind == "code":
        return f"<pre>{escape(text)}</pre>"
    if kind == "quote":
        return f"<blockquote><p>{_prose(text, block)}</p></blockquote>"
    images = "".join(f'<img src="{escape(url)}" alt="{escape(text)}">' for url in _addresses(block.get("images")))
    if images:
        return f"<figure>{images}{f'<figcaption>{_lines(text)}</figcaption>' if text else ''}</figure>"
    if kind == "embed" and not text:
        links = [link.get("url") for link in block.get("links") or ()]
        return "".join(f'<p><a href="{escape(url)}">{escape(url)}</a></p>' for url in _addresses(links))
    return f"<p>{_prose(text, block)}</p>" if text else ""


def _prose(text: str, block: Mapping[str, Any]) -> str:
    """Return escaped text with the block's links, each at the first occurrence of its words."""
    written, rest = "", text
    for link in block.get("links") or ():
        words, url = _text(link.get("text")), _web(link.get("url"))
        before, found, after = rest.partition(words) if words and url else (rest, "", "")
        if found:
            written += f'{_lines(before)}<a href="{escape(url)}">{_lines(words)}</a>'
            rest = after
    return written + _lines(rest)


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def _table_row(line: str) -> str:
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line.split("\t")) + "</tr>"


def _addresses(values: Iterable[object] | None) -> list[str]:
    return list(filter(None, map(_web, values or ())))
