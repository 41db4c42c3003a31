import json

import numpy as np
import pytest

from extractors.content.line_model.trees import Trees, fit, load, save
from extractors.errors import BadModel
from extractors.learned import logistic

NAMES = ("a", "b")
# One tree of depth 2: a > 0 asks first, b > 1 second; leaves by 1·[a > 0] + 2·[b > 1].
HAND = Trees(
    NAMES, np.array([[0, 1]]), np.array([[0.0, 1.0]], np.float32), np.array([[-2, 1, 3, 5]], np.float32), bias=0.5
)


def learned(count=2_000):
    values = np.random.default_rng(0).normal(0, 1, (count, 2)).astype(np.float32)
    target = ((values[:, 0] > 0) ^ (values[:, 1] > 0)).astype(np.float64)
    return fit(NAMES, values, target, np.ones(count)), values, target


@pytest.mark.parametrize(("row", "expected"), [((-1, 0), -1.5), ((1, 0), 1.5), ((-1, 2), 3.5), ((1, 2), 5.5)])
def test_answers_of_a_tree_written_by_hand(row, expected):
    assert HAND.log_odds(np.array([row], np.float32)).tolist() == [expected]


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
    told = logistic(fit(NAMES, values, target, np.ones(20_000)).log_odds(values))
    for rare in (True, False):
        group = (values[:, 0] == 0) == rare
        assert told[group].mean() == pytest.approx(target[group].mean(), abs=0.02)


def test_rows_without_weight_teach_nothing():
    values = np.array([[0.0, 0], [1, 0]] * 50, np.float32)
    target = np.array([0.0, 1] * 50)
    wrong = np.tile([1.0, 0], 50)
    weight = np.concatenate([np.ones(100), np.zeros(100)])
    model = fit(NAMES, np.concatenate([values, values]), np.concatenate([target, wrong]), weight)
    assert (logistic(model.log_odds(values)) > 0.5).tolist() == (target > 0.5).tolist()


def test_a_constant_feature_is_never_asked():
    values = np.random.default_rng(0).normal(0, 1, (300, 2)).astype(np.float32)
    values[:, 1] = 7
    model = fit(NAMES, values, (values[:, 0] > 0).astype(np.float64), np.ones(300))
    above = values.copy()
    above[:, 1] = 9
    assert model.log_odds(values).tolist() == model.log_odds(above).tolist()


def test_a_stored_model_answers_as_before(tmp_path):
    model, values, _ = learned(300)
    save(model, tmp_path / "model.json", {"pages": 3})
    again = load(tmp_path / "model.json", NAMES)
    assert np.allclose(again.log_odds(values), model.log_odds(values), atol=0.01)
    assert json.loads((tmp_path / "model.json").read_text())["pages"] == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 9}, "format 9"),
        ({"names": ["a", "c"]}, "other features"),
        ({"leaves": [[1.0]]}, "differ in length"),
        ({"bias": None}, "not a valid tree model"),
    ],
)
def test_a_file_that_is_no_model_is_named(tmp_path, change, said):
    path = tmp_path / "model.json"
    save(HAND, path, {})
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(BadModel, match=said) as error:
        load(path, NAMES)
    assert str(path) in str(error.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(BadModel, match=r"none\.json"):
        load(tmp_path / "none.json", NAMES)
