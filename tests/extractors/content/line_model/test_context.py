"""The second reading of a page knows what the first one says of the lines around."""

import numpy as np
import pytest

from extractors.content.line_model.context import (
    CONTEXT_NAMES,
    SECOND,
    LineModel,
    load_model,
    second_of,
)
from extractors.content.line_model.line_columns import NAMES
from extractors.content.line_model.opinion import ARTICLES
from extractors.content.line_model.trees import Trees
from extractors.learned import logistic


def page():
    """Return the numbers of six lines of the same width."""
    values = np.zeros((6, len(NAMES)), np.float32)
    values[:, NAMES.index("width")] = np.log1p(100)
    return values


def trees(feature, limit, below, above, names):
    features, thresholds = np.array([[names.index(feature)]]), np.array([[limit]], np.float32)
    return Trees(tuple(names), features, thresholds, np.array([[below, above]], np.float32), 0.0)


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
