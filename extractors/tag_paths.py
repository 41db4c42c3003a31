"""Method `tag-paths`: leaves with equal tag paths are clustered; the first cluster like a body is the body's.

Source: 002 (Liu Yunfeng, "Text extraction by clustering tag paths"). The leaves of a page are numbered in document
order, and those with the same path are a cluster (`tag_path_clusters`) x₁ < x₂ < … < xₙ. With the spans Δⱼ = xⱼ₊₁ − xⱼ,

    ΔT = mean of the spans              σ² = their variance              θⱼ = Δⱼ₊₁ / Δⱼ
    Cn = Nstring / (Nlink + Nstring) · NODEnohref / (NODEhref + 1)

where N counts characters outside and inside links (2 for one above 255) and NODE the nodes without and with a link.
Clusters are looked at in order (`tag_path_segment`). One whose σ² is too large is split where θ ∉ [0.85, 2], and its
pieces are sorted in. The first of the others with

    size > MAXSIZE, length > Length_Threshold, Cn > Cn_Threshold, ΔT > PreSpan

bounds the body's segment. Its text is grouped by the tag path of the enclosing table or div; groups with at least
Frequency_Threshold nodes are the text (`frequent`). The thresholds are learned from sample pages (here):

    Length_Threshold, Cn_Threshold = the middle centre of k-means over the clusters' lengths and Cn
    Frequency_Threshold            = the mean of the groups' frequencies
    M samples: the minimum of each

Samples are the example page and those given to `learn`. Without any the thresholds are `DEFAULTS`, which the
development pages gave. These count as one more sample beside others: an example longer than usual would raise the bar
for all short ones.

Where we depart, and what the source leaves open:

- Leaves are text lines instead of text nodes, so that words in bold don't leave their paragraph; paths are those of
  block elements with class and id (`block_tree`).
- No value is given for the variance's threshold, MAXSIZE, PreSpan and the number of clusters of k-means: ours were
  chosen on the development pages. With two clusters, the middle centre is the upper: the lower is the noise's.
- A group's frequency is its number of lines in the segment; the source counts how often its table or div begins. With
  the defaults among the samples its threshold is 1, and nothing is dropped: the mean of an example drops whole bodies
  that are shorter.
- Where no cluster is like a body, the one with most text outside links is taken, if it is prose: a page with text gives
  text.
- The source reports no figures.
"""

from collections.abc import Iterator
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from .article import Article, NoArticle
from .assembly import Cut
from .ctext import read_ctext
from .fragments import assemble_source, texts_before
from .page import Page
from .tag_path_clusters import Leaf, Leaves, cluster, length, noise, read_leaves
from .tag_path_segment import DEFAULTS, Thresholds, body_segment, frequent, groups, longest

METHOD = "tag-paths"
CENTRES = 2  # clusters of k-means; chosen by macro F1 on the development pages
ROUNDS = 50  # of k-means at most; it ends when nothing moves
CONFIDENCE = 0.83  # share of pages with F1 ≥ .9, mean of the development sets


class TagPaths:
    """Holds thresholds, which sample pages lower."""

    def __init__(self, example: Page | None) -> None:
        self._samples = [DEFAULTS]
        if example is not None:
            self.learn(example)

    @property
    def thresholds(self) -> Thresholds:
        """The lowest of the samples'."""
        return lowest(self._samples)

    def learn(self, page: Page) -> None:
        """Let a page of the section be a sample."""
        learned = learn_thresholds(read_leaves(read_ctext(page.html)))
        if learned is not None:
            self._samples.append(learned)

    def extract(self, page: Page) -> Article | NoArticle:
        """Return the article of `page`. Raises `UnusablePage` if nothing can be read from it."""
        ctext = read_ctext(page.html)
        leaves = read_leaves(ctext)
        segment = body_segment(leaves, self.thresholds) or longest(leaves)
        kept = frequent(leaves, segment, self.thresholds.frequency)
        if not kept:
            return NoArticle("no running text: only links and scraps", page.url)
        reason = f"{len(segment)} lines of one tag path, {len(self._samples) - 1} sample pages"
        cut = Cut([], 0, METHOD, CONFIDENCE, reason)
        source = "".join(ctext.cut(first, end) for first, end in line_ranges(leaves, kept))
        return assemble_source(page, texts_before(ctext, leaves[kept[0]].line), source, cut)


def line_ranges(leaves: list[Leaf], kept: Leaves) -> Iterator[tuple[int, int]]:
    """Yield where leaves in an unbroken row stand: first line, and the one after the last."""
    first = 0
    for place in range(1, len(kept) + 1):
        if place == len(kept) or kept[place] != kept[place - 1] + 1:
            yield leaves[kept[first]].line, leaves[kept[place - 1]].line + 1
            first = place


def learn_thresholds(leaves: list[Leaf]) -> Thresholds | None:
    """Return the thresholds of one sample page; None if it has too few clusters."""
    clusters = [found for found in cluster(leaves) if length(leaves, found)]
    if len(clusters) < CENTRES:
        return None
    lengths = np.array([length(leaves, found) for found in clusters], np.float64)
    noises = np.array([noise(leaves, found) for found in clusters], np.float64)
    learned = Thresholds(middle(k_means(lengths)), middle(k_means(noises)), 1)
    found = groups(leaves, body_segment(leaves, lowest([learned, DEFAULTS])))
    frequency = sum(map(len, found.values())) / len(found) if found else 1
    return Thresholds(learned.length, learned.noise, frequency)


def k_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the centres of `CENTRES` clusters of numbers, ascending."""
    centres = np.quantile(values, (np.arange(CENTRES) + 0.5) / CENTRES)
    for _ in range(ROUNDS):
        nearest = np.abs(values[:, None] - centres).argmin(axis=1)
        moved = np.array([values[nearest == i].mean() if (nearest == i).any() else centres[i] for i in range(CENTRES)])
        if np.allclose(moved, centres):
            break
        centres = moved
    return np.sort(centres)


def middle(centres: NDArray[np.float64]) -> float:
    """Return the centre in the middle; of two the upper."""
    return float(centres[len(centres) // 2])


def lowest(samples: list[Thresholds]) -> Thresholds:
    """Return the minimum of each threshold."""
    return Thresholds(*(min(getattr(sample, one.name) for sample in samples) for one in fields(Thresholds)))


def create(example: Page | None) -> TagPaths:
    """Return the extractor; `example` is its first sample page."""
    return TagPaths(example)
