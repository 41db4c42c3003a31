"""Method `tag-paths`: clusters leaves with equal tag paths; the body is around the first cluster that looks like one.

Source: 002 (Liu Yunfeng, "Text extraction by clustering tag paths"). The leaves of a page are numbered in document
order, and those with the same path are a cluster (`clusters`) x₁ < x₂ < … < xₙ. With the spans Δⱼ = xⱼ₊₁ − xⱼ,

    ΔT = mean of the spans              σ² = their variance              θⱼ = Δⱼ₊₁ / Δⱼ
    Cn = Nstring / (Nlink + Nstring) · NODEnohref / (NODEhref + 1)

where N counts characters outside and inside links (2 for one above 255) and NODE the nodes without and with a link.
Clusters are examined in order (`clusters`). One whose σ² is too large is split where θ ∉ [0.85, 2], and its
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
"""

from dataclasses import fields, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from ...article import Article, NoArticle
from ...content.assembly import BodyLines
from ...content.body_fragment import assemble_source, no_body, texts_before
from ...html.tagless_text import Ctext, read_ctext
from ...page import Page
from .clusters import (
    ALIKE,
    FREQUENCY_SHARE,
    SETTINGS,
    Leaf,
    LeafOutline,
    Leaves,
    OpenConstants,
    Thresholds,
    body_segment,
    cluster,
    frequent,
    length,
    longest,
    mean_frequency,
    noise,
    page_thresholds,
    read_outline,
    region,
    without_garbled,
)

METHOD = "tag-paths"
ROUNDS = 50  # of k-means at most; it ends when nothing moves
CONFIDENCE = 0.91  # share of pages with F1 ≥ .9, mean of the development sets


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
