"""Training of boosted oblivious trees (`extractors.content.line_model.trees`), and the file that it writes.

Plain Newton boosting of the logistic loss with histograms, without the ordered boosting of CatBoost. Each tree is grown
from rows drawn by the size of their gradients, after Ibragimov & Gusev, "Minimal variance sampling in stochastic
gradient boosting" (2019). It is deterministic: rows and features of each tree are drawn by a fixed seed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from extractors.content.line_model.trees import FORMAT, Trees
from extractors.learned import logistic, write_rows

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Codes = NDArray[np.uint8]

BINS = 32  # bins of a feature's values, cut at quantiles
FEATURES_SHARE = 0.35  # share of the features that are drawn for each tree
EDGES_FROM = 200_000  # rows from which the bins are cut
LEAST_FEATURES = 2
SEED = 1
LIMIT = 1e-4  # probabilities stay between this and 1 minus this


@dataclass(frozen=True, slots=True)
class Shape:
    """How a model is trained. `depth`: comparisons of a tree; `rate`: share of each tree's output that is added.

    `ridge`: added to the curvature of a leaf; for lines, whose rows weigh about 1 a page together. `rows`: share of the
    rows that are drawn for each tree, at most.
    """

    trees: int = 320
    depth: int = 6
    rate: float = 0.1
    ridge: float = 2.0
    rows: float = 0.06


def fit(
    names: Sequence[str],
    values: Floats,
    target: Doubles,
    weight: Doubles,
    shape: Shape = Shape(),
) -> Trees:
    """Return the trees learned from `values`, shape (rows, features); a row has a `target` of 0 to 1 and a `weight`.

    Raises `ValueError` if all rows are the same.
    """
    draw = np.random.default_rng(SEED)
    edges = _edges(values[:: 1 + len(values) // EDGES_FROM])
    useful = [feature for feature, between in enumerate(edges) if len(between)]
    if not useful:
        raise ValueError("no feature differs between the rows")
    codes = np.stack([np.searchsorted(edge, column) for edge, column in zip(edges, values.T, strict=True)]).astype("u1")
    mean = float(np.clip(np.average(target, weights=weight), LIMIT, 1 - LIMIT))
    bias = float(np.log(mean / (1 - mean)))
    score = np.full(len(values), bias)
    features, thresholds, leaves = [], [], []
    for _ in range(shape.trees):
        chance = np.clip(logistic(score), LIMIT, 1 - LIMIT)
        slope, curvature = weight * (chance - target), weight * chance * (1 - chance)
        rows, share = _drawn(slope, curvature, shape.rows, draw)
        slope, curvature = slope[rows] / share, curvature[rows] / share
        tried = np.sort(draw.permutation(useful)[: max(LEAST_FEATURES, round(FEATURES_SHARE * len(useful)))])
        questions = _grow(codes[:, rows], slope, curvature, tried, [len(edge) for edge in edges], shape)
        leaf = np.zeros(len(values), np.intp)
        for level, (feature, cut) in enumerate(questions):
            leaf += (codes[feature] > cut).astype(np.intp) << level
        answers = _answers(leaf[rows], slope, curvature, shape)
        score += answers[leaf]
        features.append([feature for feature, _ in questions])
        thresholds.append([edges[feature][cut] for feature, cut in questions])
        leaves.append(answers)
    return Trees(
        tuple(names),
        np.array(features, np.intp),
        np.array(thresholds, np.float32),
        np.array(leaves, np.float32),
        bias,
    )


def _edges(values: Floats) -> list[Floats]:
    """Return, for each feature, the values between its bins: its quantiles, each once, without the largest value."""
    shares = np.linspace(0, 1, BINS + 1)[1:-1]
    found = [np.unique(np.quantile(column, shares, method="lower")).astype(np.float32) for column in values.T]
    return [edges[edges < column.max()] for edges, column in zip(found, values.T, strict=True)]


def _drawn(
    slope: Doubles, curvature: Doubles, rows: float, draw: np.random.Generator
) -> tuple[NDArray[np.intp], Doubles]:
    """Return the rows from which a tree is grown, and the probability with which each of them was drawn.

    Sums over the rows divided by these probabilities are those over all rows, on average.
    """
    size = np.hypot(slope, curvature)
    share = np.minimum(1, rows * len(size) / size.sum() * size)
    chosen = np.flatnonzero(draw.random(len(size)) < share)
    return chosen, share[chosen]


def _grow(
    codes: Codes, slope: Doubles, curvature: Doubles, tried: NDArray[np.intp], edges: list[int], shape: Shape
) -> list[tuple[int, int]]:
    """Return the comparisons of one tree (feature, last bin below the threshold), level by level."""
    leaf = np.zeros(codes.shape[1], np.intp)
    questions: list[tuple[int, int]] = []
    for level in range(shape.depth):
        best = (-1.0, 0, 0)
        for feature in tried.tolist():
            gain, cut = _best_cut(leaf, codes[feature], slope, curvature, 1 << level, edges[feature], shape.ridge)
            best = max(best, (gain, -feature, cut))
        _, feature, cut = best[0], -best[1], best[2]
        questions.append((feature, cut))
        leaf += (codes[feature] > cut).astype(np.intp) << level
    return questions


def _best_cut(
    leaf: NDArray[np.intp], codes: Codes, slope: Doubles, curvature: Doubles, leaves: int, edges: int, ridge: float
) -> tuple[float, int]:
    """Return the gain of the best cut of one feature for all leaves together, and its bin."""
    key = leaf * BINS + codes
    slopes, curvatures = (
        np.bincount(key, amounts, minlength=leaves * BINS).reshape(leaves, BINS).cumsum(axis=1)
        for amounts in (slope, curvature)
    )
    below, above = slopes[:, :edges], slopes[:, -1:] - slopes[:, :edges]
    held, left = curvatures[:, :edges], curvatures[:, -1:] - curvatures[:, :edges]
    gains = (below**2 / (held + ridge) + above**2 / (left + ridge)).sum(axis=0)
    cut = int(np.argmax(gains))
    return float(gains[cut]), cut


def _answers(leaf: NDArray[np.intp], slope: Doubles, curvature: Doubles, shape: Shape) -> Doubles:
    slopes, curvatures = (np.bincount(leaf, amounts, minlength=1 << shape.depth) for amounts in (slope, curvature))
    result: Doubles = -shape.rate * slopes / (curvatures + shape.ridge)
    return result


def save(model: Trees, path: Path, about: Mapping[str, Any]) -> None:
    """Write the model as JSON; `about`: its origin. Raises `OSError`."""
    numbers = {
        "features": model.features.tolist(),
        "thresholds": [[float(f"{value:.9g}") for value in row] for row in model.thresholds.tolist()],
        "leaves": [[round(value, 4) for value in row] for row in model.leaves.tolist()],
    }
    head = {"format": FORMAT, **about, "bias": round(model.bias, 4), "names": list(model.names)}
    write_rows(path, {**head, **numbers})
