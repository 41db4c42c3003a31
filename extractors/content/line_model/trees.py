"""Boosted oblivious trees in numpy: a small model that judges many rows at once. Inference, and its file.

An oblivious tree makes the same comparison at all nodes of one level, so a tree of depth d is d comparisons and one
look-up in a table of 2^d values; all trees are evaluated together, and a comparison that several trees make is made
once. Prokhorenkova et al., "CatBoost: unbiased boosting with categorical features" (2018), describe such trees. They
are trained by `evaluation.tree_training`.

    log odds(x) = bias + Σ_t leaves[t][ Σ_k 2^k · (x[feature[t,k]] > threshold[t,k]) ]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...learned import check_arrays, model_file

Floats = NDArray[np.float32]

FORMAT = 1  # version of the file format


@dataclass(frozen=True)
class Trees:
    """A model: `features` (T, d) int, `thresholds` (T, d) and `leaves` (T, 2^d) float32; `names` of the features."""

    names: tuple[str, ...]
    features: NDArray[np.intp]
    thresholds: Floats
    leaves: Floats
    bias: float

    def log_odds(self, values: Floats) -> Floats:
        """Return the log odds, shape (rows,), of `values`, shape (rows, features)."""
        count, depth = self.features.shape
        features, thresholds, levels = self._comparisons
        columns = np.ascontiguousarray(values.T)  # taking whole columns is fast
        over = (columns.take(features, axis=0) > thresholds).astype(np.min_scalar_type((1 << depth) - 1))
        leaf = over.take(levels[0], axis=0)
        for level in range(1, depth):
            leaf |= over.take(levels[level], axis=0) << level
        places = np.ascontiguousarray(leaf.T) + (np.arange(count) << depth)  # indices into the table of all trees
        result: Floats = self.leaves.ravel().take(places).sum(axis=1) + np.float32(self.bias)
        return result

    @cached_property
    def _comparisons(self) -> tuple[NDArray[np.intp], Floats, NDArray[np.intp]]:
        """The different comparisons: features (C,), thresholds (C, 1); their indices (d, T) by level and tree."""
        pairs, place = np.unique(self.features.T + 1j * self.thresholds.T, return_inverse=True)
        return pairs.real.astype(np.intp), pairs.imag.astype(np.float32)[:, np.newaxis], place


def load(path: Path, names: Sequence[str]) -> Trees:
    """Return the model in a file. Raises `BadModel` if it cannot be read or has other features than `names`."""
    with model_file(path) as stored:
        if stored["format"] != FORMAT or stored["names"] != list(names):
            raise ValueError("it has another format, or other features")
        features = np.array(stored["features"], np.intp)
        thresholds, leaves = (np.array(stored[name], np.float32) for name in ("thresholds", "leaves"))
        count, depth = features.shape
        shapes = {"thresholds": (count, depth), "leaves": (count, 1 << depth)}
        check_arrays({"thresholds": thresholds, "leaves": leaves}, shapes)
        return Trees(tuple(names), features, thresholds, leaves, float(stored["bias"]))
