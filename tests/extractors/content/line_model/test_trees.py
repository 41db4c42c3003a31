import json

import numpy as np
import pytest

from evaluation.tree_training import save
from extractors.content.line_model.trees import Trees, load
from extractors.errors import BadModel

NAMES = ("a", "b")
# One tree of depth 2: a > 0 asks first, b > 1 second; leaves by 1·[a > 0] + 2·[b > 1].
HAND = Trees(
    NAMES, np.array([[0, 1]]), np.array([[0.0, 1.0]], np.float32), np.array([[-2, 1, 3, 5]], np.float32), bias=0.5
)


@pytest.mark.parametrize(("row", "expected"), [((-1, 0), -1.5), ((1, 0), 1.5), ((-1, 2), 3.5), ((1, 2), 5.5)])
def test_answers_of_a_tree_written_by_hand(row, expected):
    assert HAND.log_odds(np.array([row], np.float32)).tolist() == [expected]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 9}, "another format"),
        ({"names": ["a", "c"]}, "other features"),
        ({"leaves": [[1.0]]}, "'leaves' has the wrong shape"),
        ({"bias": None}, "TypeError"),
        (None, "No such file"),
    ],
)
def test_a_file_that_is_no_model_is_named(tmp_path, change, said):
    path = tmp_path / "model.json"
    if change is not None:
        save(HAND, path, {})
        path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(BadModel, match=said) as error:
        load(path, NAMES)
    assert str(path) in str(error.value)
