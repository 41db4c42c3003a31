"""A line model: it reads a page twice, the second time with what the first reading says of the lines around each line.

The first reading judges each line by `line_columns`; the second one also knows how the first one judged its
neighbours, its box and the page: Cohen & Carvalho, "Stacked sequential learning" (2005). It is trained on first
readings by models that have not seen the page. The result is a weighted mean of the log odds of both readings.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...html.lines import Floats
from ...learned import logistic
from .expected_f1 import expected, likeliest
from .line_columns import FAR, NAMES
from .trees import Trees, load

Doubles = NDArray[np.float64]

WIDTH = NAMES.index("width")
GROUPS = tuple(
    [NAMES.index(name) for name in NAMES if name.startswith(prefixes)]
    for prefixes in ("box_", ("around_", "outer_"), "like_")
)
WINDOWS = (3, 8, 20)  # lines on each side
SURE = 0.7  # probability from which a line counts as a neighbour of the body
BEYOND = -9.0  # log odds of the lines before the first and after the last one
SECOND = 0.7  # weight of the second reading
CONTEXT_NAMES = (
    "odds", "odds_1_before", "odds_2_before", "odds_1_after", "odds_2_after",
    *(f"chance_within_{lines}" for lines in WINDOWS), "body_before", "body_after",
    "box_chance", "around_chance", "like_chance", "box_body", "around_body", "like_body",
    "since_sure", "until_sure", "box_of_sure_before", "box_of_sure_after", "around_of_sure_before",
    "around_of_sure_after", "expected", "likeliest", "gap",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LineModel:
    """The trees of both readings; without `second` a page is read once."""

    first: Trees
    second: Trees | None = None

    def chances(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the probability that each line is body, by both readings and by the first one alone, shape (lines,).

        `values`: shape (lines, numbers).
        """
        odds = self.first.log_odds(values)
        first = logistic(odds)
        if self.second is None:
            return first, first
        return logistic(odds + SECOND * (self.second.log_odds(with_context(values, odds)) - odds)), first


def load_model(path: Path, names: Sequence[str]) -> LineModel:
    """Return the model of a file, with the second reading if that is beside it. Raises `BadModel`: see `trees.load`."""
    again = second_of(path)
    return LineModel(load(path, names), load(again, (*CONTEXT_NAMES, *names)) if again.exists() else None)


def second_of(path: Path) -> Path:
    """Return the file of the second reading, beside that of the first one."""
    return path.with_name(f"{path.stem}-context.json")


def with_context(values: Floats, odds: Floats) -> Floats:
    """Return the numbers of the second reading, shape (lines, columns of `values` + `CONTEXT_NAMES`).

    `values`: those of the first reading; `odds`: its log odds. Boxes with the same numbers count as one.
    """
    return np.hstack([context_columns(values, odds), values])


def context_columns(values: Floats, odds: Floats) -> Floats:
    """Return `CONTEXT_NAMES`, float32, shape (lines, numbers)."""
    count, odds = len(odds), np.clip(odds, BEYOND, -BEYOND)
    chance, width = logistic(odds).astype(np.float64), np.expm1(values[:, WIDTH]).astype(np.float64) + 1e-3
    body = chance * width
    groups = [_groups(values, columns) for columns in GROUPS]
    masses = [np.bincount(group, body) for group in groups]
    means = [mass / np.maximum(1e-9, np.bincount(group, width)) for group, mass in zip(groups, masses, strict=True)]
    index, last = np.arange(count), count - 1
    before, after = _nearest(chance > SURE)
    kept = likeliest(chance, width)
    kept_before, kept_after = _nearest(kept)
    sums = np.zeros((2, count + 1))  # of body and width, before each line
    np.cumsum((body, width), axis=1, out=sums[:, 1:])
    above, total = sums[0], max(1e-9, float(sums[0, -1]))
    padded = np.concatenate([[BEYOND] * 2, odds, [BEYOND] * 2])
    columns = (
        *(padded[2 - by : 2 - by + count] for by in (0, 1, 2, -1, -2)),
        *(_within(sums, body, width, lines) for lines in WINDOWS), above[:-1] / total, (total - above[1:]) / total,
        *(mean[group] for group, mean in zip(groups, means, strict=True)),
        *(mass[group] / total for group, mass in zip(groups, masses, strict=True)),
        np.minimum(index - before, FAR), np.minimum(after - index, FAR),
        *(np.where((near >= 0) & (near <= last), group[np.minimum(np.maximum(near, 0), last)] == group, -1)
          for group in groups[:2] for near in (before, after)),
        expected(chance, width, kept), kept,
        np.minimum(index - kept_before, FAR) + np.minimum(kept_after - index, FAR),
    )  # fmt: skip
    found: Floats = np.empty((len(CONTEXT_NAMES), count), np.float32)
    for row, column in zip(found, columns, strict=True):
        row[:] = column
    return found.T


def _groups(values: Floats, columns: Sequence[int]) -> NDArray[np.intp]:
    """Return a number for each line, the same for lines with the same values in all of some columns."""
    rows = np.ascontiguousarray(values[:, columns])
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * len(columns)))).ravel()
    return np.unique(keys, return_inverse=True)[1]


def _within(sums: Doubles, body: Doubles, width: Doubles, lines: int) -> Doubles:
    """Return the mean probability of the bytes of the next lines on each side, without the line itself."""
    index = np.arange(len(body))
    first, end = np.maximum(0, index - lines), np.minimum(len(body), index + lines + 1)
    near = sums[:, end] - sums[:, first]
    result: Doubles = (near[0] - body) / np.maximum(1e-9, near[1] - width)
    return result


def _nearest(chosen: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the nearest chosen line before and after each line; far outside of the page if there is none."""
    index, far = np.arange(len(chosen)), len(chosen) + FAR
    before = np.maximum.accumulate(np.where(chosen, index, -far))
    after = np.minimum.accumulate(np.where(chosen, index, far + len(chosen))[::-1])[::-1]
    return np.append(-far, before[:-1]), np.append(after[1:], far + len(chosen))
