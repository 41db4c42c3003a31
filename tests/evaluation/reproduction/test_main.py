"""The sources' own measures."""

import json

import pytest

from evaluation.reproduction.__main__ import main
from evaluation.reproduction.hamming import distance, hits, simhash

STORY = "The harbour office opened its new tide station on Monday after two years of repairs and of waiting. " * 3


def test_equal_texts_have_no_distance():
    assert distance(STORY, STORY) == 0


def test_a_text_without_words_is_never_right():
    assert distance("", "") == distance("", STORY) == distance(STORY, "…") == 64
    assert hits([distance("", "")]).precision == 0


def test_text_with_one_more_word_is_near_and_another_text_is_not():
    assert distance(STORY, STORY + "Really.") < 10
    assert distance(STORY, "Bread from old stones is baked by a retired mason in the old town every morning.") > 10


def test_simhash_is_the_same_each_time():
    assert simhash("one two three four five") == simhash("One two, three four five!")
    assert 0 <= simhash("one two three four five") < 2**64


def test_right_is_below_30_and_complete_below_10():
    found = hits([0, 9, 10, 29, 30])
    assert (found.precision, found.recall) == (0.8, 0.5)
    assert hits([40]).recall is None


def test_no_pages_have_no_figures():
    with pytest.raises(ValueError, match="no pages"):
        hits([])


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "sets" / "tides"
    (folder / "pages").mkdir(parents=True)
    (folder / "pages" / "1.html").write_text(f"<html><body><h1>Tides</h1><p>{STORY}</p></body></html>", "utf-8")
    row = {"id": "1", "file": "pages/1.html", "site": "s", "section": "t", "kind": "article", "body": STORY.strip()}
    (folder / "truth.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    (folder / "groups.json").write_text("[]", "utf-8")
    return tmp_path


def test_command_prints_each_method_and_its_mean(data, capsys):
    assert main([str(data), "articles"]) == 0
    printed = capsys.readouterr().out
    assert "line-blocks" in printed
    assert "mean" in printed


def test_unknown_part_is_named(data, capsys):
    with pytest.raises(SystemExit):
        main([str(data), "artikles"])
    assert "'artikles'" in capsys.readouterr().err
