"""The fields of rows: the JSON Schema of a row (2020-12), and the columns of tables of rows.

A table that exists already is used if it is ours and would not refuse every row.

The schema is additive: a new version may add fields and values of `method`, `page_type` and the kinds of blocks; no
field is removed, renamed or given another type. So a reader must ignore unknown fields. Each change
raises `ROW_SCHEMA_VERSION`, and each published version stays in `tests/workers/sinks/row_schemas`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from workers.rows import KEY

from .options import OutputOptions

ROW_SCHEMA_VERSION = 3
ID = "https://exemplar.example/schemas/row/{version}"  # an identifier, not the address of a document


def _text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def _optional(description: str, type_: str = "string", **more: Any) -> dict[str, Any]:
    return {"type": [type_, "null"], "description": description, **more}


def _texts(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": description}


_URL = {"format": "uri"}
_TIME = "ISO 8601: with time zone if the page gives one, a day if it gives no time"
_LINK = {
    "type": "object",
    "required": ["text", "url"],
    "properties": {"text": _text("The linked words."), "url": _text("Absolute URL.", **_URL)},
}
_BLOCK = {
    "type": "object",
    "required": ["kind", "text"],
    "properties": {
        "kind": _text(
            "paragraph, heading, list, table, code, quote, summary, caption or embed; later versions may add some."
        ),
        "text": _text(
            "Each item of a list and each row of a table is one line. Nested items are indented, those of ordered "
            "lists numbered; the cells of a row are separated by tabs."
        ),
        "level": {"type": "integer", "minimum": 1, "maximum": 6, "description": "Of a heading."},
        "links": {"type": "array", "items": _LINK, "description": "Links within the block; missing if there is none."},
        "images": _texts("Absolute URLs of pictures; missing if there is none."),
    },
}
_COMMENT = {
    "type": "object",
    "required": ["author", "time", "text"],
    "properties": {
        "author": _text("Name."),
        "time": _optional(f"When it was written. {_TIME}."),
        "text": _text("One line for each paragraph."),
        "html": _text("Clean HTML."),
        "number": {"type": "integer", "description": "Place on the page, from 1."},
        "anchor": _text("Id of its element."),
    },
}

FIELDS: Mapping[str, Mapping[str, Any]] = {  # in the order of a row
    "task": _text("Name of the task.", minLength=1),
    "url": _text("URL from which the article was fetched.", **_URL),
    "canonical_url": _text("The URL's canonical form, the same for all of its spellings.", **_URL),
    "text": _text("The article's text; its blocks are separated by blank lines."),
    "method": _text("Method that extracted the article."),
    "confidence": {
        "type": "number",
        "minimum": 0,
        "maximum": 1,
        "description": "Measured share of similar pages whose text was right.",
    },
    "reason": _text("The reason why this method was chosen, as a sentence."),
    "title": _optional("Title."),
    "published": _optional(f"When it was published, by the page or else by a feed. {_TIME}."),
    "modified": _optional(f"When it was last changed. {_TIME}."),
    "author": _optional("Author."),
    "source": _optional("Where the article came from, as the page names it."),
    "keywords": _texts("Keywords that the page declares."),
    "language": _optional("ISO 639 code such as zh or en; zh-Hant: Chinese in traditional characters."),
    "description": _optional("Summary that the page declares."),
    "site_name": _optional("Name of the site."),
    "image": _optional("URL of the article's main picture."),
    "page_type": _text(
        "What kind of page it is: article, thread, documentation, product, service, list, collection or uncertain."
    ),
    "article_probability": _optional(
        "Probability that the page is an article rather than a list; null if that was not in doubt.",
        "number",
        minimum=0,
        maximum=1,
    ),
    "robots_directives": _texts("Robots directives that apply to the page."),
    "tdm_reservation": _optional("Whether text and data mining is reserved; null if that is not declared.", "boolean"),
    "fetched_at": _text("When the page was fetched, ISO 8601 with time zone.", format="date-time"),
    "content_hash": _text("SHA-256 of title and text.", pattern="^[0-9a-f]{64}$"),
    "version": {
        "type": "integer",
        "minimum": 1,
        "description": "1 for an article's first row, then one more for each change of its text.",
    },
    "section_version": _optional(
        "Names the pages of the section by which the text was found; null without an example."
    ),
    "near_duplicate_of": _optional("URL of an earlier article of the task with almost the same text."),
    "listed_on": _optional("List page of an entry, page of a post; null for an article."),
    "parts": {"type": "integer", "minimum": 1, "description": "How many pages the article was joined from."},
    "parts_missing": _texts("URLs of further pages that were unavailable."),
    "blocks": {
        "type": "array",
        "items": _BLOCK,
        "description": "The text in parts, with headings, links and pictures.",
    },
}

ON_REQUEST: Mapping[str, Mapping[str, Any]] = {  # only in outputs whose `fields` name them
    "html": _text("The article as clean HTML."),
    "markdown": _text("The article as Markdown (CommonMark, with tables)."),
    "comments": {"type": "array", "items": _COMMENT, "description": "Comments of readers that the page has."},
}
CHOICES = {**FIELDS, **ON_REQUEST}  # what `fields` may name
NEEDED = (*KEY, "url", "text", "fetched_at")  # fields that every row of this program has
COLUMNS = (  # the fields in the order in which tables have them
    "task", "url", "canonical_url", "title", "text", "published", "modified", "author", "source", "keywords",
    "language", "description", "site_name", "image", "method", "confidence", "reason", "page_type",
    "article_probability", "fetched_at", "content_hash", "version", "near_duplicate_of", "listed_on", "parts",
    "parts_missing", "blocks", "robots_directives", "tdm_reservation", "section_version",
)  # fmt: skip
MAYBE_TIMES = frozenset({"fetched_at", "published", "modified"})
_OF_NUMBERS = re.compile("int|float|double|numeric|decimal|real|money|bool|bit")
_OF_TIMES = re.compile("date|time|year")


def type_of(field: str) -> str:
    """Return the type of a field's values: string, number, integer, boolean, array or time; a string if unknown.

    `published` and `modified` are strings: they may be dates, or lack a time zone.
    """
    schema = FIELDS.get(field, {})
    [kind, *_] = [schema.get("type", "string")] if isinstance(schema.get("type", ""), str) else schema["type"]
    return "time" if schema.get("format") == "date-time" else str(kind)


def row_schema() -> dict[str, Any]:
    """Return the schema as JSON values."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID.format(version=ROW_SCHEMA_VERSION),
        "title": "A row of Exemplar",
        "description": (
            f"An article, or an entry of a list page. {', '.join(KEY)} together are unique in an output. Later "
            "versions of the schema may add fields; none is removed, renamed or given another type. Ignore unknown "
            "fields."
        ),
        "schema_version": ROW_SCHEMA_VERSION,
        "type": "object",
        "required": [*FIELDS],
        "properties": {name: dict(field) for name, field in CHOICES.items()},
        "additionalProperties": True,
    }


def columns_of(options: OutputOptions) -> dict[str, str]:
    """Return the columns of an output's table, each with the field of the row that it has; the row key is in it."""
    columns = dict(options.fields) or {name: name for name in COLUMNS}
    return columns | {name: field for name, field in zip(options.key_names(), KEY, strict=True) if name not in columns}


def foreign(table: str, key: str) -> str:
    """Return the message on a table that this program did not make, since it lacks our key."""
    return f"table {table} has no unique key ({key}): it was made by another program and is not changed; name another"


def unfit(types: Mapping[str, str], fields: Mapping[str, str], required: Iterable[str]) -> str:
    """Return why a table would refuse every row; "" if it would not.

    `types`: of its columns; `fields`: the row's field of each column that is written; `required`: columns that are NOT
    NULL without a default.
    """
    written = {column.casefold() for column in fields}
    if others := [column for column in required if column.casefold() not in written]:
        return f"column {others[0]} is NOT NULL without a default, and no row has a value for it; give it a default"
    for column, field in fields.items():
        kind = types.get(column, "").rpartition(".")[2].strip('"').lower()
        is_number, may_be_time = type_of(field) in ("number", "integer", "boolean"), field in MAYBE_TIMES
        if (_OF_NUMBERS.search(kind) and not is_number) or (_OF_TIMES.search(kind) and not may_be_time):
            return f"column {column} has type {kind}, which cannot store {field}; change its type"
    return ""
