"""Labels of a page's lines, body or not, derived from the article's text; the source's authors marked them by hand.

The words of all lines and those of the right text are aligned (longest common subsequence, so order counts), and a line
is body if at least half of its words are matched. A line without words, such as ***, is body between two that are. If a
page has a paragraph twice, as summary and in the body, the alignment from the head matches the first, that from the
tail the last; the alignment whose body extends over fewer lines is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from .words import characters_and_words

Flags = NDArray[np.bool_]

MATCHED = 0.5  # share of a line's words
MAX_WORDS = 40_000  # a page and a text; the alignment's memory is the product of both counts / 8 bytes


@dataclass(frozen=True, slots=True)
class Labels:
    """`body`: whether each line is body. `found`: the share of the article's words that the page contains, 0 to 1."""

    body: Flags
    found: float


def label_lines(texts: Sequence[str], right: str) -> Labels:
    """Return the labels of a page's lines. Raises `ValueError` for a page or text too long to be aligned."""
    numbers: dict[str, int] = {}
    lines = [_numbered(text, numbers) for text in texts]
    wanted = _numbered(right, numbers)
    page = [number for line in lines for number in line]
    if max(len(page), len(wanted)) > MAX_WORDS:
        raise ValueError(f"more than {MAX_WORDS:,} words are too many to be aligned")
    from_head = _matched(page, wanted)
    from_tail = _matched(page[::-1], wanted[::-1])[::-1]
    counts = np.array([len(line) for line in lines], np.intp)
    body = min((_judged(matched, counts) for matched in (from_head, from_tail)), key=_extent)
    return Labels(body, float(from_head.sum()) / max(len(wanted), 1))


def _matched(page: list[int], wanted: list[int]) -> Flags:
    """Return whether each word of the page is matched; of a text that occurs twice, the first occurrence is matched."""
    matched = np.zeros(len(page), np.bool_)
    for run in LCSseq.opcodes(page, wanted):
        if run.tag == "equal":
            matched[run.src_start : run.src_end] = True
    return matched


def _judged(matched: Flags, counts: NDArray[np.intp]) -> Flags:
    """Return whether each line is body; `counts`: the number of its words."""
    sums = np.concatenate([np.zeros(1, np.intp), np.cumsum(matched)])
    ends = np.cumsum(counts)
    held = sums[ends] - sums[ends - counts]
    body: Flags = (held >= MATCHED * counts) & (counts > 0)
    for line in range(1, len(body) - 1):
        if not counts[line]:
            body[line] = body[line - 1] and body[line + 1]
    return body


def _extent(body: Flags) -> int:
    """Return how many lines the body extends over."""
    lines = np.flatnonzero(body)
    return int(lines[-1] - lines[0]) if len(lines) else 0


def _numbered(text: str, numbers: dict[str, int]) -> list[int]:
    return [numbers.setdefault(word, len(numbers)) for word in characters_and_words(text)]
