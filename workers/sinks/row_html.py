"""Rows as HTML and Markdown: their own, else from the blocks that every row has.

Content of pages is escaped: it never becomes HTML or markup.
"""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from extractors.html.sanitising import sanitise
from extractors.markdown import to_markdown
from workers.rows import Row, encodable

WEB = ("http://", "https://")


def text_of(value: object) -> str:
    """Return a value as text that can be encoded in UTF-8."""
    return "" if value is None else encodable(str(value))


def web_address(value: object) -> str:
    """Return an address of the web, empty if it is another."""
    text = text_of(value)
    return text if text.lower().startswith(WEB) else ""


def html_of(row: Mapping[str, Any]) -> str:
    """Return the row's HTML, cleaned again, else its blocks as HTML, else its text; empty without all three."""
    if html := row.get("html"):
        return sanitise(text_of(html))
    if blocks := row.get("blocks"):
        return "\n".join(filter(None, map(_block, blocks)))
    return "\n".join(f"<p>{_lines(part)}</p>" for part in text_of(row.get("text")).split("\n\n") if part)


def markdown_of(row: Row) -> str:
    """Return the article of a row as Markdown (CommonMark, with tables)."""
    return to_markdown(html_of(row))


def _block(block: Mapping[str, Any]) -> str:
    """Return one block as HTML. Everything from the page is escaped; addresses are those of the web only."""
    kind, text = block.get("kind"), text_of(block.get("text"))
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
        words, url = text_of(link.get("text")), web_address(link.get("url"))
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
    return list(filter(None, map(web_address, values or ())))
