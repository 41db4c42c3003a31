"""The figure of `example-verbatim`: FS and BS along the page's characters, and both texts in three parts.

Source: 004, its figure 3 (both texts divided into the parts before the body, the body, and the parts after it) and its
figure 4 (the same with their words, here those at the turning points).
"""

from typing import TYPE_CHECKING, Any, NamedTuple

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
    name_rows,
    span_of,
    turning_points,
)
from ...html.paths import PathTrie
from ...page import Page
from .verbatim import LEVEL, WINDOW, Curves, curves, page_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORDS = 40  # characters of the text on each side of a turning point


class Division(NamedTuple):
    """A text, and its body from `head` up to `tail`."""

    text: str
    head: int
    tail: int


class CharacterCurves(NamedTuple):
    """Both curves of a page, and both texts in three parts."""

    method: str
    title: str
    curves: Curves
    page: Division
    example: Division


def read(method: str, page: Page, example: Page) -> CharacterCurves:
    """Return the curves."""
    there = page_text(with_text(read_page(example, PathTrie())).lines)
    parsed = with_text(read_page(page, PathTrie()))
    found = curves(there, page_text(parsed.lines))
    head = min(found.head, len(there))
    tail = max(head, len(there) - len(found.text) + found.tail)
    division = Division(found.text, found.head, found.tail)
    return CharacterCurves(method, parsed.head.title, found, division, Division(there, head, tail))


SHOWN = 30  # columns of words on each side of a turning point


def draw(sheet: Sheet, data: CharacterCurves) -> None:
    """Draw the curves."""
    page = data.page
    sheet.grow(5.6)
    sheet.headline(data.method, f"characters {span_of(page.head, page.tail)} of {len(page.text):,} are the body")
    curve, texts, words = sheet.panels(4, 1.1, 1.5, share=False)
    mark_body([curve], page.head, page.tail)
    _curves(curve, data)
    _divisions(texts, data)
    _words(words, data)


def _curves(axes: "Axes", data: CharacterCurves) -> None:
    page = data.page
    axes.plot(np.arange(len(data.curves.fs)), data.curves.fs, color=BLUE, linewidth=1, label="FS, from the heads")
    ends = len(page.text) - np.arange(len(data.curves.bs))
    axes.plot(ends, data.curves.bs, color=ORANGE, linewidth=1, label="BS, from the tails")
    axes.axhline(LEVEL, color=GREY, linewidth=0.8, linestyle=":")
    axes.set_xlim(0, max(len(page.text), len(data.example.text)))
    for start, name in ((page.head - WINDOW / 2, "window"), (page.tail - WINDOW / 2, None)):
        axes.plot([start, start + WINDOW], [1.06, 1.06], color=INK, linewidth=3, solid_capstyle="butt", label=name)
    labels = f"head: {page.head:,}", f"tail: {page.tail:,}"
    turning_points(axes, (page.head, page.tail), labels, axes.get_xlim()[1])
    axes.set_ylim(0, 1.3)
    axes.set_yticks([0, 0.5, 1])
    axes.set_ylabel(f"similarity of windows\nof {WINDOW} characters")
    axes.tick_params(labelbottom=False)
    legend(axes, 3)


def _divisions(axes: "Axes", data: CharacterCurves) -> None:
    for place, (_, part) in enumerate(_parts(data)):
        height = (1 - place + 0.12, 0.76)
        axes.broken_barh([(0, part.head), (part.tail, len(part.text) - part.tail)], height, color=PALE, linewidth=0)
        axes.broken_barh([(part.head, part.tail - part.head)], height, color=BLUE, linewidth=0)
        if part.tail > part.head:
            middle = (part.head + part.tail) / 2
            axes.text(middle, 1.5 - place, "body", ha="center", va="center", color="white", fontsize=SMALL_SIZE)
    axes.set_ylim(0, 2)
    name_rows(axes, [name for name, _ in _parts(data)], [1.5, 0.5])
    axes.set_xlim(0, max(len(data.page.text), len(data.example.text)))
    axes.set_xlabel("character of the text")


def _words(axes: "Axes", data: CharacterCurves) -> None:
    axes.axis("off")
    rows = [(f"{name}, {end}", part, end) for end in ("head", "tail") for name, part in _parts(data)]
    for number, (name, part, end) in enumerate(rows):
        height, place = 0.88 - number * 0.25, part.head if end == "head" else part.tail
        before, after = part.text[max(0, place - WORDS) : place], part.text[place : place + WORDS]
        inside = (GREY, BLUE) if end == "head" else (BLUE, GREY)
        common: dict[str, Any] = {"transform": axes.transAxes, "va": "center", "fontsize": SMALL_SIZE}
        axes.text(0, height, name, color=INK, **common)
        shown = fit(before.replace("\n", " / ")[::-1], SHOWN)[::-1]
        axes.text(0.54, height, shown, ha="right", color=inside[0], **common)
        axes.text(0.55, height, "|", ha="center", color=RED, **common)
        axes.text(0.56, height, fit(after.replace("\n", " / "), SHOWN), color=inside[1], **common)


def _parts(data: CharacterCurves) -> tuple[tuple[str, Division], ...]:
    return ("example", data.example), ("page", data.page)
