"""The options of one output: which rows it gets, and with which fields."""

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field
from typing import Any

from workers.picture_links import linked
from workers.rows import KEY, ON_REQUEST, Row
from workers.stored_json import loaded

BATCH_ROWS, BATCH_SECONDS = 500, 10.0


@dataclass(frozen=True, slots=True)
class RowCondition:
    """The conditions on the rows that an output gets. An empty field means no condition."""

    languages: tuple[str, ...] = ()  # ISO 639-1, such as zh, which admits zh-Hant, too
    confidence: float = 0.0  # the least confidence
    keywords: tuple[str, ...] = ()  # of which the title or text has at least one

    def admits(self, row: Row) -> bool:
        """Whether the output gets the row."""
        tag = row.get("language") or ""
        if self.languages and not {tag, tag.partition("-")[0]} & set(self.languages):
            return False
        if (row.get("confidence") or 0.0) < self.confidence:
            return False
        text = f"{row.get('title') or ''}\n{row.get('text') or ''}"
        return not self.keywords or any(keyword in text for keyword in self.keywords)


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """The options of an output.

    `fields`: pairs (name in the output, field of the row), in order; empty: all fields of the row. A batch is
    delivered when it has `batch_rows` rows, or its oldest row waited for `batch_seconds`; None: those of the kind.
    `pictures`: the way from its files to the folder of kept pictures; empty: the HTML has the addresses of the page.
    """

    fields: tuple[tuple[str, str], ...] = ()
    where: RowCondition = field(default_factory=RowCondition)
    batch_rows: int | None = None
    batch_seconds: float | None = None
    pictures: str = ""

    def to_json(self) -> str:
        """Return the options as JSON text, as `workers.extraction_config` keeps them."""
        given = {name: value for name, value in asdict(self).items() if value is not None}  # version 0.2 refuses None
        return json.dumps(given, ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> "OutputOptions":
        """Return the options that `to_json` wrote, of this version or another; unknown fields are ignored."""
        return loaded(cls, text)

    def shaped(self, row: Row, *, with_key: bool = False, left_out: AbstractSet[str] = ON_REQUEST) -> Mapping[str, Any]:
        """Return the row with the chosen fields; if none are chosen, with all but those that are `left_out`.

        `with_key`: missing fields of the row key are added.
        """
        if not self.fields:
            return row if left_out.isdisjoint(row) else {name: row[name] for name in row if name not in left_out}
        row = self.with_kept_pictures(row)
        shaped = {name: _value(row, source) for name, source in self.fields}
        if with_key:
            chosen = {source for _, source in self.fields}
            shaped |= {name: row[name] for name in KEY if name not in chosen}
        return shaped

    def with_kept_pictures(self, row: Row) -> Row:
        """Return the row with HTML that shows the kept pictures, if the task keeps them."""
        html = row.get("html") if self.pictures else None
        return {**row, "html": linked(html, self.pictures)} if html else row

    @property
    def wants_html(self) -> bool:
        """Whether a chosen field needs the article's HTML."""
        return any(source in ("html", "markdown") for _, source in self.fields)

    @property
    def wants_comments(self) -> bool:
        """Whether the comments of readers are a chosen field."""
        return any(source == "comments" for _, source in self.fields)

    def key_names(self) -> tuple[str, ...]:
        """Return the names that the fields of the row key have in the output, in the order of `workers.rows.KEY`."""
        return tuple(map(self.name_of, KEY))

    def name_of(self, field_: str) -> str:
        """Return the name that a field of the row has in the output."""
        return next((name for name, source in self.fields if source == field_), field_)


def _value(row: Row, source: str) -> Any:
    """Return the value of a field; Markdown is made from the row's HTML."""
    if source != "markdown":
        return row.get(source)
    from .row_html import markdown_of  # a library that most outputs do not need

    return markdown_of(row)
