"""Our definition of a right text: none of the sources has one."""

from collections.abc import Sequence
from statistics import fmean

from ..scores import Score

RIGHT = 0.9  # shingle F1; ours


def is_right(score: Score) -> bool:
    """Whether a text is right: its F1 is `RIGHT` or more. An empty text is always wrong."""
    return score.precision is not None and score.f1 >= RIGHT


def share_right(scores: Sequence[Score]) -> float:
    """Return the share of pages that are right. Raises `ValueError` for none."""
    return fmean(map(is_right, scores))
