"""The figure of `article-deviation`: the path down the tree.

At each level the text of the two largest children, and σ of the text of all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...figures import NoFigure, element_name, title_of
from ...figures.sheet import BLUE, INK, ORANGE, PALE, RED, SMALL_SIZE, Sheet, fit, legend
from ...html.tagless_text import BlockTree, build_tree, read_ctext
from ...page import Page
from .extractor import MIN_DIFFERENCE, SHARE, DescentStep, descend, deviation, find_body, text_sizes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Level:
    """An element on the path down. In characters: its `size`, `first` and `second`, the sizes of its two largest
    children (0 for none), and `deviation`, σ of all children's sizes. `children`: how many of them have text.
    """

    name: str
    size: int
    first: int
    second: int
    deviation: float
    children: int


@dataclass(frozen=True, slots=True)
class Descent:
    """The path down the tree, from the document to the body.

    `body`: the element that is the body, of `body_size` characters: the last level or, if `body_is_child`, its largest
    child. `share` (of an element's text) and `min_difference` (characters) are the limits for entering a child.
    """

    method: str
    title: str
    levels: tuple[Level, ...]
    body: str
    body_size: int
    body_is_child: bool
    share: float
    min_difference: int


def read(method: str, page: Page, example: Page | None) -> Descent:
    """Return the path down the tree; the example is not used."""
    ctext = read_ctext(page.html)
    tree = build_tree(ctext)
    sizes = text_sizes(ctext, tree)
    if not sizes[0]:
        raise NoFigure("no running text: only links and fragments")
    steps = list(descend(tree, sizes))
    last = steps[-1]
    body = find_body(tree, sizes)
    return Descent(
        method=method,
        title=title_of(page),
        levels=tuple(_level(tree, sizes, step) for step in steps),
        body=_name(tree, body),
        body_size=sizes[body],
        body_is_child=body != last.element,
        share=SHARE,
        min_difference=MIN_DIFFERENCE,
    )


def _level(tree: BlockTree, sizes: list[int], step: DescentStep) -> Level:
    lengths = [sizes[child] for child in step.texts]
    first, second = [*lengths, 0, 0][:2]
    sigma = deviation(lengths) if lengths else 0.0
    return Level(_name(tree, step.element), sizes[step.element], first, second, sigma, len(lengths))


def _name(tree: BlockTree, element: int) -> str:
    return element_name(tree.tags[element], tree.places[element])


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


def _frame(axes: "Axes", levels: Sequence[Level], first: int) -> None:
    names = [f"{depth}  {fit(level.name, NAME)}" for depth, level in enumerate(levels, first)]
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0, max(level.size for level in levels) * 1.3)
    axes.set_xlabel("characters of text outside links and noise")
    axes.set_ylabel("depth and element")
    legend(axes, 4)


def _remarks(axes: "Axes", levels: Sequence[Level], end: str) -> None:
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
