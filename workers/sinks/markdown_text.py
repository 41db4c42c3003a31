"""An article's blocks as Markdown.

Content of pages is escaped: it never becomes HTML, markup or a template variable.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from workers.rows import Row

_MARKUP = re.compile(r"[\\`*_\[\]<>&~|{}$]")  # { also begins the code of site generators
_AT_START = re.compile(r"^(\s*\d*)([#+\-=:]|(?<=\d)[.)])", re.MULTILINE)  # signs of headings, lists and rules


def markdown_of(row: Row) -> str:
    """Return the article of a row as Markdown (CommonMark, with pipe tables)."""
    blocks: Sequence[Mapping[str, Any]] = row.get("blocks") or [
        {"kind": "paragraph", "text": part} for part in (row.get("text") or "").split("\n\n")
    ]
    return "\n\n".join(filter(None, map(_block, blocks)))


def markdown_value(value: Any) -> str:
    """Return a field of a row as one line of Markdown. Lists are joined by commas."""
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(markdown_value, value))
    return escaped(" ".join(str(value).split())) if isinstance(value, str) else str(value)


def escaped(text: str) -> str:
    """Return a text, escaped for Markdown."""
    text = _MARKUP.sub(r"\\\g<0>", text)
    return _AT_START.sub(r"\1\\\2", text)


def _block(block: Mapping[str, Any]) -> str:
    text = str(block.get("text") or "")
    lines = [escaped(line.strip()) for line in text.split("\n")]
    match block.get("kind"):
        case "heading":
            return f"{'#' * min(6, max(1, block.get('level') or 2))} {' '.join(lines)}"
        case "list":
            return "\n".join(f"- {line}" for line in lines)
        case "table":
            return _table(text)
        case "code":
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            return f"{fence}\n{text}\n{fence}"
        case "quote":
            return "\n".join(f"> {line}" for line in lines)
        case "caption" if images := block.get("images"):
            return "\n".join(f"![{' '.join(lines)}](<{_address(image)}>)" for image in images)
        case "embed" if links := block.get("links"):
            return "\n".join(f"[{escaped(link['text']) or 'media'}](<{_address(link['url'])}>)" for link in links)
    return "\\\n".join(line for line in lines if line)


def _table(text: str) -> str:
    rows = [[escaped(cell.strip()) for cell in line.split("\t")] for line in text.split("\n")]
    width = max(map(len, rows))
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])


def _address(url: str) -> str:
    return re.sub(r"[\s<>\\]", lambda match: f"%{ord(match[0]):02X}" if ord(match[0]) < 128 else "", url)
