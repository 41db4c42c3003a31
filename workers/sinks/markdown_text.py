"""An article's row as Markdown. Content of pages is escaped: it never becomes HTML, markup or a template variable."""

from html import escape
from typing import Any

from extractors.markdown import to_markdown
from workers.rows import Row

from .row_html import html_of


def markdown_of(row: Row) -> str:
    """Return the article of a row as Markdown (CommonMark, with tables)."""
    return to_markdown(html_of(row))


def markdown_value(value: Any) -> str:
    """Return a field of a row as one line of Markdown. Lists are joined by commas."""
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(markdown_value, value))
    return to_markdown(escape(" ".join(value.split()))) if isinstance(value, str) else str(value)
