"""The page-type model: an additive logistic model in plain numpy. Inference, and its file.

    z_j = (x_j − mean_j) / scale_j, kept within ± 4
    f_j(x) = a_j z_j + Σ_k b_jk max(0, z_j − knot_jk)        a broken line with three bends, at the quartiles
    log odds of "article" = bias + Σ_j f_j(x)

All a_j and b_jk are kept small (ridge), because there are more of them than sites to train on. On sites that were not
in the training data this model was at least as accurate as boosted, random or extremely random trees
(docs/methods-page-types.md), and it shows the effect of each number: `contributions`.

It is trained by `evaluation.page_type_training`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..learned import check_arrays, model_file

Values = NDArray[np.float64]

BENDS = 3  # of the broken line of a number
LIMIT = 4.0  # standard deviations; larger values of a number have no further effect
BEND_SCALE = 0.7  # scale of the bends' inputs: it makes the ridge shrink bends more than slopes
FORMAT = 1  # version of the file format
ARRAYS = ("mean", "scale", "knots", "weights", "bias")


@dataclass(frozen=True, slots=True)
class Model:
    """The trained numbers, float64.

    `mean`, `scale` (n) of the numbers in `names`, `knots` (3, n), `weights` (4, n) and `bias` (1). A page whose log
    odds reach `article_from` is an article, one at or below `list_to` a list.
    """

    names: tuple[str, ...]
    mean: Values
    scale: Values
    knots: Values
    weights: Values
    bias: Values
    article_from: float = 0.0
    list_to: float = 0.0

    def contributions(self, values: Values) -> Values:
        """Return the contribution of each number to an article, as log odds; `values` and the result: (pages, n).

        A number that a page lacks is NaN, and counts as the mean.
        """
        known = np.where(np.isnan(values), self.mean, values)
        page_terms = terms(known, self.mean, self.scale, self.knots)
        result: Values = np.einsum("pkn,kn->pn", page_terms, self.weights)
        return result

    def log_odds(self, values: Values) -> Values:
        """Return the log odds of "article", shape (pages,), for `values` of shape (pages, n)."""
        result: Values = self.contributions(values).sum(axis=1) + self.bias[0]
        return result

    def row(self, features: Mapping[str, float]) -> Values:
        """Return the numbers of one page in the model's order, shape (n,); one that the page lacks is NaN."""
        return np.array([features.get(name, math.nan) for name in self.names], np.float64)


def scaled(values: Values, mean: Values, scale: Values) -> Values:
    """Return the numbers of pages as the terms read them: with mean 0 and deviation 1, kept within ± `LIMIT`."""
    result: Values = np.minimum(np.maximum((values - mean) / scale, -LIMIT), LIMIT)
    return result


def terms(values: Values, mean: Values, scale: Values, knots: Values) -> Values:
    """Return the terms that are multiplied by the weights, shape (pages, 4, n)."""
    slope = scaled(values, mean, scale)[:, np.newaxis]
    return np.concatenate([slope, BEND_SCALE * np.maximum(slope - knots, 0)], axis=1)


def load(path: Path, known: Sequence[str]) -> Model:
    """Return the model in a file; `known`: the names of the existing numbers.

    Raises `BadModel` if the file cannot be read, contains no model, or needs other numbers.
    """
    with model_file(path) as stored:
        names = tuple(map(str, stored["names"]))
        if stored["format"] != FORMAT or set(names) - set(known):
            raise ValueError("it has another format, or other numbers")
        arrays = {name: np.array(stored[name], np.float64) for name in ARRAYS}
        n = len(names)
        shapes = ((n,), (n,), (BENDS, n), (1 + BENDS, n), (1,))
        check_arrays(arrays, dict(zip(ARRAYS, shapes, strict=True)))
        article_from, list_to = float(stored["article_from"]), float(stored["list_to"])
        return Model(names, **arrays, article_from=article_from, list_to=list_to)
