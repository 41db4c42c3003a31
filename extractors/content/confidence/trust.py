"""From the numbers about a body to the probability that the text is right (F1 of at least .8)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from ...html.lines import Floats
from ..line_model.opinion import Opinion
from ..line_model.trees import Trees, load, probability
from .doubts import NAMES, Known, doubts_of

WEIGHTS = Path(__file__).parent / "weights.json"
LEAST, MOST = 0.02, 0.995  # a confidence is never more certain than the training data
DOUBTS: dict[str, tuple[float, Callable[[float], str]]] = {  # value from which it is a doubt; words
    "in_units": (0.1, lambda share: f"{share:.0%} of the text looks like teasers of other articles"),
    "after_titles": (0.1, lambda share: f"{share:.0%} of the text follows another title"),
    "after_opened": (0.3, lambda share: f"{share:.0%} of the text follows a link to another article"),
    "after_others": (0.2, lambda share: f"{share:.0%} of the text follows a heading of other articles or comments"),
    "cut_off": (0.1, lambda share: f"{share:.0%} of the text is cut off"),
    "inside_doubt": (0.1, lambda share: f"{share:.0%} of the text may belong to something else"),
    "outside_hope": (0.1, lambda share: f"text as long as {share:.0%} of the body may be missing"),
}  # fmt: skip
SHOWN = {  # numbers that an explanation shows: their names and meanings
    "expected": ("Expected agreement", "of the lines of the text with those that are body, by the line model"),
    "inside_doubt": ("Doubtful text", "share of the text that may belong to something else"),
    "outside_hope": ("Missing text", "text left out that may be body, as a share of the text"),
    "in_units": ("Teasers", "share of the text in linked headlines with short texts"),
}
_chosen: ContextVar[Trees | None] = ContextVar("confidence_model", default=None)


@dataclass(frozen=True, slots=True)
class Trust:
    """The confidence in a body, and the numbers from which it follows, by the names in `doubts`."""

    confidence: float
    numbers: Floats

    def number(self, name: str) -> float:
        """Return one of the numbers."""
        return float(self.numbers[NAMES.index(name)])

    @property
    def doubt(self) -> str:
        """The largest doubt in words; "" if there is none."""
        found = ((self.number(name) / limit, name) for name, (limit, _) in DOUBTS.items())
        size, name = max(found)
        return DOUBTS[name][1](self.number(name)) if size >= 1 else ""


def trust_of(opinion: Opinion, known: Known) -> Trust:
    """Return the confidence in the body of an opinion."""
    kept = np.zeros(len(opinion.rules), np.bool_)
    kept[opinion.kept] = True
    numbers = doubts_of(opinion.values, opinion.chance, kept, opinion.rules, known)
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
