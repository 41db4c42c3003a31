"""The clusters of a page's leaves: a row for each tag path, a mark for each leaf, the body's segment in colour."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from ..data.tag_paths import Cluster, PathClusters
from .sheet import BLUE, GREY, ORANGE, SMALL_SIZE, Sheet, fit, legend, mark_body

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


def _measures(axes: Axes, place: int, *texts: str) -> None:
    """Write the measures of a cluster beside its row."""
    for column, text in zip((1.07, 1.13), texts, strict=True):
        axes.text(
            column, place, text, transform=axes.get_yaxis_transform(), ha="right", va="center", fontsize=SMALL_SIZE
        )


def _row(axes: Axes, data: PathClusters, leaves: Sequence[int], place: int) -> None:
    segment, kept = set(data.segment), set(data.kept)
    colours = [BLUE if leaf in segment else ORANGE if leaf in kept else GREY for leaf in leaves]
    sizes = [LEAST + min(1.0, data.lengths[leaf] / LONG) * (MOST - LEAST) for leaf in leaves]
    axes.scatter(leaves, [place] * len(leaves), s=sizes, c=colours, linewidth=0, zorder=3)


def _frame(axes: Axes, data: PathClusters, names: list[str]) -> None:
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
