"""Bodies and the probabilities of their lines: the F1 that a body promises, and the body that promises most.

Widths are the bytes of lines; F1 is that of bytes, 0 to 1.
"""

import numpy as np
from numpy.typing import NDArray

from ...html.lines import Flags, Floats

Amounts = Floats | NDArray[np.float64]


def expected(chance: Amounts, width: Amounts, kept: list[int] | Flags) -> float:
    """Return the expected F1 by bytes, 0 to 1, of a body if each line is body with its probability."""
    weight = chance * width
    return float(2 * weight[kept].sum() / max(1e-9, width[kept].sum() + weight.sum()))


def agreement(width: Floats, one: Flags, other: Flags) -> float:
    """Return the F1 by bytes of two bodies."""
    both = float(width[one].sum() + width[other].sum())
    return 2 * float(width[one & other].sum()) / both if both else 1.0


def likeliest(chance: Amounts, width: Amounts) -> Flags:
    """Return the lines with the highest expected F1 by bytes, the most probable ones: at least one of any lines."""
    order = np.argsort(-chance, kind="stable")
    weight = chance * width
    hits, sizes = np.cumsum(weight[order]), np.cumsum(width[order])
    kept = np.zeros(len(chance), np.bool_)
    if len(chance):
        kept[order[: int(np.argmax(hits / np.maximum(1e-9, sizes + weight.sum()))) + 1]] = True
    return kept
