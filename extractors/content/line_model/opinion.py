"""Corrects the rules' body where the line model is sure, or replaces it if the model's body is much better.

Strategy: the model's body is all lines with a probability of one half or more. If its expected F1 is above that of the
rules' body by more than `SWITCH`, it is the body. Otherwise single lines change: lines with a probability above `SURE`
are added, lines with 1 − `SURE` or less are removed. If the rules leave out little prose, the model is not used,
because it would change almost nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from ...html.lines import Floats, Lines
from ...tracing import tracing
from ..body import Body
from ..line_weights import Prior
from ..weight_loops import prose_widths
from .features import NAMES, features_of
from .trees import Trees, load, probability

WEIGHTS = Path(__file__).parent / "weights.json"
# Chosen on the development sets, sites left out. With SURE .8, wcxb_dev gains .001 and zh_handcrafted loses .008; with
# SWITCH .06, wcxb_dev gains .0002 and gne_zh_groups loses .004. With LEFT_OUT from 0 to .3 the means move by .0005.
SURE = 0.9  # probability from which a single line changes
SWITCH = 0.1  # expected F1 that the model's body must gain to replace the rules' body
LEFT_OUT = 0.2  # prose outside the rules' body as a share of that inside, up to which the model is not used
_chosen: ContextVar[Trees | None] = ContextVar("line model", default=None)


@dataclass(frozen=True, slots=True)
class Opinion:
    """The lines of a body; `chance` and `width` of all lines of the page: probability of being body, and bytes."""

    kept: list[int]
    chance: Floats
    width: Floats

    def expected(self, kept: list[int]) -> float:
        """Return the expected F1 by bytes, 0 to 1, of a body if each line is body with its probability."""
        weight = self.chance * self.width
        return float(2 * weight[kept].sum() / max(1e-9, self.width[kept].sum() + weight.sum()))


def is_doubtful(lines: Lines, kept: list[int]) -> bool:
    """Whether the rules' body leaves out so much prose that the model is used."""
    prose = prose_widths(lines.widths, lines.linked_bytes)
    inside = sum(map(prose.__getitem__, kept))
    return sum(prose) - inside > LEFT_OUT * inside


def second_opinion(lines: Lines, prior: Prior, body: Body, similarity: list[float] | None = None) -> Opinion:
    """Return the body after the model's correction.

    `body`: that of the rules, or of the vote of examples; `similarity`: of the lines to an example's, None without one.
    """
    kept = body.kept
    chance = probability((_chosen.get() or _stored()).log_odds(features_of(lines, prior, body, similarity)))
    rules = np.zeros(len(lines), np.bool_)
    rules[kept] = True
    model = chance > 0.5
    opinion = Opinion(kept, chance, lines.width)
    gain = opinion.expected(np.flatnonzero(model).tolist()) - opinion.expected(kept)
    if (trace := tracing()) is not None:
        trace.note(opinion)
    revised = model if gain > SWITCH else (rules | (chance > SURE)) & (chance > 1 - SURE)
    return replace(opinion, kept=np.flatnonzero(revised).tolist()) if revised.any() else opinion


@contextmanager
def using(model: Trees) -> Iterator[None]:
    """Use another model within the block, such as one that was not trained on the pages that are measured."""
    token = _chosen.set(model)
    try:
        yield
    finally:
        _chosen.reset(token)


@lru_cache(1)
def _stored() -> Trees:
    return load(WEIGHTS, NAMES)
