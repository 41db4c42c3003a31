import json

import numpy as np
import pytest

from evaluation.page_type_learning import fit, save
from extractors.errors import BadModel
from extractors.page_types.model import load

NAMES = ("prose", "links", "nothing")


def learned():
    random = np.random.default_rng(1)
    values = random.normal(0, 1, (200, 3))
    values[:, 2] = 0
    article = values[:, 0] - 0.5 * np.abs(values[:, 1]) > -0.3
    return fit(NAMES, values, article, np.ones(200)), values, article


def test_it_learns():
    model, values, article = learned()
    assert ((model.log_odds(values) > 0) == article).mean() > 0.85


def test_a_number_may_speak_for_articles_in_its_middle():
    values = np.random.default_rng(2).normal(0, 1, (400, 1))
    model = fit(("size",), values, np.abs(values[:, 0]) < 0.7, np.ones(400))
    low, middle, high = model.log_odds(np.array([[-2.0], [0], [2]]))
    assert middle > max(low, high)


def test_contributions_and_bias_make_the_log_odds():
    model, values, _ = learned()
    assert np.allclose(model.contributions(values).sum(axis=1) + model.bias[0], model.log_odds(values))
    assert np.all(model.contributions(values)[:, 2] == 0)


def test_weights_count_as_repetitions():
    _, values, article = learned()
    twice = np.where(np.arange(200) < 50, 2.0, 1.0)
    order = np.concatenate([np.arange(200), np.arange(50)])
    one = fit(NAMES, values, article, twice)
    other = fit(NAMES, values[order], article[order], np.ones(250))
    assert np.allclose(one.mean, other.mean)
    assert np.allclose(one.scale, other.scale)


def test_a_value_far_out_says_no_more_than_four_deviations():
    model, values, _ = learned()
    far = np.repeat(values[:1], 2, axis=0)
    far[:, 0] = (1e3, 1e9)
    assert model.log_odds(far)[0] == model.log_odds(far)[1]


def test_saved_and_loaded_it_is_the_same_to_the_bit(tmp_path):
    model, values, _ = learned()
    save(model, tmp_path / "m.json", {"sites": 3})
    again = load(tmp_path / "m.json", NAMES)
    assert again.log_odds(values).tobytes() == model.log_odds(values).tobytes()
    assert (again.names, again.article_from, again.list_to) == (NAMES, model.article_from, model.list_to)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 99}, "another format"),
        ({"names": ["prose", "links", "unheard of"]}, "other numbers"),
        ({"mean": [0.0]}, "'mean' has the wrong shape"),
        ({"mean": [0.0, None, 1.0]}, "'mean'"),
        ({"bias": ["x"]}, "ValueError"),
    ],
)
def test_a_bad_file_is_named(tmp_path, change, said):
    path = tmp_path / "m.json"
    save(learned()[0], path, {})
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), "utf-8")
    with pytest.raises(BadModel, match=said) as error:
        load(path, NAMES)
    assert str(path) in str(error.value)


def test_a_number_that_a_page_lacks_counts_as_the_mean():
    model, _, _ = learned()
    whole = dict(zip(model.names, model.mean.tolist(), strict=True))
    rows = np.stack([model.row(features) for features in (whole, {model.names[1]: whole[model.names[1]]}, {})])
    assert np.isnan(rows).sum(axis=1).tolist() == [0, len(model.names) - 1, len(model.names)]
    assert np.array_equal(*model.contributions(rows)[[0, 2]])
    assert np.array_equal(*model.contributions(rows)[[0, 1]])
