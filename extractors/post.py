"""A post of a thread, or a comment, and the posts of several pages as one thread."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from html import escape
from typing import Any


@dataclass(frozen=True, slots=True)
class Post:
    """A post of a thread, or a comment below an article.

    `time`: as `Article.published`; `text`: one line for each paragraph; `html`: clean HTML; `number`: its place in the
    thread, from 1; `anchor`: the id of its element, which its page's URL may have as fragment.
    """

    author: str
    time: date | None
    text: str
    html: str = field(default="", compare=False)
    number: int = field(default=0, compare=False)
    anchor: str = field(default="", compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON types, the time in ISO 8601."""
        return {each.name: as_json(getattr(self, each.name)) for each in fields(self)}


def as_json(value: Any) -> Any:
    """Return the value of a result's field as JSON types, times in ISO 8601."""
    if isinstance(value, tuple):
        return [as_json(each) for each in value]
    if isinstance(value, date):
        return value.isoformat()
    return value.to_dict() if hasattr(value, "to_dict") else value


def joined_posts(pages: Iterable[Sequence[Post]]) -> list[Post]:
    """Return the posts of a thread's pages in order, each once: by its anchor, author, time and text.

    The numbers of a page that begin anew follow those of the pages before.
    """
    seen: dict[object, Post] = {}
    for posts in pages:
        new = {(post.anchor, post.author, post.time, post.text): post for post in reversed(posts)}
        new = {key: new[key] for key in reversed(new) if key not in seen}
        before = {post.number for post in seen.values()}
        shift = max(before) if any(post.number in before for post in new.values()) else 0
        seen |= {key: replace(post, number=post.number + shift) for key, post in new.items()}
    return list(seen.values())


def paragraphs(text: str) -> str:
    """Return a text, whose paragraphs are separated by blank lines, as HTML."""
    parts = (escape(part, quote=False).replace("\n", "<br>") for part in text.split("\n\n") if part)
    return "".join(f"<p>{part}</p>" for part in parts)
