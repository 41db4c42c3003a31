"""The figure of `tag-paths`: the leaves of a page by tag path, and the body's cluster.

A row for each tag path, a mark for each leaf, the body's segment in colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...figures import NoFigure, element_name, title_of
from ...figures.sheet import BLUE, GREY, ORANGE, SMALL_SIZE, Sheet, fit, legend, mark_body
from ...html.tagless_text import BlockTree, build_tree, read_ctext
from ...page import Page
from .clusters import Leaf, Leaves, body_segment, cluster, length, longest, noise, read_outline
from .extractor import TagPaths, body_leaves

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Cluster:
    """The leaves of one tag path, by number. `name`: the ends of the path.

    `length`: half-width characters outside links; `noise`: Cn.
    """

    name: str
    leaves: tuple[int, ...]
    length: int
    noise: float


@dataclass(frozen=True, slots=True)
class PathClusters:
    """The clusters of a page in the order of their first leaves. `lengths`: half-width characters of each leaf outside
    links. `segment`: leaves of the cluster, or of its piece, that is the body's; `kept`: leaves of the text.
    `length_threshold` and `noise_threshold`: the values that a body exceeds.
    """

    method: str
    title: str
    clusters: tuple[Cluster, ...]
    lengths: tuple[int, ...]
    segment: tuple[int, ...]
    kept: tuple[int, ...]
    length_threshold: float
    noise_threshold: float


def read(method: str, page: Page, example: Page | None) -> PathClusters:
    """Return the clusters; an example can lower the thresholds."""
    ctext = read_ctext(page.html)
    outline = read_outline(ctext)
    leaves = outline.leaves
    if not leaves:
        raise NoFigure("no text")
    tree, thresholds = build_tree(ctext), TagPaths(example).thresholds(leaves)
    segment = body_segment(leaves, thresholds) or longest(leaves)
    return PathClusters(
        method=method,
        title=title_of(page),
        clusters=tuple(_measured(leaves, found, tree) for found in cluster(leaves)),
        lengths=tuple(leaf.strings for leaf in leaves),
        segment=tuple(segment),
        kept=tuple(body_leaves(outline, thresholds)),
        length_threshold=thresholds.length,
        noise_threshold=thresholds.noise,
    )


def _measured(leaves: list[Leaf], found: Leaves, tree: BlockTree) -> Cluster:
    name = _name(tree, tree.of_line[leaves[found[0]].line])
    return Cluster(name, tuple(found), length(leaves, found), noise(leaves, found))


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
    noun = "leaf is" if len(data.lengths) == 1 else "leaves are"
    sheet.headline(data.method, f"{len(data.kept)} of {len(data.lengths)} {noun} the text")
    longest = sorted(data.clusters, key=lambda one: (not _holds_segment(data, one), -one.length))[:ROWS]
    shown = [one for one in data.clusters if one in longest]
    rest = [leaf for one in data.clusters if one not in longest for leaf in one.leaves]
    sheet.grow(2.2 + 0.24 * (len(shown) + bool(rest)))
    [axes] = sheet.panels(1)
    if data.segment:
        mark_body([axes], data.segment[0] - 0.5, data.segment[-1] + 0.5)
    _measures(axes, -1, "length", "Cn")
    for place, one in enumerate(shown):
        _row(axes, data, one.leaves, place)
        _measures(axes, place, f"{one.length:,}", _noise(one))
    _row(axes, data, rest, len(shown))
    others = [f"{len(data.clusters) - len(shown)} other paths"] if rest else []
    _frame(axes, data, [fit(one.name[::-1], NAME)[::-1] for one in shown] + others)


def _measures(axes: "Axes", place: int, *texts: str) -> None:
    """Write the measures of a cluster beside its row."""
    for column, text in zip((1.07, 1.13), texts, strict=True):
        axes.text(
            column, place, text, transform=axes.get_yaxis_transform(), ha="right", va="center", fontsize=SMALL_SIZE
        )


def _row(axes: "Axes", data: PathClusters, leaves: Sequence[int], place: int) -> None:
    segment, kept = set(data.segment), set(data.kept)
    colours = [BLUE if leaf in segment else ORANGE if leaf in kept else GREY for leaf in leaves]
    sizes = [LEAST + min(1.0, data.lengths[leaf] / LONG) * (MOST - LEAST) for leaf in leaves]
    axes.scatter(leaves, [place] * len(leaves), s=sizes, c=colours, linewidth=0, zorder=3)


def _frame(axes: "Axes", data: PathClusters, names: list[str]) -> None:
    for colour, label in ((BLUE, "the body's cluster"), (ORANGE, "also kept, with its group"), (GREY, "other leaf")):
        axes.scatter([], [], s=40, color=colour, linewidth=0, label=label)
    legend(axes, 3, left=True)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.6)
    room = 1 + len(data.lengths) / 60  # leaves: half of the largest mark
    axes.set_xlim(-room, len(data.lengths) - 1 + room)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    bounds = f"length > {data.length_threshold:,.0f}, Cn > {data.noise_threshold:.2g}"
    axes.set_xlabel(f"leaf of the page; its area grows with its text.  A body has {bounds}")


def _holds_segment(data: PathClusters, one: Cluster) -> bool:
    return not set(data.segment).isdisjoint(one.leaves)


def _noise(one: Cluster) -> str:
    return f"{one.noise:.1f}" if one.noise < 10 else f"{one.noise:.0f}"
