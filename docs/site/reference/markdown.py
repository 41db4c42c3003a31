"""Markdown of the generated pages."""

import re
from collections.abc import Iterable, Sequence

SPECIAL = re.compile(r"([\\*_\[\]<>|])")


def escaped(text: str) -> str:
    """Return a text of the program for prose or a cell of a table; what is in backticks stays code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick without its other half
        return SPECIAL.sub(r"\\\1", text).replace("`", "\\`")
    shown = [
        SPECIAL.sub(r"\\\1", part) if place % 2 == 0 else "`" + part.replace("|", "\\|") + "`"
        for place, part in enumerate(parts)
    ]
    return "".join(shown)


def code(text: str) -> str:
    """Return a text as code within prose or a cell."""
    return "`" + text.replace("|", "\\|") + "`"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with its lines; empty without rows."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    if not lines:
        return ""
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *lines]) + "\n"


def block(language: str, text: str) -> str:
    """Return a block of code."""
    return f"```{language}\n{text.rstrip()}\n```\n"


def page(*parts: str) -> str:
    """Return a page of its parts, with a blank line between them."""
    return "\n".join(f"{part.strip()}\n" for part in parts if part.strip())
