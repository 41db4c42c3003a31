"""FS and BS: the similarity of each line of two pages to its partner, from the head and from the tail at once.

Source: the example-page method (004). There a window slides over both texts at the same offset, from the heads (FS) and
from the tails (BS), and the Levenshtein distance gives the similarity of the windows. We depart in two ways. Lines
replace the characters. And one monotone alignment of all lines (the longest common subsequence of equal lines, then
near-equal lines in the small gaps between) replaces the equal offsets: an insertion in one page no longer shifts what
follows, and FS and BS are one sequence.
"""

from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import LCSseq, Levenshtein

from ..html.lines import Lines

FUZZY_GAP = 2  # lines of a gap on each side; without this bound near-equal lines cost 13 points on templated bodies
FUZZY_SIMILARITY = 0.8  # Levenshtein similarity from which two lines count as near-equal
FUZZY_LENGTH = 60  # characters; longer lines must be equal, since templated prose is near-equal on all pages
ALIGNED_LINES = 8_000  # lines per page; the alignment takes the product of both counts / 8 bytes of memory


class Similarity(NamedTuple):
    """The similarity of each line of the example and of the page to its partner: 0 (none) to 1 (equal), as float32."""

    example: list[float]
    page: list[float]


class Gap(NamedTuple):
    """Lines between two runs of equal lines: `example_start` up to `example_end`, and the same of the page."""

    example_start: int
    example_end: int
    page_start: int
    page_end: int


def align(example: Lines, page: Lines) -> Similarity:
    """Return how similar each line is to its partner on the other page."""
    similarity = Similarity([0.0] * len(example), [0.0] * len(page))
    if max(len(example), len(page)) > ALIGNED_LINES:
        _align_ends(example, page, similarity)
    else:
        _align_range(example, page, Gap(0, len(example), 0, len(page)), similarity)
    return similarity


def _align_ends(example: Lines, page: Lines, similarity: Similarity) -> None:
    """Align the first lines with the first and the last lines with the last; the lines between them stay unmatched."""
    half = ALIGNED_LINES // 2
    head = [min(half, len(lines) // 2) for lines in (example, page)]
    tail = [max(len(lines) - half, start) for lines, start in zip((example, page), head, strict=True)]
    _align_range(example, page, Gap(0, head[0], 0, head[1]), similarity)
    _align_range(example, page, Gap(tail[0], len(example), tail[1], len(page)), similarity)


def _align_range(example: Lines, page: Lines, span: Gap, similarity: Similarity) -> None:
    here = example.hashes[span.example_start : span.example_end]
    there = page.hashes[span.page_start : span.page_end]
    here_end, there_end = span.example_start, span.page_start  # of the last run
    for run in LCSseq.opcodes(here, there).as_matching_blocks():  # the last one is empty, at both ends
        start, start_there = span.example_start + run.a, span.page_start + run.b
        if 0 < start - here_end <= FUZZY_GAP and 0 < start_there - there_end <= FUZZY_GAP:
            _match_gap(example.keys, page.keys, Gap(here_end, start, there_end, start_there), similarity)
        here_end, there_end = start + run.size, start_there + run.size
        similarity.example[start:here_end] = similarity.page[start_there:there_end] = [1.0] * run.size


def _match_gap(example: list[str], page: list[str], gap: Gap, similarity: Similarity) -> None:
    """Find near-equal partners, in order, in a small gap."""
    first = gap.example_start
    for there in range(gap.page_start, gap.page_end):
        best, partner = 0.0, -1
        for here in range(first, gap.example_end):
            score = _line_similarity(example[here], page[there])
            if score > best:
                best, partner = score, here
        if partner >= 0:
            similarity.example[partner] = similarity.page[there] = float(np.float32(best))
            first = partner + 1


def _line_similarity(a: str, b: str) -> float:
    if len(b) > FUZZY_LENGTH or abs(len(a) - len(b)) > (1 - FUZZY_SIMILARITY) * max(len(a), len(b)):
        return 0.0
    return Levenshtein.normalized_similarity(a, b, score_cutoff=FUZZY_SIMILARITY)
