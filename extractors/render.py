"""An article, or a list's entries, as text, Markdown or JSON."""

import json
import re
from collections.abc import Collection
from typing import Literal

from .article import IN_TEXT, Article, Block
from .listing import Entry, Listing

Format = Literal["text", "markdown", "json"]

_MARKDOWN_LINE_START = re.compile(r"^(\s*)(?:([#>+-])|(\d+)([.)])(?=\s))")
_MARKDOWN_CHARACTERS = re.compile(r"([\\`*_\[\]<])")
_BACKTICKS = re.compile(r"`{3,}")


def render(article: Article | Listing, form: Format = "text") -> str:
    """Return the article or list in the given form, no line break at its end. Raises `ValueError` for an unknown form.

    A list has one line per entry: date, title and URL separated by tabs as text, a list of links as Markdown.
    """
    if form == "text":
        return list_to_text(article) if isinstance(article, Listing) else to_text(article)
    if form == "markdown":
        return list_to_markdown(article) if isinstance(article, Listing) else to_markdown(article)
    if form == "json":
        return to_json(article)
    raise ValueError(f"unknown format {form!r}: text, markdown or json")


def to_text(article: Article) -> str:
    """Return title, date and keywords, where the page has them, and the body, paragraphs separated by a blank line."""
    return "\n\n".join(filter(None, (article.title, "\n".join(_about(article)), article.text)))


def list_to_text(listing: Listing) -> str:
    """Return one line per entry: date (ISO 8601, empty if unknown), title, URL, separated by tabs."""
    return "\n".join(f"{_day(entry)}\t{entry.title}\t{entry.url}" for entry in listing.entries)


def list_to_markdown(listing: Listing) -> str:
    """Return the title and a list of links, each with its date."""
    title = f"# {_escape(listing.title)}\n\n" if listing.title else ""
    lines = (
        f"- {_day(entry)}{' ' if entry.published else ''}[{_escape(entry.title, False)}](<{_link(entry.url)}>)"
        for entry in listing.entries
    )
    return title + "\n".join(lines)


def _day(entry: Entry) -> str:
    return entry.published.isoformat() if entry.published else ""


def _link(url: str) -> str:
    """Return a URL without the characters that end a link in angle brackets."""
    return url.replace("<", "%3C").replace(">", "%3E").replace("\n", "%0A")


def to_json(article: Article | Listing) -> str:
    """Return the article or list as one JSON object on one line."""
    return json.dumps(article.to_dict(), ensure_ascii=False)


def to_markdown(article: Article, include: Collection[str] = IN_TEXT) -> str:
    """Return the article as CommonMark, tables as GitHub writes them; the title is the only heading of level 1.

    `include`: the kinds of blocks that are written.
    """
    title = [f"# {_escape(article.title)}"] if article.title else []
    about = ["\n".join(f"- {_escape(line, False)}" for line in _about(article))] if _about(article) else []
    return "\n\n".join(
        title + about + [text for block in article.blocks if block.kind in include and (text := _block(block))]
    )


def _about(article: Article) -> list[str]:
    """Return the lines with the article's date and keywords."""
    published = [f"Published: {article.published.isoformat()}"] if article.published else []
    return published + ([f"Keywords: {', '.join(article.keywords)}"] if article.keywords else [])


def _block(block: Block) -> str:
    lines = block.text.split("\n")
    if block.kind == "heading":
        return f"{'#' * max(2, block.level or 2)} {_escape(block.text)}"
    if block.kind == "list":
        return "\n".join(f"- {_prose(line, block)}" for line in lines)
    if block.kind in ("quote", "embed"):
        return "\n".join(f"> {_prose(line, block)}" for line in lines) if block.text else _addresses(block)
    if block.kind == "caption":
        pictures = "\n".join(f"![{_escape(block.text)}](<{url}>)" for url in block.images)
        return pictures or f"*{_escape(block.text)}*"
    if block.kind == "code":
        longest = max((len(run) for run in _BACKTICKS.findall(block.text)), default=2)
        fence = "`" * (longest + 1)
        return f"{fence}\n{block.text}\n{fence}"
    if block.kind == "table":
        return _table([line.split("\t") for line in lines])
    return _prose(block.text, block)


def _prose(text: str, block: Block) -> str:
    """Return `text` with the block's links, each at the first occurrence of its words."""
    written, rest = "", text
    for link in block.links:
        before, found, after = rest.partition(link.text)
        if found:
            written += f"{_escape(before, not written)}[{_escape(link.text, False)}](<{link.url}>)"
            rest = after
    return written + _escape(rest, not written)


def _addresses(block: Block) -> str:
    return "\n".join(f"<{link.url}>" for link in block.links)


def _table(rows: list[list[str]]) -> str:
    columns = max(map(len, rows))
    cells = [[_escape(cell).replace("|", "\\|") for cell in row] + [""] * (columns - len(row)) for row in rows]
    written = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([written[0], "|" + " --- |" * columns, *written[1:]])


def _escape(text: str, line_start: bool = True) -> str:
    text = _MARKDOWN_CHARACTERS.sub(r"\\\1", text)
    return _MARKDOWN_LINE_START.sub(r"\1\3\\\2\4", text) if line_start else text
