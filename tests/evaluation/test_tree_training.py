import json

import numpy as np
import pytest

from evaluation.tree_training import Shape, fit, save
from extractors.content.line_model.trees import load
from extractors.learned import logistic

NAMES = ("a", "b")
SMALL = Shape(trees=80)


def learned(count=2_000):
    values = np.random.default_rng(0).normal(0, 1, (count, 2)).astype(np.float32)
    target = ((values[:, 0] > 0) ^ (values[:, 1] > 0)).astype(np.float64)
    return fit(NAMES, values, target, np.ones(count), SMALL), values, target


def test_what_neither_feature_tells_alone_is_learned():
    model, values, target = learned()
    assert ((logistic(model.log_odds(values)) > 0.5) == (target > 0.5)).mean() > 0.95


def test_the_same_rows_teach_the_same_to_the_bit():
    (one, *_), (two, *_) = learned(300), learned(300)
    assert one.leaves.tobytes() == two.leaves.tobytes()
    assert one.thresholds.tobytes() == two.thresholds.tobytes()


def test_drawn_rows_give_the_shares_of_all_rows():
    draw = np.random.default_rng(0)
    values = draw.integers(0, 2, (20_000, 2)).astype(np.float32)
    share = np.where(values[:, 0] > 0, 0.7, 0.05)
    target = (draw.random(20_000) < share).astype(np.float64)
    told = logistic(fit(NAMES, values, target, np.ones(20_000), SMALL).log_odds(values))
    for rare in (True, False):
        group = (values[:, 0] == 0) == rare
        assert told[group].mean() == pytest.approx(target[group].mean(), abs=0.02)


def test_rows_without_weight_teach_nothing():
    values = np.array([[0.0, 0], [1, 0]] * 50, np.float32)
    target = np.array([0.0, 1] * 50)
    wrong = np.tile([1.0, 0], 50)
    weight = np.concatenate([np.ones(100), np.zeros(100)])
    model = fit(NAMES, np.concatenate([values, values]), np.concatenate([target, wrong]), weight, SMALL)
    assert (logistic(model.log_odds(values)) > 0.5).tolist() == (target > 0.5).tolist()


def test_a_stored_model_answers_as_before(tmp_path):
    model, values, _ = learned(300)
    save(model, tmp_path / "model.json", {"pages": 3})
    again = load(tmp_path / "model.json", NAMES)
    assert np.allclose(again.log_odds(values), model.log_odds(values), atol=0.01)
    assert json.loads((tmp_path / "model.json").read_text())["pages"] == 3
