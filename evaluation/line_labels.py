"""Labels of the lines of a stored page: body or not, by alignment of its words with those of the known text.

Each line gets the share of its words that the truth has in runs of at least `RUN`; a line of fewer words counts if all
of them are aligned. Words that the page repeats can be aligned in several ways: those from the beginning and from the
end are compared, and the one with fewer runs is taken, since a body is in one place and a teaser of it in another.
"""

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from .scores import words

RUN = 3  # words; shorter matches may be accidental


def line_labels(texts: list[str], truth: str) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Return the share of each line that is body, 0 to 1, and the number of its words."""
    by_line = [words(text) for text in texts]
    counts = np.array([len(line) for line in by_line], np.intp)
    page, wanted = [word for line in by_line for word in line], words(truth)
    in_run, aligned = np.zeros(len(page), np.bool_), np.zeros(len(page), np.bool_)
    for start, end in min(_runs(page, wanted), _runs_from_end(page, wanted), key=len):
        aligned[start:end] = True
        in_run[start:end] = end - start >= RUN
    line_of = np.repeat(np.arange(len(texts)), counts)
    runs, matches = (np.bincount(line_of, flags, minlength=len(texts)) for flags in (in_run, aligned))
    share = (runs / np.maximum(counts, 1)).astype(np.float32)
    share[(counts > 0) & (counts < RUN) & (matches == counts)] = 1
    return share, counts


def _runs(page: list[str], wanted: list[str]) -> list[tuple[int, int]]:
    """Return the beginning and end of each run of words of the page that are aligned."""
    return [(run.src_start, run.src_end) for run in LCSseq.opcodes(page, wanted) if run.tag == "equal"]


def _runs_from_end(page: list[str], wanted: list[str]) -> list[tuple[int, int]]:
    return [(len(page) - end, len(page) - start) for start, end in _runs(page[::-1], wanted[::-1])]
