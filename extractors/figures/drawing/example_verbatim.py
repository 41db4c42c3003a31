"""FS and BS by characters as the source draws them, both texts in three parts, and the words at the turning points."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..data.example_verbatim import CharacterCurves, Division
from .sheet import (
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

SHOWN = 30  # columns of words on each side of a turning point


def draw(sheet: Sheet, data: CharacterCurves) -> None:
    """Draw the curves."""
    page = data.page
    sheet.grow(5.6)
    sheet.headline(data.method, f"characters {span_of(page.head, page.tail)} of {page.length:,} are the body")
    curve, texts, words = sheet.separate(4, 1.1, 1.5)
    mark_body([curve], page.head, page.tail)
    _curves(curve, data)
    _divisions(texts, data)
    _words(words, data)


def _curves(axes: Axes, data: CharacterCurves) -> None:
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


def _divisions(axes: Axes, data: CharacterCurves) -> None:
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


def _words(axes: Axes, data: CharacterCurves) -> None:
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
