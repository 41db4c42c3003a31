"""The page-type model: an additive logistic model in plain numpy. Inference, training, and its file.

    z_j = (x_j − mean_j) / scale_j, kept within ± 4
    f_j(x) = a_j z_j + Σ_k b_jk max(0, z_j − knot_jk)        a broken line with three bends, at the quartiles
    log odds of "article" = bias + Σ_j f_j(x)

All a_j and b_jk are kept small (ridge), because there are more of them than sites to train on. On sites that were not
in the training data this model was at least as accurate as boosted, random or extremely random trees
(docs/methods-page-types.md), and it shows the effect of each number: `contributions`.

The loss is convex and Newton's method finds its only minimum: nothing is random, and the same pages give the same
numbers, bit for bit on one machine with one numpy.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadModel
from ..learned import check_arrays, logistic, write_rows

Values = NDArray[np.float64]

QUARTILES = (0.25, 0.5, 0.75)
BENDS = len(QUARTILES)
LIMIT = 4.0  # standard deviations; larger values of a number have no further effect
BEND_SCALE = 0.7  # scale of the bends' inputs: it makes the ridge shrink bends more than slopes
PENALTY = 0.2  # factor of the squared weights, beside a loss of total weight 1; chosen on the development sites
STEPS, DONE = 50, 1e-10  # steps of Newton's method; largest change of a weight at which it ends
FORMAT = 1  # version of the file format
_ARRAYS = ("mean", "scale", "knots", "weights", "bias")


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
        terms = _terms(known, self.mean, self.scale, self.knots)
        result: Values = np.einsum("pkn,kn->pn", terms, self.weights)
        return result

    def log_odds(self, values: Values) -> Values:
        """Return the log odds of "article", shape (pages,), for `values` of shape (pages, n)."""
        result: Values = self.contributions(values).sum(axis=1) + self.bias[0]
        return result

    def row(self, features: Mapping[str, float]) -> Values:
        """Return the numbers of one page in the model's order, shape (n,); one that the page lacks is NaN."""
        return np.array([features.get(name, math.nan) for name in self.names], np.float64)


def fit(names: Sequence[str], values: Values, article: NDArray[np.bool_], weight: Values) -> Model:
    """Return the model learned from pages. `values`: (pages, n); `article`, `weight`: (pages,)."""
    weight = weight / weight.sum()
    mean = weight @ values
    scale = np.sqrt(weight @ (values - mean) ** 2)
    scale = np.where(scale > 0, scale, 1.0)
    knots = np.quantile(_scaled(values, mean, scale), QUARTILES, axis=0)
    terms = _terms(values, mean, scale, knots).reshape(len(values), -1)
    learned = _newton(np.column_stack([terms, np.ones(len(values))]), article.astype(np.float64), weight)
    return Model(tuple(names), mean, scale, knots, learned[:-1].reshape(1 + BENDS, -1), learned[-1:])


def _scaled(values: Values, mean: Values, scale: Values) -> Values:
    result: Values = np.minimum(np.maximum((values - mean) / scale, -LIMIT), LIMIT)
    return result


def _terms(values: Values, mean: Values, scale: Values, knots: Values) -> Values:
    """Return the terms that are multiplied by the weights, shape (pages, 4, n)."""
    scaled = _scaled(values, mean, scale)[:, np.newaxis]
    return np.concatenate([scaled, BEND_SCALE * np.maximum(scaled - knots, 0)], axis=1)


def _newton(inputs: Values, expected: Values, weight: Values) -> Values:
    """Return the weights with the smallest loss, the bias last; `inputs` has a last column of ones, without penalty."""
    penalty = np.full(inputs.shape[1], PENALTY)
    penalty[-1] = 0.0
    learned = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        p = logistic(inputs @ learned)
        gradient = inputs.T @ (weight * (p - expected)) + penalty * learned
        curvature = (inputs.T * (weight * p * (1 - p))) @ inputs + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        learned -= step
        if np.abs(step).max() < DONE:
            break
    return learned


def save(model: Model, path: Path, about: Mapping[str, Any]) -> None:
    """Write the model as JSON, without rounding; `about`: its origin. Raises `OSError`."""
    numbers = {name: getattr(model, name).tolist() for name in _ARRAYS}
    head = {"format": FORMAT, **about, "article_from": model.article_from, "list_to": model.list_to}
    everything = {**head, "names": list(model.names), **numbers}
    write_rows(path, everything)


def load(path: Path, known: Sequence[str]) -> Model:
    """Return the model in a file; `known`: the names of the existing numbers.

    Raises `BadModel` if the file cannot be read, contains no model, or needs other numbers.
    """
    try:
        stored = json.loads(path.read_text("utf-8"))
        arrays = {name: np.array(stored[name], np.float64) for name in _ARRAYS}
        upper, lower = (float(stored[name]) for name in ("article_from", "list_to"))
        names, version = tuple(map(str, stored["names"])), stored["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadModel(f"{path}: not a page-type model: {type(error).__name__}: {error}") from None
    if version != FORMAT or set(names) - set(known):
        raise BadModel(f"{path}: a model of format {version}, whose numbers are not those of this version")
    n = len(names)
    shapes = ((n,), (n,), (BENDS, n), (1 + BENDS, n), (1,))
    check_arrays(path, arrays, dict(zip(_ARRAYS, shapes, strict=True)))
    return Model(names, **arrays, article_from=upper, list_to=lower)
