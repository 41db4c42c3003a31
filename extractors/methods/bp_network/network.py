"""The network (BP神经网络): 12 inputs, 5 hidden units, 1 output, `logsig` everywhere, learning by back-propagation.

For a line with inputs x and expected output d (1: body, 0: noise):

    y = logsig(x V + b)          hidden layer, V 12 × 5
    o = logsig(y w + c)          output
    E = (d − o)²                 error; its goal is 0.05
    δ_o = (d − o) o (1 − o)      δ_y = δ_o w y (1 − y)
    w += η δ_o y,  V += η x δ_y  and the thresholds alike; η = 0.2

`learn_line_by_line` is the source's procedure: each line is repeated until its error is within the goal, then the next
one is read; all lines once. So the last lines have more effect than the first. `learn` is ours: all lines in random
order, with the sums of `BATCH` lines at a time, for a number of rounds.

In both, inputs are shifted and scaled to mean 0 and deviation 1. The same networks can be expressed (V and b could
scale as well), only the start of the training differs; the source does not describe how it scaled lengths of hundreds
of characters.

Everything is float64. A seed fixes the first weights and the order of lines, so the same lines give the same weights,
bit for bit on one machine.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...learned import check_arrays, logistic, model_file, write_rows

Values = NDArray[np.float64]

PER_LINE = 4  # numbers of a line: y, z, p, s
INPUTS = 3 * PER_LINE  # of a line, and of the lines before and after it
HIDDEN = 5  # units of the hidden layer, as in the source
BODY = 0.5  # output above which a single line is body
RATE = 0.2
GOAL = 0.05  # squared error of a line
BATCH = 16  # lines; the source's procedure has 1
ROUNDS = 20
MAX_REPEATS = 1_000  # repetitions of one line; contradictory lines would otherwise be repeated without end
SPREAD = 0.3  # standard deviation of the first weights
FORMAT = 1  # version of the format of the weights file
USED, VERBATIM = "used", "verbatim"  # forms of the inputs, see `features`


@dataclass(frozen=True, slots=True)
class Network:
    """Learned numbers, float64: `mean` and `scale` (12) of the inputs; `hidden` (12 × 5) and its thresholds (5);
    `output` (5) and its threshold (1).
    """

    mean: Values
    scale: Values
    hidden: Values
    hidden_threshold: Values
    output: Values
    output_threshold: Values

    def __call__(self, inputs: Values) -> Values:
        """Return the output for each line, 0 (noise) to 1 (body); `inputs` has shape (lines, 12)."""
        hidden = logistic((inputs - self.mean) / self.scale @ self.hidden + self.hidden_threshold)
        return logistic(hidden @ self.output + self.output_threshold)


def untrained(inputs: Values, seed: int, hidden: int = HIDDEN) -> Network:
    """Return a network of `hidden` units with random weights that scales its inputs by the statistics of `inputs`."""
    random = np.random.default_rng(seed)
    scale = inputs.std(axis=0)
    return Network(
        mean=inputs.mean(axis=0),
        scale=np.where(scale > 0, scale, 1.0),
        hidden=random.normal(0, SPREAD, (INPUTS, hidden)),
        hidden_threshold=random.normal(0, SPREAD, hidden),
        output=random.normal(0, SPREAD, hidden),
        output_threshold=random.normal(0, SPREAD, 1),
    )


def learn(
    inputs: Values, expected: Values, seed: int = 1, rounds: int = ROUNDS, hidden: int = HIDDEN
) -> Iterator[Network]:
    """Yield the network after each round over all lines. `inputs`: (lines, 12); `expected`: (lines,), 0 or 1.

    `hidden`: number of hidden units.

    It is always the same network, which continues to learn: copy the state that is to be kept.
    """
    network = untrained(inputs, seed, hidden)
    scaled = (inputs - network.mean) / network.scale
    random = np.random.default_rng([seed, 1])
    for _ in range(rounds):
        order = random.permutation(len(scaled))
        for start in range(0, len(order), BATCH):
            lines = order[start : start + BATCH]
            _adjust(network, scaled[lines], expected[lines])
        yield network


def learn_line_by_line(inputs: Values, expected: Values, seed: int = 1, hidden: int = HIDDEN) -> Iterator[Network]:
    """Yield the network after each line, repeated until its error is within the goal: the procedure of the source.

    Parameters as for `learn`.
    """
    network = untrained(inputs, seed, hidden)
    scaled = (inputs - network.mean) / network.scale
    for line in range(len(scaled)):
        one = slice(line, line + 1)
        for _ in range(MAX_REPEATS):
            if _adjust(network, scaled[one], expected[one]) <= GOAL:
                break
        yield network


def _adjust(network: Network, x: Values, d: Values) -> float:
    """Change the weights by one step for some scaled lines; return the mean error of the lines before it.

    A line within the goal changes nothing if it is the only one.
    """
    y = logistic(x @ network.hidden + network.hidden_threshold)
    o = logistic(y @ network.output + network.output_threshold)
    error = float(np.mean((d - o) ** 2))
    if len(x) == 1 and error <= GOAL:
        return error
    delta_o = (d - o) * o * (1 - o)
    delta_y = np.outer(delta_o, network.output) * y * (1 - y)
    network.output[:] += RATE * delta_o @ y
    network.output_threshold[:] += RATE * delta_o.sum()
    network.hidden[:] += RATE * x.T @ delta_y
    network.hidden_threshold[:] += RATE * delta_y.sum(axis=0)
    return error


def save(network: Network, path: Path, form: str, about: dict[str, Any]) -> None:
    """Write the weights as JSON, without rounding. `form`: of the inputs in training; `about`: their origin.

    Raises `OSError`.
    """
    numbers = {name: getattr(network, name).tolist() for name in Network.__slots__}
    everything = {**_head(form), **about, **numbers}
    write_rows(path, everything)


def load(path: Path, form: str) -> Network:
    """Return the weights in a file. Raises `BadModel` if it has none for this form or cannot be read."""
    of_inputs = {"mean": (INPUTS,), "scale": (INPUTS,), "hidden": (INPUTS, HIDDEN)}
    with model_file(path) as stored:
        found = {key: stored.get(key) for key in _head(form)}
        if found != _head(form):
            raise ValueError(f"expected {_head(form)}, found {found}")
        numbers = {name: np.array(stored[name], np.float64) for name in Network.__slots__}
        check_arrays(
            numbers, of_inputs | {"hidden_threshold": (HIDDEN,), "output": (HIDDEN,), "output_threshold": (1,)}
        )
        return Network(**numbers)


def _head(form: str) -> dict[str, Any]:
    return {"format": FORMAT, "form": form, "inputs": INPUTS, "hidden_units": HIDDEN}
