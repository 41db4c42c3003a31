"""The figure of `tag-paths`: the leaves of a page by tag path, and the body's cluster.

A row for each tag path, a mark for each leaf, the body's segment in colour.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...figures import NoFigure, element_name, title_of
from ...figures.sheet import BLUE, GREY, ORANGE, SMALL_SIZE, Sheet, fit, legend, mark_body, name_rows
from ...html.tagless_text import BlockTree, build_tree, read_ctext
from ...page import Page
from .extractor import (
    Leaf,
    Leaves,
    TagPaths,
    Thresholds,
    body_leaves,
    body_segment,
    cluster,
    length,
    longest,
    noise,
    read_outline,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PathClusters(NamedTuple):
    """The leaves of a page, the clusters in the order of their first leaves, the body's and the leaves of the text."""

    method: str
    title: str
    tree: BlockTree
    leaves: list[Leaf]
    clusters: list[Leaves]
    segment: Leaves
    kept: Leaves
    thresholds: Thresholds


def read(method: str, page: Page, example: Page | None) -> PathClusters:
    """Return the clusters; an example can lower the thresholds."""
    ctext = read_ctext(page.html)
    outline = read_outline(ctext)
    leaves = outline.leaves
    if not leaves:
        raise NoFigure("no text")
    thresholds = TagPaths(example).thresholds(leaves)
    segment, kept = body_segment(leaves, thresholds) or longest(leaves), body_leaves(outline, thresholds)
    return PathClusters(method, title_of(page), build_tree(ctext), leaves, cluster(leaves), segment, kept, thresholds)


def _name(tree: BlockTree, element: int) -> str:
    """Return the names of an element and of those around it, up to the first with a class or an id."""
    names = []
    while element:
        names.append(element_name(tree.tags[element], tree.places[element]))
        if tree.places[element]:
            break
        element = tree.parents[element]
    return " > ".join(reversed(names)) or element_name("")


ROWS = 12  # clusters with a row of their own, the longest; the others share one
NAME = 26  # columns
LEAST, MOST, LONG = 10, 90, 200  # area of a leaf's mark, points²; half-width characters from which it is the largest


def draw(sheet: Sheet, data: PathClusters) -> None:
    """Draw the clusters."""
    leaves, segment = data.leaves, set(data.segment)
    noun = "leaf is" if len(leaves) == 1 else "leaves are"
    sheet.headline(data.method, f"{len(data.kept)} of {len(leaves)} {noun} the text")
    ranked = sorted(data.clusters, key=lambda one: (segment.isdisjoint(one), -length(leaves, one)))
    shown, rest = sorted(ranked[:ROWS]), [leaf for one in ranked[ROWS:] for leaf in one]
    sheet.grow(2.2 + 0.24 * (len(shown) + bool(rest)))
    [axes] = sheet.panels(1)
    if data.segment:
        mark_body([axes], data.segment[0] - 0.5, data.segment[-1] + 0.5)
    _measures(axes, -1, "length", "Cn")
    for place, one in enumerate(shown):
        _row(axes, data, one, place)
        links = noise(leaves, one)
        _measures(axes, place, f"{length(leaves, one):,}", f"{links:.1f}" if links < 10 else f"{links:.0f}")
    _row(axes, data, rest, len(shown))
    names = [_name(data.tree, data.tree.of_line[leaves[one[0]].line]) for one in shown]
    others = [f"{len(ranked) - len(shown)} other paths"] if rest else []
    _frame(axes, data, [fit(name[::-1], NAME)[::-1] for name in names] + others)


def _measures(axes: "Axes", place: int, *texts: str) -> None:
    """Write the measures of a cluster beside its row."""
    for column, text in zip((1.07, 1.13), texts, strict=True):
        axes.text(
            column, place, text, transform=axes.get_yaxis_transform(), ha="right", va="center", fontsize=SMALL_SIZE
        )


def _row(axes: "Axes", data: PathClusters, leaves: Sequence[int], place: int) -> None:
    segment, kept = set(data.segment), set(data.kept)
    colours = [BLUE if leaf in segment else ORANGE if leaf in kept else GREY for leaf in leaves]
    sizes = [LEAST + min(1.0, data.leaves[leaf].strings / LONG) * (MOST - LEAST) for leaf in leaves]
    axes.scatter(leaves, [place] * len(leaves), s=sizes, c=colours, linewidth=0, zorder=3)


def _frame(axes: "Axes", data: PathClusters, names: list[str]) -> None:
    for colour, label in ((BLUE, "the body's cluster"), (ORANGE, "also kept, with its group"), (GREY, "other leaf")):
        axes.scatter([], [], s=40, color=colour, linewidth=0, label=label)
    legend(axes, 3, left=True)
    name_rows(axes, names)
    axes.set_ylim(len(names) - 0.5, -0.6)
    room = 1 + len(data.leaves) / 60  # leaves: half of the largest mark
    axes.set_xlim(-room, len(data.leaves) - 1 + room)
    bounds = f"length > {data.thresholds.length:,.0f}, Cn > {data.thresholds.noise:.2g}"
    axes.set_xlabel(f"leaf of the page; its area grows with its text.  A body has {bounds}")
