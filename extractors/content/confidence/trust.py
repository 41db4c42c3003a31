"""From the numbers about a body to the probability that the text is right (F1 of at least .8)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from ...html.lines import Floats
from ..line_model.trees import Trees, load, probability
from .doubts import NAMES, Flags, Known, doubts_of

WEIGHTS = Path(__file__).parent / "weights.json"
LEAST, MOST = 0.02, 0.995  # a confidence is never more certain than the training data
_chosen: ContextVar[Trees | None] = ContextVar("confidence model", default=None)


@dataclass(frozen=True, slots=True)
class Trust:
    """The confidence in a body, and the numbers from which it follows."""

    confidence: float
    numbers: Floats


def trust_of(values: Floats, chance: Floats, kept: Flags, rivals: Sequence[Flags], known: Known) -> Trust:
    """Return the confidence in the body `kept`; see `doubts_of` for the arguments."""
    numbers = doubts_of(values, chance, kept, rivals, known)
    share = float(probability((_chosen.get() or _stored()).log_odds(numbers[np.newaxis]))[0])
    return Trust(min(MOST, max(LEAST, share)), numbers)


@contextmanager
def using(model: Trees) -> Iterator[None]:
    """Use another model within the block."""
    token = _chosen.set(model)
    try:
        yield
    finally:
        _chosen.reset(token)


@lru_cache(1)
def _stored() -> Trees:
    return load(WEIGHTS, NAMES)
