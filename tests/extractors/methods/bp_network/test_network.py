import json
from dataclasses import astuple

import numpy as np
import pytest

from extractors.errors import BadModel
from extractors.learned import logistic
from extractors.methods.bp_network import network as module
from extractors.methods.bp_network.extractor import VERBATIM_WEIGHTS, WEIGHTS
from extractors.methods.bp_network.network import (
    USED,
    VERBATIM,
    learn,
    learn_line_by_line,
    load,
    save,
    untrained,
)


def lines(count=200, seed=5):
    """Lines that are body if their first input is above the second: the others are noise."""
    inputs = np.random.default_rng(seed).normal(0, 1, (count, 12))
    return inputs, (inputs[:, 0] > inputs[:, 1]).astype(np.float64)


def last(networks):
    *_, network = networks
    return network


@pytest.mark.parametrize("units", [3, 5, 9])
def test_outputs_are_those_of_the_formula(units):
    inputs, _ = lines()
    network = untrained(inputs * 50 + 7, seed=3, hidden=units)
    assert network.output.shape == (units,)
    hidden = logistic((inputs - network.mean) / network.scale @ network.hidden + network.hidden_threshold)
    expected = logistic(hidden @ network.output + network.output_threshold)
    np.testing.assert_allclose(network(inputs), expected, rtol=1e-12)


def test_gradient_is_that_of_the_squared_error():
    inputs, expected = lines(1)
    network = untrained(np.vstack([inputs, inputs + 1, inputs - 1]), seed=3)
    before = [value.copy() for value in astuple(network)]

    def error(name, place, change):
        value = getattr(network, name)
        value[place] += change
        result = float((expected[0] - network(inputs)[0]) ** 2) / 2
        value[place] -= change
        return result

    slope = (error("hidden", (2, 4), 1e-6) - error("hidden", (2, 4), -1e-6)) / 2e-6
    module._adjust(network, (inputs - network.mean) / network.scale, expected)
    np.testing.assert_allclose(network.hidden[2, 4] - before[2][2, 4], -module.RATE * slope, rtol=1e-4)


def test_learning_separates_body_from_noise():
    inputs, expected = lines()
    network = last(learn(inputs, expected, rounds=60))
    assert ((network(inputs) > 0.5) == (expected > 0.5)).mean() > 0.95


@pytest.mark.parametrize("learning", [learn, learn_line_by_line])
def test_a_seed_gives_the_same_weights_and_another_seed_others(learning):
    weights = [[value.tobytes() for value in astuple(last(learning(*lines(), seed=seed)))] for seed in (1, 1, 2)]
    assert weights[0] == weights[1] != weights[2]


def test_weights_survive_their_file_exactly(tmp_path):
    network = last(learn(*lines(), rounds=2))
    save(network, tmp_path / "w.json", USED, {"seed": 1})
    stored = load(tmp_path / "w.json", USED)
    assert [value.tobytes() for value in astuple(stored)] == [value.tobytes() for value in astuple(network)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no json", "JSONDecodeError"),
        ("[]", "AttributeError"),
        ('{"format": 1}', "expected .*'form': 'used'"),
        ('{"format": 1, "form": "used", "inputs": 12, "hidden_units": 5, "mean": [1]}', "KeyError"),
    ],
)
def test_a_file_without_weights_is_named(tmp_path, text, words):
    path = tmp_path / "w.json"
    path.write_text(text, "utf-8")
    with pytest.raises(BadModel, match=words) as error:
        load(path, USED)
    assert str(path) in str(error.value)


def test_weights_of_another_shape_are_refused(tmp_path):
    stored = json.loads(WEIGHTS.read_text("utf-8"))
    (tmp_path / "w.json").write_text(json.dumps(stored | {"output": [0.5] * 4}), "utf-8")
    with pytest.raises(BadModel, match="'output'"):
        load(tmp_path / "w.json", USED)


@pytest.mark.parametrize(("path", "form"), [(WEIGHTS, USED), (VERBATIM_WEIGHTS, VERBATIM)])
def test_shipped_weights_load(path, form):
    assert load(path, form)(np.zeros((3, 12))).shape == (3,)
