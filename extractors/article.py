"""What comes out: an `Article`, or the reason why there is none."""

from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Literal

Kind = Literal["paragraph", "heading", "list", "table", "code", "quote"]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the body.

    The items of a list and the rows of a table stand each on a line of `text`, the cells of a row apart by a tab;
    `level` is 1–6 for a heading, else None.
    """

    kind: Kind
    text: str
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Article:
    """An article as it was cut out of its page.

    `text`: blocks joined by a blank line. `published`: aware where the page names its zone, else a naive datetime as
    the page shows it, else a date. `method`: the one that really cut it. `confidence`: 0 to 1, the measured share of
    like pages whose text was right (F1 ≥ .9). `reason`: why this method, in words for a person.
    """

    text: str
    blocks: tuple[Block, ...]
    method: str
    confidence: float
    reason: str
    url: str | None = None
    canonical_url: str | None = None
    title: str | None = None
    published: date | None = None  # a datetime is a date too
    author: str | None = None
    source: str | None = None
    keywords: tuple[str, ...] = ()
    language: str | None = None
    description: str | None = None
    site_name: str | None = None
    image: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON types, times in ISO 8601."""
        row = {field.name: getattr(self, field.name) for field in fields(self)}
        row["published"] = self.published.isoformat() if self.published else None
        row["keywords"] = list(self.keywords)
        row["blocks"] = [
            {"kind": block.kind, "text": block.text} | ({"level": block.level} if block.level else {})
            for block in self.blocks
        ]
        return row


@dataclass(frozen=True, slots=True)
class NoArticle:
    """The page holds no article: normal for lists, shells and the like. False where a condition is asked for."""

    reason: str
    url: str | None = None

    @property
    def text(self) -> str:
        """The empty text."""
        return ""

    def __bool__(self) -> bool:
        return False

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON types."""
        return {"url": self.url, "reason": self.reason, "text": ""}
