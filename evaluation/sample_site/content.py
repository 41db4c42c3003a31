"""The articles of the sample site, read from text files, from which pages are rendered and which are their truth.

A file has a header of `key: value` lines, an empty line, and blocks separated by empty lines. A block is a paragraph
unless it begins as a sub-heading (`## `), a quote (`> `), an ordered list (`1. `), a table row (`| `), a figure
(`![caption](image)`) or preformatted text (a fence of three backticks). Inside text, `**bold**` and `[words](address)`.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from pathlib import Path

SECTIONS = ("zh", "en")
CONTENT = Path(__file__).parent / "content"
TOWN_TIME = timezone(timedelta(hours=-5))  # zone of the English pages; the Chinese pages show no zone

OPENINGS = {"## ": "heading", "> ": "quote", "1. ": "list", "| ": "table", "![": "figure", "```": "pre"}
LINK = re.compile(r"\[([^]]+)]\(([^)]+)\)")
BOLD = re.compile(r"\*\*(.+?)\*\*")
FIGURE = re.compile(r"!\[(.+)]\((.+)\)")
LIST_NUMBER = re.compile(r"^\d+\. ")


@dataclass(frozen=True)
class StoryBlock:
    """One block of an article's body; `lines` still have the inline marks."""

    kind: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The visible text, one line for each row or item; empty for a figure, whose caption is not body text."""
        if self.kind == "figure":
            return ""
        if self.kind == "pre":
            return "\n".join(self.lines)
        if self.kind == "table":
            return "\n".join("\t".join(cells(line)) for line in self.lines)
        if self.kind == "list":
            return "\n".join(f"{number}. {plain(line)}" for number, line in enumerate(self.lines, 1))
        return "\n".join(plain(line) for line in self.lines)


@dataclass(frozen=True)
class Story:
    """One content file, and the expected result of its extraction.

    `also`: a second path of the same page; `moved`: a path that redirects to it (301).
    """

    section: str
    key: str
    title: str
    published: datetime
    author: str
    source: str
    keywords: tuple[str, ...]
    blocks: tuple[StoryBlock, ...]
    layout: str = ""
    also: str = ""
    moved: str = ""

    @property
    def path(self) -> str:
        """The path of the article's page, by the section's URL pattern."""
        if self.section == "zh":
            return f"/zh/news/{self.published:%Y/%m%d}/{self.key}.html"
        return f"/en/stories/{self.published:%Y/%m/%d}/{self.key}/"

    @property
    def summary(self) -> str:
        """The beginning of the article, of the length of a teaser."""
        opening = next(block.text for block in self.blocks if block.kind == "paragraph")
        if self.section == "zh":
            return opening[:72] + "……"
        return " ".join(opening.split()[:34]) + " …"

    @property
    def text(self) -> str:
        """The expected text: that of the blocks, separated by empty lines."""
        return "\n\n".join(block.text for block in self.blocks if block.text)

    @property
    def other_paths(self) -> tuple[str, ...]:
        """Further paths of the article."""
        return tuple(path for path in (self.also, self.moved) if path)


@cache
def truth(section: str) -> tuple[Story, ...]:
    """Return all articles of a section, newest first. `published` has a zone only if the pages show one."""
    if section not in SECTIONS:
        raise ValueError(f"unknown section {section!r}; known: {', '.join(SECTIONS)}")
    read = (read_story(section, path.read_text("utf-8")) for path in (CONTENT / section).glob("*.txt"))
    return tuple(sorted(read, key=lambda story: story.published, reverse=True))


def read_story(section: str, source: str) -> Story:
    """Parse one content file of `section`."""
    header, body = source.split("\n\n", 1)
    fields = dict(line.split(": ", 1) for line in header.splitlines())
    published = datetime.strptime(fields["date"], "%Y-%m-%d %H:%M")
    return Story(
        section=section,
        key=fields["id"],
        title=fields["title"],
        published=published.replace(tzinfo=TOWN_TIME) if section == "en" else published,
        author=fields["author"],
        source=fields["source"],
        keywords=tuple(re.split(r"[,，]\s*", fields["keywords"])),
        blocks=tuple(_block(chunk) for chunk in body.strip("\n").split("\n\n")),
        layout=fields.get("layout", ""),
        also=fields.get("also", ""),
        moved=fields.get("moved", ""),
    )


def plain(text: str) -> str:
    """Return the text without its inline marks."""
    return BOLD.sub(r"\1", LINK.sub(r"\1", text))


def _block(chunk: str) -> StoryBlock:
    kind = next((kind for opening, kind in OPENINGS.items() if chunk.startswith(opening)), "paragraph")
    return StoryBlock(kind, tuple(_block_lines(kind, chunk.splitlines())))


def _block_lines(kind: str, lines: list[str]) -> list[str]:
    match kind:
        case "list":
            return [LIST_NUMBER.sub("", line) for line in lines]
        case "heading" | "quote":
            return [line.split(" ", 1)[1] for line in lines]
        case "pre":
            return lines[1:-1]
        case _:
            return lines


def cells(row: str) -> list[str]:
    """Return the cells of a table's row `| a | b |`."""
    return [cell.strip() for cell in row.strip("| ").split("|")]


TASK_NAMES = {"zh": "zh-news", "en": "en-stories"}
PATTERNS = {"zh": "/zh/news/{date:%Y/%m%d}/{id}.html", "en": "/en/stories/{date:%Y/%m/%d}/{slug}/"}
STARTS = {"zh": "/zh/news/", "en": "/en/stories/"}
EXAMPLES = {section: truth(section)[3].path for section in TASK_NAMES}  # an ordinary article with paragraphs only
