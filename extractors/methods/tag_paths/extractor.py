"""Method `tag-paths`: clusters leaves with equal tag paths; the body is around the first cluster that looks like one.

Source: 002 (Liu Yunfeng, "Text extraction by clustering tag paths"). The leaves of a page are numbered in document
order, and those with the same path are a cluster (`cluster`) x₁ < x₂ < … < xₙ. With the spans Δⱼ = xⱼ₊₁ − xⱼ,

    ΔT = mean of the spans              σ² = their variance              θⱼ = Δⱼ₊₁ / Δⱼ
    Cn = Nstring / (Nlink + Nstring) · NODEnohref / (NODEhref + 1)

where N counts characters outside and inside links (2 for one above 255) and NODE the nodes without and with a link.
Clusters are examined in order (`body_segment`). One whose σ² is too large is split where θ ∉ [0.85, 2], and its
pieces are sorted in. The first of the others with

    size > MAXSIZE, length > Length_Threshold, Cn > Cn_Threshold, ΔT > PreSpan

bounds the body's segment. Its text is grouped by the tag path of the enclosing table or div; groups that reach the
Frequency_Threshold are the text (`frequent`). The thresholds are learned from sample pages (here):

    Length_Threshold, Cn_Threshold = the middle centre of k-means over the clusters' lengths and Cn
    Frequency_Threshold            = the mean of the groups' frequencies
    M samples: the minimum of each

Samples are the example page, the pages given to `learn`, and each page itself (`page_thresholds`); so the method works
without an example, and an unusually long example does not raise the thresholds for all short pages.

Where we depart (method `tag-paths-verbatim`, in `tag_paths_verbatim`, does not), and what the source leaves open:

- Leaves are text lines instead of text nodes, so that words in bold do not leave their paragraph; paths are those of
  block elements with class and id (`build_tree`).
- The source gives no value for the variance's threshold, MAXSIZE, PreSpan and the number of clusters of k-means: ours
  were chosen on the development pages. With two clusters, the middle centre is the upper one: the lower one belongs to
  noise.
- A single page is not a typical sample: if the paragraphs of its body have several paths, the thresholds by k-means on
  its own clusters are too high. Its Length_Threshold is a share of its longest cluster, its Cn_Threshold a constant.
- A body is more than one cluster: the segment is extended to the table or div that encloses it, and from there outwards
  as long as the added text is similar to the text inside (`region`).
- A group's frequency is the length of its text, and its threshold a share of the mean. The source counts how often a
  table or div begins; then a body in a single div has less than the mean and is dropped.
- If no cluster has the marks of a body, the one with most text outside links is used, if it is prose: a page with text
  gives text.
- The source reports no figures.

A cluster is represented by the ascending numbers of its leaves. From its measures follows whether it is the body's
segment, and from the segment the leaves of the text.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from heapq import heappop, heappush
from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...article import Article, NoArticle
from ...content.assembly import BodyLines
from ...content.body_fragment import assemble_source, no_body, texts_before
from ...html.tagless_text import BlockTree, Ctext, build_tree, read_ctext
from ...page import Page

METHOD = "tag-paths"
ROUNDS = 50  # of k-means at most; it ends when nothing moves
CONFIDENCE = 0.91  # share of pages with F1 ≥ .9, mean of the development sets
SPLIT_BELOW, SPLIT_ABOVE = 0.85, 2.0  # θ, the source's
CONTAINERS = frozenset({"div", "table", "article", "section", "main"})  # the last three replace div on later pages

# U+FFFD, control characters and private ones, and what U+FFFD becomes when it is decoded as GBK or Latin-1.
_GARBLED = re.compile("[\ufffd\x80-\x9f\ue000-\uf8ff]+|(?:锟斤拷)+|ï¿½")

Leaves = list[int]

# Chosen by mean F1 over the development sets, or, where values give the same (LENGTH_SHARE, ALIKE), over the perturbed
# ones; `python -m evaluation.reproduction.constants` prints the result on each set with the values best on the
# others.
NOISE = 0.3  # Cn, not in percent
LENGTH_SHARE = 0.35  # share of the page's longest cluster, which is the page's own Length_Threshold
ALIKE = 0.5  # characters per leaf around a body's div, as a share of those within, from which they belong to the body
FREQUENCY_SHARE = 0.1  # share of the groups' mean, which is the page's own Frequency_Threshold


class OpenConstants(NamedTuple):
    """The constants without a value in the source: the σ² above which a cluster is split, in leaves squared; MAXSIZE
    and PreSpan, in leaves, which a body exceeds; the number of clusters of k-means.
    """

    variance: float = 1000.0
    max_size: int = 1
    pre_span: float = 0.5  # every ΔT is above it
    centres: int = 2


SETTINGS = OpenConstants()


class Leaf(NamedTuple):
    """A text line. `path`: equal for equal tag paths; `strings` and `links`: half-width characters; `hrefs`: links."""

    line: int
    path: int
    container: int  # path of the enclosing table or div
    strings: int
    links: int
    hrefs: int
    box: int = 0  # the enclosing table or div itself: its number in the outline


class LeafOutline(NamedTuple):
    """The leaves of a page and its tables and divs: the container of each, its first leaf, and the one after its last.

    Number 0 is the document.
    """

    leaves: list[Leaf]
    parents: list[int]
    starts: list[int]
    ends: list[int]


def without_garbled(source: str) -> str:
    """Return a page's source without garbled characters (乱码), the source's third rule."""
    return source if source.isascii() else _GARBLED.sub("", source)


def read_outline(ctext: Ctext) -> LeafOutline:
    """Return the lines with text, in document order, and the tables and divs around them."""
    tree = build_tree(ctext)
    paths = _paths(tree)
    containers = _containers(tree)
    elements = sorted(set(containers))
    numbers = {element: number for number, element in enumerate(elements)}
    strings, links, hrefs = ctext.widths.tolist(), ctext.linked.tolist(), ctext.links
    leaves = []
    for line, text in enumerate(ctext.bare):
        if text:
            element = tree.of_line[line]
            box = containers[element]
            leaves.append(Leaf(line, paths[element], paths[box], strings[line], links[line], hrefs[line], numbers[box]))
    lines = [leaf.line for leaf in leaves]
    return LeafOutline(
        leaves,
        [numbers[containers[tree.parents[element]]] for element in elements],
        [bisect_left(lines, tree.starts[element]) for element in elements],
        [bisect_left(lines, tree.ends[element]) for element in elements],
    )


def cluster(leaves: list[Leaf]) -> list[Leaves]:
    """Return the numbers of the leaves by path, in the order of their first ones."""
    clusters: dict[int, Leaves] = {}
    for number, leaf in enumerate(leaves):
        clusters.setdefault(leaf.path, []).append(number)
    return list(clusters.values())


def period(found: Leaves) -> float:
    """Return ΔT; 0 for a single leaf."""
    return (found[-1] - found[0]) / (len(found) - 1) if len(found) > 1 else 0.0


def variance(found: Leaves) -> float:
    """Return σ²; 0 for fewer than two spans."""
    return float(np.diff(found).var()) if len(found) > 2 else 0.0


def split(found: Leaves) -> list[Leaves]:
    """Return the pieces of a cluster between its split points: the gaps, the longer of two spans with θ ∉ [0.85, 2]."""
    places = {0, len(found)}
    for place, (before, last, leaf) in enumerate(zip(found, found[1:], found[2:], strict=False), 1):
        ratio = (leaf - last) / (last - before)
        if not SPLIT_BELOW <= ratio <= SPLIT_ABOVE:
            places.add(place + (ratio > 1))
    return [found[start:end] for start, end in pairwise(sorted(places))]


def length(leaves: list[Leaf], found: Sequence[int]) -> int:
    """Return the half-width characters of a cluster outside links."""
    return sum(leaves[number].strings for number in found)


def noise(leaves: list[Leaf], found: Sequence[int]) -> float:
    """Return Cn as a fraction, not in percent: small for lists of links."""
    strings, links = length(leaves, found), sum(leaves[number].links for number in found)
    with_link = sum(leaves[number].hrefs for number in found)
    without_link = sum(leaf.strings > 0 or not (leaf.links or leaf.hrefs) for leaf in map(leaves.__getitem__, found))
    return strings / max(1, links + strings) * without_link / (with_link + 1)


def _paths(tree: BlockTree) -> list[int]:
    """Return a number for the tag path of each element, equal for equal paths."""
    known: dict[tuple[int, str, str], int] = {}
    paths = [0]
    for parent, tag, place in zip(tree.parents[1:], tree.tags[1:], tree.places[1:], strict=True):
        paths.append(known.setdefault((paths[parent], tag, place), len(known) + 1))
    return paths


def _containers(tree: BlockTree) -> list[int]:
    """Return the innermost table or div at or above each element; 0 for none."""
    found = [0]
    for element, tag in enumerate(tree.tags[1:], 1):
        found.append(element if tag in CONTAINERS else found[tree.parents[element]])
    return found


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Lower limits for a body: `length` in half-width characters, `noise` as Cn; and the `frequency` of its groups.

    A group's frequency is the length of its text, in half-width characters.
    """

    length: float
    noise: float
    frequency: float


def page_thresholds(leaves: list[Leaf], least: float = NOISE, share: float = LENGTH_SHARE) -> Thresholds:
    """Return the thresholds by the page itself: `length` is a share of its longest cluster that may be a body."""
    free = Thresholds(0, least, inf)
    longest = max((length(leaves, found) for found in cluster(leaves) if is_body(leaves, found, free)), default=0)
    return Thresholds(share * longest, least, inf)


def body_segment(leaves: list[Leaf], thresholds: Thresholds, settings: OpenConstants = SETTINGS) -> Leaves:
    """Return the leaves of the first cluster with the marks of a body, or none."""
    waiting = cluster(leaves)  # a heap, since it is sorted: the first is the one whose first leaf is first
    while waiting:
        found = heappop(waiting)
        if variance(found) > settings.variance and len(pieces := split(found)) > 1:
            for piece in pieces:
                heappush(waiting, piece)
        elif is_body(leaves, found, thresholds, settings):
            return found
    return []


def is_body(leaves: list[Leaf], found: Leaves, thresholds: Thresholds, settings: OpenConstants = SETTINGS) -> bool:
    """Whether a cluster fulfils the source's four conditions."""
    return (
        len(found) > settings.max_size
        and length(leaves, found) > thresholds.length
        and noise(leaves, found) > thresholds.noise
        and period(found) > settings.pre_span
    )


def longest(leaves: list[Leaf]) -> Leaves:
    """Return the cluster with most text outside links, if that is more than its text inside links."""
    found = max(cluster(leaves), key=lambda one: length(leaves, one), default=[])
    return found if 2 * length(leaves, found) > sum(leaves[n].strings + leaves[n].links for n in found) else []


def region(outline: LeafOutline, segment: Leaves, least: float = NOISE, alike: float = ALIKE) -> range:
    """Return the leaves of the innermost table or div around a segment, and of those around that if they are similar.

    The text around a table or div is similar if its Cn is above `least`, and its leaves have at least the share `alike`
    of the characters inside.
    """
    leaves, parents, starts, ends = outline
    box = leaves[segment[0]].box
    while box and ends[box] <= segment[-1]:
        box = parents[box]
    if not box:
        return range(segment[0], segment[-1] + 1)
    within = length(leaves, range(starts[box], ends[box]))
    while outer := parents[box]:
        around = [*range(starts[outer], starts[box]), *range(ends[box], ends[outer])]
        size = length(leaves, around)
        if around and (
            noise(leaves, around) <= least or size / len(around) < alike * within / (ends[box] - starts[box])
        ):
            break
        box, within = outer, within + size
    return range(starts[box], ends[box])


def groups(leaves: list[Leaf], found: Sequence[int]) -> list[Leaves]:
    """Return leaves by the path of the enclosing table or div."""
    by_path: dict[int, Leaves] = {}
    for number in found:
        by_path.setdefault(leaves[number].container, []).append(number)
    return list(by_path.values())


def mean_frequency(leaves: list[Leaf], found: Sequence[int]) -> float:
    """Return the mean frequency of the groups."""
    return length(leaves, found) / max(1, len(groups(leaves, found)))


def frequent(leaves: list[Leaf], found: Sequence[int], threshold: float) -> Leaves:
    """Return the leaves of the groups that are frequent enough, in document order."""
    kept = (group for group in groups(leaves, found) if length(leaves, group) >= threshold)
    return sorted(number for group in kept for number in group)


class TagPaths:
    """Keeps thresholds, which sample pages lower."""

    def __init__(self, example: Page | None) -> None:
        self._samples: list[Thresholds] = []
        if example is not None:
            self.learn(example)

    def thresholds(self, leaves: list[Leaf]) -> Thresholds:
        """Return the lowest of the samples' and the page's own."""
        return lowest([page_thresholds(leaves), *self._samples])

    def learn(self, page: Page, *, former: bool = False) -> None:
        """Add a page of the section as a sample, unless it is of a former template."""
        if not former and (learned := self.learned_from(page)) is not None:
            self._samples.append(learned)

    def learned_from(self, page: Page) -> Thresholds | None:
        """Return the thresholds of a sample page; None if it has too few clusters."""
        return learn_thresholds(read_outline(read_ctext(without_garbled(page.html))).leaves)

    def extract(self, page: Page) -> Article | NoArticle:
        """Return the article of `page`. Raises `UnusablePage` if nothing can be read from it."""
        page = replace(page, html=without_garbled(page.html))
        ctext = read_ctext(page.html)
        outline = read_outline(ctext)
        kept = body_leaves(outline, self.thresholds(outline.leaves))
        reason = f"{len(kept)} lines around one tag path, {len(self._samples)} sample pages"
        return assemble_leaves(page, ctext, outline, kept, BodyLines([], 0, METHOD, CONFIDENCE, reason))


def body_leaves(
    outline: LeafOutline,
    thresholds: Thresholds,
    share: float = FREQUENCY_SHARE,
    alike: float = ALIKE,
    settings: OpenConstants = SETTINGS,
) -> Leaves:
    """Return the leaves of the body. `share`: of the groups' mean frequency; `alike`: see `region`."""
    leaves = outline.leaves
    segment = body_segment(leaves, thresholds, settings) or longest(leaves)
    if not segment:
        return []
    found = region(outline, segment, thresholds.noise, alike)
    return frequent(leaves, found, share * min(thresholds.frequency, mean_frequency(leaves, found)))


def assemble_leaves(
    page: Page, ctext: Ctext, outline: LeafOutline, kept: Leaves, how: BodyLines
) -> Article | NoArticle:
    """Return the article whose body is the leaves `kept`; `how`: how it was found."""
    if not kept:
        return no_body(page, "no running text: only links and fragments")
    first, end = outline.leaves[kept[0]].line, outline.leaves[kept[-1]].line + 1
    lines = {outline.leaves[number].line for number in kept}
    source = ctext.between(first, end, {line for line in range(first, end) if line not in lines and ctext.bare[line]})
    return assemble_source(page, texts_before(ctext, first), source, how)


def middle_centres(leaves: list[Leaf], count: int) -> Thresholds | None:
    """Return the middle centres of k-means over the clusters' lengths and Cn; None if there are too few clusters."""
    clusters = [found for found in cluster(leaves) if length(leaves, found)]
    if len(clusters) < count:
        return None
    lengths = np.array([length(leaves, found) for found in clusters], np.float64)
    noises = np.array([noise(leaves, found) for found in clusters], np.float64)
    return Thresholds(middle(k_means(lengths, count)), middle(k_means(noises, count)), inf)


def learn_thresholds(leaves: list[Leaf]) -> Thresholds | None:
    """Return the thresholds of one sample page; None if it has too few clusters."""
    learned = middle_centres(leaves, SETTINGS.centres)
    if learned is None:
        return None
    segment = body_segment(leaves, lowest([learned, page_thresholds(leaves)]))
    return (
        replace(learned, frequency=mean_frequency(leaves, range(segment[0], segment[-1] + 1))) if segment else learned
    )


def k_means(values: NDArray[np.float64], count: int = SETTINGS.centres) -> NDArray[np.float64]:
    """Return the centres of `count` clusters of numbers, ascending."""
    centres = np.quantile(values, (np.arange(count) + 0.5) / count)
    for _ in range(ROUNDS):
        nearest = np.abs(values[:, None] - centres).argmin(axis=1)
        moved = np.array([values[nearest == i].mean() if (nearest == i).any() else centres[i] for i in range(count)])
        if np.allclose(moved, centres):
            break
        centres = moved
    return np.sort(centres)


def middle(centres: NDArray[np.float64]) -> float:
    """Return the centre in the middle; of two centres the upper."""
    return float(centres[len(centres) // 2])


def lowest(samples: list[Thresholds]) -> Thresholds:
    """Return the minimum of each threshold."""
    return Thresholds(*(min(getattr(sample, one.name) for sample in samples) for one in fields(Thresholds)))
