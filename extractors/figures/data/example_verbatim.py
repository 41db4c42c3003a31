"""The data for the figure of `example-verbatim`: FS and BS along the page's characters, and both texts in three parts.

Source: 004, its figure 3 (both texts divided into the parts before the body, the body, and the parts after it) and its
figure 4 (the same with their words).
"""

from dataclasses import dataclass

from ...content.assembly import read as read_page
from ...html.paths import PathTrie
from ...methods.example_verbatim import LEVEL, WINDOW, curves, lines_between, page_text
from ...page import Page
from .pages import with_text

WORDS = 40  # characters of the text on each side of a turning point


@dataclass(frozen=True, slots=True)
class Division:
    """A text of `length` characters; its body from `head` up to `tail`, and the words around both places."""

    length: int
    head: int
    tail: int
    at_head: tuple[str, str]
    at_tail: tuple[str, str]


@dataclass(frozen=True, slots=True)
class CharacterCurves:
    """Both curves of a page. `fs[i]`: similarity of the windows that begin `i` characters from the heads of both texts;
    `bs[i]`: of those that end `i` characters from their tails. `window`: characters; `level`: between alike and unlike.
    `kept`: lines of the text.
    """

    method: str
    title: str
    fs: tuple[float, ...]
    bs: tuple[float, ...]
    window: int
    level: float
    page: Division
    example: Division
    kept: tuple[int, ...]


def read(method: str, page: Page, example: Page | None) -> CharacterCurves:
    """Return the curves. Raises `ValueError` without an example."""
    if example is None:
        raise ValueError(f"method {method!r} needs an example page")
    there = page_text(with_text(read_page(example, PathTrie())).lines)
    parsed = with_text(read_page(page, PathTrie()))
    found = curves(there, page_text(parsed.lines))
    after = len(found.text) - found.tail
    return CharacterCurves(
        method=method,
        title=parsed.head.title,
        fs=tuple(found.fs.tolist()),
        bs=tuple(found.bs.tolist()),
        window=WINDOW,
        level=LEVEL,
        page=_divide(found.text, found.head, found.tail),
        example=_divide(there, min(found.head, len(there)), len(there) - after),
        kept=tuple(lines_between(parsed.lines, found.head, found.tail)),
    )


def _divide(text: str, head: int, tail: int) -> Division:
    tail = max(head, tail)
    return Division(len(text), head, tail, _words_at(text, head), _words_at(text, tail))


def _words_at(text: str, place: int) -> tuple[str, str]:
    before, after = text[max(0, place - WORDS) : place], text[place : place + WORDS]
    return before.replace("\n", " / "), after.replace("\n", " / ")
