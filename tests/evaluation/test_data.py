import json

import pytest

from evaluation.data import DataError, read_sets

from . import layouts


def test_normalised_layout(tmp_path):
    (one,) = read_sets(layouts.normalised(tmp_path))
    assert one.name == "gazette"
    assert [row.id for row in one.articles()] == ["bakery", "gauge", "library"]
    assert [row.id for row in one.lists()] == ["index"]
    assert one.articles()[1].html() == layouts.page("gauge")


def test_one_set_of_the_normalised_layout_by_itself(tmp_path):
    layouts.normalised(tmp_path)
    assert [one.name for one in read_sets(tmp_path / "sets" / "gazette")] == ["gazette"]


def test_scrapinghub_layout(tmp_path):
    (one,) = read_sets(layouts.scrapinghub(tmp_path))
    assert one.name == "scrapinghub_published"
    assert [row.id for row in one.articles()] == ["bakery", "gauge", "library"]
    assert one.articles()[0].body == layouts.body("bakery")
    assert one.articles()[0].html() == layouts.page("bakery")
    assert one.pairs() == []


@pytest.mark.parametrize("nested", [False, True])
def test_fundus_layout(tmp_path, nested):
    (one,) = read_sets(layouts.fundus(tmp_path, nested))
    first = one.articles()[0]
    assert one.name == "fundus_published"
    assert (first.id, first.group, first.optional) == ("Gazette_0", "Gazette", (4,))
    assert first.body == layouts.body("gauge")
    assert first.html() == layouts.page("gauge")
    assert len(one.pairs()) == 6


def test_layouts_are_found_one_level_down(tmp_path):
    layouts.fundus(tmp_path / "fundus-evaluation")
    layouts.scrapinghub(tmp_path / "article-extraction-benchmark")
    layouts.normalised(tmp_path / "own")
    assert [one.name for one in read_sets(tmp_path)] == ["fundus_published", "gazette", "scrapinghub_published"]


def test_checksum_follows_the_truth(tmp_path):
    layouts.normalised(tmp_path)
    before = read_sets(tmp_path)[0].checksum
    truth = tmp_path / "sets/gazette/truth.jsonl"
    truth.write_text(truth.read_text().replace("harbour", "haven"))
    assert read_sets(tmp_path)[0].checksum != before


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


def test_missing_page_is_an_error_of_the_data(tmp_path):
    layouts.normalised(tmp_path)
    (tmp_path / "sets/gazette/pages/gauge.html").unlink()
    with pytest.raises(DataError, match="page gauge"):
        read_sets(tmp_path)[0].articles()[1].html()
