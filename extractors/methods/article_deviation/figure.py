"""The figure of `article-deviation`: the path down the tree.

At each level the text of the two largest children, and σ of the text of all of them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...figures import NoFigure, element_name, title_of
from ...figures.sheet import BLUE, INK, ORANGE, PALE, RED, Sheet, fit, legend, name_rows, note
from ...html.tagless_text import BlockTree, build_tree, read_ctext
from ...page import Page
from .extractor import MIN_DIFFERENCE, SHARE, DescentStep, descend, deviation, text_sizes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Descent(NamedTuple):
    """The path down the tree, from the document to the body; `sizes`: characters of each element."""

    method: str
    title: str
    tree: BlockTree
    sizes: list[int]
    steps: list[DescentStep]


class Level(NamedTuple):
    """An element on the path. In characters: its `size`, and those of its children with text, the longest first."""

    name: str
    size: int
    children: list[int]


def read(method: str, page: Page, example: Page | None) -> Descent:
    """Return the path down the tree; the example is not used."""
    ctext = read_ctext(page.html)
    tree = build_tree(ctext)
    sizes = text_sizes(ctext, tree)
    if not sizes[0]:
        raise NoFigure("no running text: only links and fragments")
    return Descent(method, title_of(page), tree, sizes, list(descend(tree, sizes)))


def _name(tree: BlockTree, element: int) -> str:
    return element_name(tree.tags[element], tree.places[element])


LEVELS = 24  # levels that are shown
NAME = 20  # columns
BAR = 0.26  # height; levels are 1 apart


def draw(sheet: Sheet, data: Descent) -> None:
    """Draw the path; if it is long, its end."""
    last = data.steps[-1]
    is_child, body = last.body != last.element, _name(data.tree, last.body or 0)
    rule = (
        f"go down while the largest child holds {SHARE:.0%} of the text, and is longer than the second "
        f"by {MIN_DIFFERENCE} or by no more than σ"
    )
    sheet.headline(data.method, f"<{fit(body, 40)}> at depth {len(data.steps) - 1 + is_child} is the body", rule)
    levels = [
        Level(_name(data.tree, step.element), data.sizes[step.element], [data.sizes[child] for child in step.texts])
        for step in data.steps[-LEVELS:]
    ]
    sheet.grow(2.0 + 0.5 * len(levels))
    [axes] = sheet.panels(1)
    places = np.arange(len(levels))
    rows = (
        ("text of the element", [level.size for level in levels], PALE, -BAR),
        ("its largest child", [max(level.children, default=0) for level in levels], BLUE, 0.0),
        ("its second largest", [[*level.children, 0, 0][1] for level in levels], ORANGE, BAR),
    )
    for label, values, colour, offset in rows:
        axes.barh(places + offset, values, BAR, color=colour, label=label, linewidth=0)
    several = [place for place, level in enumerate(levels) if len(level.children) > 1]
    sigmas = [deviation(levels[place].children) for place in several]
    axes.plot(sigmas, np.array(several) + BAR / 2, "|", color=RED, ms=14, mew=2, label="σ of its children")
    _frame(axes, levels, len(data.steps) - len(levels))
    _remarks(axes, levels, "stop: the child is the body" if is_child else "stop: this is the body")


def _frame(axes: "Axes", levels: Sequence[Level], first: int) -> None:
    names = [f"{depth}  {fit(level.name, NAME)}" for depth, level in enumerate(levels, first)]
    name_rows(axes, names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0, max(level.size for level in levels) * 1.3)
    axes.set_xlabel("characters of text outside links and noise")
    axes.set_ylabel("depth and element")
    legend(axes, 4)


def _remarks(axes: "Axes", levels: Sequence[Level], end: str) -> None:
    """Write beside each level the share of its largest child, and the decision."""
    for place, level in enumerate(levels):
        last = place == len(levels) - 1
        children = level.children
        held = f"{children[0] / level.size:.0%} in the largest of {len(children)}" if children else "no children"
        said, colour = (end, RED) if last else ("go down", INK)
        note(axes, f"{held}\n{said}", (level.size, place), (6, 0), va="center", color=colour)
