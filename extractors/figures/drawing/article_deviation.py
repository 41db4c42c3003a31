"""The path down the tree: at each level the text of the two largest children, and σ of all of them."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from ..data.article_deviation import Descent, Level
from .sheet import BLUE, INK, ORANGE, PALE, RED, SMALL_SIZE, Sheet, fit, legend

LEVELS = 24  # levels that are shown
NAME = 20  # columns
BAR = 0.26  # height; levels are 1 apart


def draw(sheet: Sheet, data: Descent) -> None:
    """Draw the path; if it is long, its end."""
    depth = len(data.levels) - 1 + data.body_is_child
    sheet.headline(data.method, f"<{fit(data.body, 40)}> at depth {depth} is the body", _rule(data))
    levels = data.levels[-LEVELS:]
    sheet.grow(2.0 + 0.5 * len(levels))
    [axes] = sheet.panels(1)
    places = np.arange(len(levels))
    rows = (
        ("text of the element", [level.size for level in levels], PALE, -BAR),
        ("its largest child", [level.first for level in levels], BLUE, 0.0),
        ("its second largest", [level.second for level in levels], ORANGE, BAR),
    )
    for label, values, colour, offset in rows:
        axes.barh(places + offset, values, BAR, color=colour, label=label, linewidth=0)
    several = [place for place, level in enumerate(levels) if level.children > 1]
    sigmas = [levels[place].deviation for place in several]
    axes.plot(sigmas, np.array(several) + BAR / 2, "|", color=RED, ms=14, mew=2, label="σ of its children")
    _frame(axes, levels, len(data.levels) - len(levels))
    _remarks(axes, levels, "stop: the child is the body" if data.body_is_child else "stop: this is the body")


def _frame(axes: Axes, levels: Sequence[Level], first: int) -> None:
    names = [f"{depth}  {fit(level.name, NAME)}" for depth, level in enumerate(levels, first)]
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0, max(level.size for level in levels) * 1.3)
    axes.set_xlabel("characters of text outside links and noise")
    axes.set_ylabel("depth and element")
    legend(axes, 4)


def _remarks(axes: Axes, levels: Sequence[Level], end: str) -> None:
    """Write beside each level the share of its largest child, and the decision."""
    for place, level in enumerate(levels):
        last = place == len(levels) - 1
        held = f"{level.first / level.size:.0%} in the largest of {level.children}" if level.children else "no children"
        axes.annotate(
            f"{held}\n{end if last else 'go down'}",
            (level.size, place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL_SIZE,
            color=RED if last else INK,
        )


def _rule(data: Descent) -> str:
    return (
        f"go down while the largest child holds {data.share:.0%} of the text, and is longer than the second "
        f"by {data.min_difference} or by no more than σ"
    )
