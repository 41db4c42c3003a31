"""The second reading of a page knows what the first one says of the lines around."""

import numpy as np
import pytest

from extractors.content.line_model.context import (
    BEYOND,
    CONTEXT_NAMES,
    SECOND,
    LineModel,
    context_columns,
    load_model,
    second_of,
)
from extractors.content.line_model.line_columns import FAR, NAMES
from extractors.content.line_model.opinion import ARTICLES
from extractors.content.line_model.trees import Trees
from extractors.learned import logistic

ODDS = np.array([-4.0, 3.0, 0.6, -3.0, 4.0, -5.0], np.float32)  # the third line is likely to be body, but not surely
BOXES = (0, 1, 1, 2, 1, 0)


def page(boxes=BOXES, width=100):
    """Return the numbers of lines of the same width in boxes that differ in their numbers."""
    values = np.zeros((len(boxes), len(NAMES)), np.float32)
    values[:, NAMES.index("width")] = np.log1p(width)
    values[:, NAMES.index("box_prose")] = boxes
    return values


def columns(values=None, odds=ODDS):
    found = context_columns(page() if values is None else values, odds)
    assert found.shape == (len(odds), len(CONTEXT_NAMES))
    return {name: found[:, place].tolist() for place, name in enumerate(CONTEXT_NAMES)}


def trees(feature, limit, below, above, names):
    features, thresholds = np.array([[names.index(feature)]]), np.array([[limit]], np.float32)
    return Trees(tuple(names), features, thresholds, np.array([[below, above]], np.float32), 0.0)


def test_each_line_knows_its_neighbours():
    found = columns()
    assert found["odds"] == ODDS.tolist()
    assert found["odds_1_before"] == [BEYOND, *ODDS[:-1]]
    assert found["odds_2_before"] == [BEYOND, BEYOND, *ODDS[:-2]]
    assert found["odds_1_after"] == [*ODDS[1:], BEYOND]
    assert found["odds_2_after"] == [*ODDS[2:], BEYOND, BEYOND]
    assert found["since_sure"] == [FAR, FAR, 1, 2, 3, 1]
    assert found["until_sure"] == [1, 3, 2, 1, FAR, FAR]
    assert found["likeliest"] == [0, 1, 1, 0, 1, 0]
    assert found["gap"] == [FAR + 1, FAR + 1, 3, 2, FAR + 2, FAR + 1]


def test_each_line_knows_its_box_and_whether_the_body_beside_it_is_in_the_same():
    found, chance = columns(), logistic(ODDS)
    assert found["box_chance"][1] == pytest.approx(chance[[1, 2, 4]].mean(), abs=1e-4)
    assert found["box_body"][1] == pytest.approx(chance[[1, 2, 4]].sum() / chance.sum(), abs=1e-4)
    assert found["box_of_sure_before"] == [-1, -1, 1, 0, 1, 0]
    assert found["box_of_sure_after"] == [0, 1, 1, 0, -1, -1]
    assert found["around_of_sure_after"][:4] == [1, 1, 1, 1]


def test_the_result_is_between_both_readings():
    first = trees("width", 0.0, -1.0, 1.0, NAMES)
    second = trees("odds_1_before", -2.0, -3.0, 3.0, [*CONTEXT_NAMES, *NAMES])
    alone = np.full(6, logistic(np.float32(1.0)))
    assert [found.tolist() for found in LineModel(first).chances(page())] == [alone.tolist()] * 2
    both, before = LineModel(first, second).chances(page())
    assert both == pytest.approx(logistic(np.array([1 - 4 * SECOND, *[1 + 2 * SECOND] * 5])))
    assert before.tolist() == alone.tolist()


def test_the_second_reading_is_beside_the_first_one(tmp_path):
    assert load_model(ARTICLES, NAMES).second.names == (*CONTEXT_NAMES, *NAMES)
    alone = tmp_path / "articles.json"
    alone.write_bytes(ARTICLES.read_bytes())
    assert second_of(alone).name == "articles-context.json"
    assert load_model(alone, NAMES).second is None
