import json

import pytest

from evaluation.data import DataError, read_sets

from . import layouts


def test_sets_have_articles_and_lists(tmp_path):
    (one,) = read_sets(layouts.normalised(tmp_path))
    assert one.name == "gazette"
    assert [row.id for row in one.articles()] == ["bakery", "gauge", "library"]
    assert [row.id for row in one.lists()] == ["index"]
    assert one.articles()[1].html() == layouts.page("gauge")


def test_errors_say_where(tmp_path):
    with pytest.raises(DataError, match="not a folder"):
        read_sets(tmp_path / "nowhere")
    with pytest.raises(DataError, match="has no sets"):
        read_sets(tmp_path)
    layouts.normalised(tmp_path)
    truth = tmp_path / "sets/gazette/truth.jsonl"
    truth.write_text(truth.read_text() + json.dumps({"id": "x"}) + "\n")
    with pytest.raises(DataError, match=r"truth\.jsonl, line 6: KeyError: 'file'"):
        read_sets(tmp_path)
