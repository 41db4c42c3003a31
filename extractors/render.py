"""An article as text, Markdown or JSON."""

import json
import re
from typing import Literal

from .article import Article, Block

Format = Literal["text", "markdown", "json"]

_MARKDOWN_LINE_START = re.compile(r"^(\s*)(?:([#>+-])|(\d+)([.)])(?=\s))")
_MARKDOWN_CHARACTERS = re.compile(r"([\\`*_\[\]<])")
_BACKTICKS = re.compile(r"`{3,}")


def render(article: Article, form: Format = "text") -> str:
    """Return the article in the given form, no line break at its end. Raises `ValueError` for an unknown form."""
    if form == "text":
        return to_text(article)
    if form == "markdown":
        return to_markdown(article)
    if form == "json":
        return to_json(article)
    raise ValueError(f"unknown format {form!r}: text, markdown or json")


def to_text(article: Article) -> str:
    """Return the title and the body, paragraphs apart by a blank line."""
    return "\n\n".join(filter(None, (article.title, article.text)))


def to_json(article: Article) -> str:
    """Return the article as one JSON object on one line."""
    return json.dumps(article.to_dict(), ensure_ascii=False)


def to_markdown(article: Article) -> str:
    """Return the article as CommonMark, tables as GitHub writes them; the title is the only heading of level 1."""
    title = [f"# {_escape(article.title)}"] if article.title else []
    return "\n\n".join(title + [_block(block) for block in article.blocks])


def _block(block: Block) -> str:
    lines = block.text.split("\n")
    if block.kind == "heading":
        return f"{'#' * max(2, block.level or 2)} {_escape(block.text)}"
    if block.kind == "list":
        return "\n".join(f"- {_escape(line)}" for line in lines)
    if block.kind == "quote":
        return "\n".join(f"> {_escape(line)}" for line in lines)
    if block.kind == "code":
        longest = max((len(run) for run in _BACKTICKS.findall(block.text)), default=2)
        fence = "`" * (longest + 1)
        return f"{fence}\n{block.text}\n{fence}"
    if block.kind == "table":
        return _table([line.split("\t") for line in lines])
    return _escape(block.text)


def _table(rows: list[list[str]]) -> str:
    columns = max(map(len, rows))
    cells = [[_escape(cell).replace("|", "\\|") for cell in row] + [""] * (columns - len(row)) for row in rows]
    written = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([written[0], "|" + " --- |" * columns, *written[1:]])


def _escape(text: str) -> str:
    return _MARKDOWN_LINE_START.sub(r"\1\3\\\2\4", _MARKDOWN_CHARACTERS.sub(r"\\\1", text))
