"""The figure of `example-verbatim`: FS and BS along the page's characters, and both texts in three parts.

Source: 004, its figure 3 (both texts divided into the parts before the body, the body, and the parts after it) and its
figure 4 (the same with their words, here those at the turning points).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...content.assembly import read as read_page
from ...figures import with_text
from ...figures.sheet import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    PALE,
    RED,
    SMALL_SIZE,
    Sheet,
    fit,
    legend,
    mark_body,
    span_of,
    turning_points,
)
from ...html.paths import PathTrie
from ...page import Page
from .verbatim import LEVEL, WINDOW, curves, page_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    """

    method: str
    title: str
    fs: tuple[float, ...]
    bs: tuple[float, ...]
    window: int
    level: float
    page: Division
    example: Division


def read(method: str, page: Page, example: Page) -> CharacterCurves:
    """Return the curves."""
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
    )


def _divide(text: str, head: int, tail: int) -> Division:
    tail = max(head, tail)
    return Division(len(text), head, tail, _words_at(text, head), _words_at(text, tail))


def _words_at(text: str, place: int) -> tuple[str, str]:
    before, after = text[max(0, place - WORDS) : place], text[place : place + WORDS]
    return before.replace("\n", " / "), after.replace("\n", " / ")


SHOWN = 30  # columns of words on each side of a turning point


def draw(sheet: Sheet, data: CharacterCurves) -> None:
    """Draw the curves."""
    page = data.page
    sheet.grow(5.6)
    sheet.headline(data.method, f"characters {span_of(page.head, page.tail)} of {page.length:,} are the body")
    curve, texts, words = sheet.panels(4, 1.1, 1.5, share=False)
    mark_body([curve], page.head, page.tail)
    _curves(curve, data)
    _divisions(texts, data)
    _words(words, data)


def _curves(axes: "Axes", data: CharacterCurves) -> None:
    page = data.page
    axes.plot(np.arange(len(data.fs)), data.fs, color=BLUE, linewidth=1, label="FS, from the heads")
    ends = page.length - np.arange(len(data.bs))
    axes.plot(ends, data.bs, color=ORANGE, linewidth=1, label="BS, from the tails")
    axes.axhline(data.level, color=GREY, linewidth=0.8, linestyle=":")
    axes.set_xlim(0, max(page.length, data.example.length))
    for start, name in ((page.head - data.window / 2, "window"), (page.tail - data.window / 2, None)):
        axes.plot([start, start + data.window], [1.06, 1.06], color=INK, linewidth=3, solid_capstyle="butt", label=name)
    labels = f"head: {page.head:,}", f"tail: {page.tail:,}"
    turning_points(axes, (page.head, page.tail), labels, axes.get_xlim()[1])
    axes.set_ylim(0, 1.3)
    axes.set_yticks([0, 0.5, 1])
    axes.set_ylabel(f"similarity of windows\nof {data.window} characters")
    axes.tick_params(labelbottom=False)
    legend(axes, 3)


def _divisions(axes: "Axes", data: CharacterCurves) -> None:
    rows: tuple[tuple[str, Division], ...] = (("example", data.example), ("page", data.page))
    for place, (_, part) in enumerate(rows):
        height = (1 - place + 0.12, 0.76)
        axes.broken_barh([(0, part.head), (part.tail, part.length - part.tail)], height, color=PALE, linewidth=0)
        axes.broken_barh([(part.head, part.tail - part.head)], height, color=BLUE, linewidth=0)
        if part.tail > part.head:
            middle = (part.head + part.tail) / 2
            axes.text(middle, 1.5 - place, "body", ha="center", va="center", color="white", fontsize=SMALL_SIZE)
    axes.set_ylim(0, 2)
    axes.set_yticks([1.5, 0.5], [name for name, _ in rows])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlim(0, max(data.page.length, data.example.length))
    axes.set_xlabel("character of the text")


def _words(axes: "Axes", data: CharacterCurves) -> None:
    axes.axis("off")
    rows = (
        ("example, head", data.example.at_head),
        ("page, head", data.page.at_head),
        ("example, tail", data.example.at_tail),
        ("page, tail", data.page.at_tail),
    )
    for place, (name, (before, after)) in enumerate(rows):
        height = 0.88 - place * 0.25
        inside = (BLUE, GREY) if name.endswith("tail") else (GREY, BLUE)
        common: dict[str, Any] = {"transform": axes.transAxes, "va": "center", "fontsize": SMALL_SIZE}
        axes.text(0, height, name, color=INK, **common)
        axes.text(0.54, height, fit(before[::-1], SHOWN)[::-1], ha="right", color=inside[0], **common)
        axes.text(0.55, height, "|", ha="center", color=RED, **common)
        axes.text(0.56, height, fit(after, SHOWN), color=inside[1], **common)
