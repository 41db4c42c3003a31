"""What the documents hold: their blocks of code, and the command lines that they show."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FENCED = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.M | re.S)
INLINE = re.compile(r"`(exemplar [^`]+)`")
COMMENT = re.compile(r"\s+#.*$", re.M)


def documents() -> list[Path]:
    """Every page that a user reads, in both languages."""
    others = ("README.md", "README.zh-CN.md", "CONTRIBUTING.md", "SECURITY.md", "deploy/README.md")
    return [*sorted(DOCS.glob("*.md")), *sorted((DOCS / "reference").glob("*.md")), *(ROOT / name for name in others)]


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return [found[2] for found in FENCED.finditer(text) if found[1] == language]


def command_lines(text: str) -> Iterator[str]:
    """The lines of blocks, and what is marked as code in prose, that call `exemplar`."""
    for found in FENCED.finditer(text):
        if found[1] in ("sh", ""):
            yield from (line.strip() for line in found[2].splitlines() if line.strip().startswith("exemplar "))
    prose = FENCED.sub("", text)
    yield from re.findall(r"^    (exemplar .+)$", prose, re.M)
    yield from (" ".join(found.split()) for found in INLINE.findall(prose))


def arguments(line: str) -> list[str]:
    """The arguments of a command line, without what a shell does itself."""
    words = shlex.split(line, comments=True)
    ends = [place for place, word in enumerate(words) if word in ("|", ">", ">>", "&&", ";", "&")]
    return words[1 : min(ends, default=len(words))]


def shape(text: str) -> list[tuple[str, ...]]:
    """Headings by their level, rows of tables by their cells, items of lists, and lines of code without comments."""
    found: list[tuple[str, ...]] = []
    in_code = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            in_code = not in_code
            found.append(("block", line.strip()))
        elif in_code or line.startswith("    "):
            found.append(("code", COMMENT.sub("", line)))
        elif heading := re.match(r"(#+) ", line):
            found.append(("heading", heading[1]))
        elif line.startswith("|"):
            found.append(("row", str(line.count("|"))))
        elif re.match(r" *(-|\d+\.) ", line):
            found.append(("item",))
    return found


def marked(text: str) -> set[str]:
    """What is marked as code in prose and tables."""
    return {" ".join(found.split()) for found in re.findall(r"`([^`]+)`", FENCED.sub("", text))}
