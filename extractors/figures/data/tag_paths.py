"""The data for the figure of `tag-paths`: the leaves of a page by tag path, and the body's cluster."""

from dataclasses import dataclass

from ...html.block_tree import BlockTree, build_tree
from ...html.tagless_text import read_ctext
from ...methods.tag_paths.clusters import Leaf, Leaves, cluster, length, noise, period, read_outline, variance
from ...methods.tag_paths.extractor import TagPaths, body_leaves
from ...methods.tag_paths.segment import body_segment, longest
from ...page import Page
from ..errors import NoFigure
from .pages import element_name, title_of


@dataclass(frozen=True, slots=True)
class Cluster:
    """The leaves of one tag path, by number. `name`: the ends of the path.

    `length`: half-width characters outside links; `noise`: Cn; `period`: ΔT; `variance`: σ², both in leaves.
    """

    name: str
    leaves: tuple[int, ...]
    length: int
    noise: float
    period: float
    variance: float


@dataclass(frozen=True, slots=True)
class PathClusters:
    """The clusters of a page in the order of their first leaves. `lengths`: half-width characters of each leaf outside
    links. `segment`: leaves of the cluster, or of its piece, that is the body's; `kept`: leaves of the text.
    `is_like_body`: whether the segment fulfils the source's conditions; else it is the longest cluster.
    `length_threshold` and `noise_threshold`: the values that a body exceeds.
    """

    method: str
    title: str
    clusters: tuple[Cluster, ...]
    lengths: tuple[int, ...]
    segment: tuple[int, ...]
    kept: tuple[int, ...]
    is_like_body: bool
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
    body = body_segment(leaves, thresholds)
    segment = body or longest(leaves)
    return PathClusters(
        method=method,
        title=title_of(page),
        clusters=tuple(_measured(leaves, found, tree) for found in cluster(leaves)),
        lengths=tuple(leaf.strings for leaf in leaves),
        segment=tuple(segment),
        kept=tuple(body_leaves(outline, thresholds)),
        is_like_body=bool(body),
        length_threshold=thresholds.length,
        noise_threshold=thresholds.noise,
    )


def _measured(leaves: list[Leaf], found: Leaves, tree: BlockTree) -> Cluster:
    return Cluster(
        _name(tree, tree.of_line[leaves[found[0]].line]),
        tuple(found),
        length(leaves, found),
        noise(leaves, found),
        period(found),
        variance(found),
    )


def _name(tree: BlockTree, element: int) -> str:
    """Return the names of an element and of those around it, up to the first with a class or an id."""
    names = []
    while element:
        names.append(element_name(tree.tags[element], tree.places[element]))
        if tree.places[element]:
            break
        element = tree.parents[element]
    return " > ".join(reversed(names)) or element_name("")
