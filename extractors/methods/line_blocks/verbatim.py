"""Method `line-blocks-verbatim`: the line-block distribution exactly as in its source, for the curve that it draws.

Source: 001; definitions and conditions in `extractor`. Ctext is made as in the author's published code: doctype,
comments, scripts and styles are removed with their content, character references become a space, tags are removed; a
page's lines are those of its file. Ours is that brackets in attribute values end no tag (`tagless_text`). The threshold
(86 characters) is from that code, too, and so is the interpretation of condition 2: at least one of the K blocks after
the rise is not empty. (If none may be empty, as in the document, each paragraph that stands alone is lost.) If there
are several ranges, condition 4 selects the one with the largest block.

The method works on pages in the style of 2009, with one paragraph a line. In minified pages the whole text is one line,
and if paragraphs span several lines with blank ones between them, the body ends too early.
"""

import re
from dataclasses import dataclass

import numpy as np

from ...article import Article, NoArticle
from ...content.assembly import BodyLines
from ...content.body_fragment import LINES_BEFORE, assemble_verbatim, paragraph
from ...expressions import closed, without
from ...html.tagless_text import Ints, escape_values
from ...page import Page
from .extractor import BLOCK_WIDTH, block_sizes

METHOD = "line-blocks-verbatim"
THRESHOLD = 86  # characters, from the author's published code
CONFIDENCE = 0.61  # share of pages with F1 ≥ .9, mean of the development sets

_DROPPED = (
    closed("<!doctype", ">"),
    closed("<!--", "-->"),
    closed("<script", "</script>"),
    closed("<style", "</style>"),
)
_REFERENCE = re.compile(r"&#?.{2,5};")
_TAG = re.compile(r"<[^<>]*+>")


@dataclass(frozen=True, slots=True)
class Distribution:
    """The lines of Ctext, Y by line, and the body, `lines[start:end]`; both 0 if there is none."""

    lines: list[str]
    sizes: Ints
    start: int
    end: int


def extract(page: Page) -> Article | NoArticle:
    """Return the article of `page`."""
    found = distribution(page.html)
    if not found.end:
        return NoArticle(f"no block of more than {THRESHOLD} characters that could begin a body", page.url)
    texts = [" ".join(line.split()) for line in found.lines[: found.end]]
    before, body = list(filter(None, texts[: found.start])), filter(None, texts[found.start :])
    how = BodyLines([], 0, METHOD, CONFIDENCE, f"blocks {found.start} to {found.end} of {len(found.sizes)}")
    return assemble_verbatim(page, before[-LINES_BEFORE:], "".join(map(paragraph, body)), how)


def distribution(source: str) -> Distribution:
    """Return the line-block distribution of a page's source, with the body."""
    lines = strip_tags(source).split("\n")
    lengths = np.array([len("".join(line.split())) for line in lines], np.int64)
    sizes = block_sizes(lengths)[: max(0, len(lines) - BLOCK_WIDTH)]
    start, end = find_body(sizes)
    # Without a fall the body runs to the page's end, which the last K lines are: they begin no block.
    return Distribution(lines, sizes, start, len(lines) if end and end == len(sizes) else end)


def strip_tags(source: str) -> str:
    """Return Ctext: the page without tags, its white space unchanged."""
    return _TAG.sub("", _REFERENCE.sub(" ", without(escape_values(source), _DROPPED)))


def find_body(sizes: Ints) -> tuple[int, int]:
    """Return the range of blocks that fulfils conditions 1 to 4; (0, 0) if none does."""
    largest = int(sizes.argmax()) if len(sizes) else 0
    start = 0
    while (rise := next_rise(sizes, start)) is not None:
        end = next_fall(sizes, rise)
        if rise <= largest < end:
            return rise, end
        start = end
    return 0, 0


def next_rise(sizes: Ints, start: int) -> int | None:
    """Return the first block from `start` on that is above the threshold and is followed by text within K blocks."""
    for block in range(start, len(sizes)):
        if sizes[block] > THRESHOLD and sizes[block + 1 : block + 1 + BLOCK_WIDTH].any():
            return block
    return None


def next_fall(sizes: Ints, start: int) -> int:
    """Return the first empty block from `start` on that is followed by an empty one; else the number of blocks."""
    for block in range(start, len(sizes)):
        if not sizes[block : block + 2].any():
            return block
    return len(sizes)
