"""Which words lines share: with the title, the first paragraphs, earlier paragraphs and those around them."""

import numpy as np
import pytest

from extractors.content.line_model.features import NAMES, features_of
from extractors.content.line_model.topics import NAMES as TOPICS
from extractors.content.line_model.topics import READ, topic_columns
from extractors.content.page_body import rules_body

from ...pages import HARBOUR, parsed


def columns(texts, title=0, paragraphs=()):
    flags = np.isin(np.arange(len(texts)), list(paragraphs))
    return dict(zip(TOPICS, (np.asarray(one).tolist() for one in topic_columns(texts, title, flags)), strict=True))


def test_words_of_the_title_are_counted_in_the_other_lines():
    found = columns(["Harbour bridge", "the HARBOUR was closed", "bakery", "harbours and bridges burn"])
    assert found["title_words"] == pytest.approx([0, 1 / 2, 0, 2 / 3])  # "the", "was", "and" are too short
    assert found["of_title"] == [0, 0.5, 0, 1]  # "bridge" and "bridges" begin alike, "harbour" and "harbours" too
    assert found["title_words_near"] == pytest.approx([3 / 8] * 4)


def test_chinese_words_are_pairs_of_neighbours():
    found = columns(["大桥通车", "新大桥", "面包店", "a"])
    assert found["title_words"] == pytest.approx([0, 1 / 2, 0, -1])
    assert found["of_title"] == pytest.approx([0, 1 / 3, 0, 0])


def test_without_a_title_or_words_there_is_nothing_to_compare():
    found = columns(["harbour bridge", "harbour bridge"], title=-1)
    assert found["of_title"] == found["title_words_near"] == [-1, -1]
    assert all(np.isfinite(np.asarray(one)).all() for one in columns(["1", "?"]).values())
    assert columns([""])["title_words"] == [-1]


def test_paragraphs_are_compared_with_the_opening_earlier_and_near_ones():
    texts = ["Tides", "water gauge level", "gauge keeper", "level ground", "oven bread", "bread flour", "gauge"]
    found = columns(texts, paragraphs=range(1, 6))
    assert found["opening_words"] == pytest.approx([1, 2 / 3, 1 / 2, 1 / 2, 0, 0, 1])
    assert found["known_words"] == pytest.approx([-1, 0, 1 / 2, 1 / 2, 0, 1 / 2, -1])
    assert found["words_around"] == pytest.approx([-1, 2 / 3, 1 / 2, 1 / 2, 1 / 2, 1 / 2, -1])


def test_common_words_and_the_rest_of_long_lines_do_not_count():
    texts = ["Harbour", *["harbour is shown here"] * 4, "closed"]
    assert columns(texts)["title_words"] == [-1, *[-1] * 4, 0]
    assert columns(["Harbour", f"{'.' * READ} harbour", "bread"])["title_words"] == [0, -1, 0]


def test_a_line_break_within_a_text_is_no_new_line():
    assert columns(["Harbour", "bread\nflour", "harbour"])["title_words"] == [0, 0, 1]


def test_levels_to_title_and_first_paragraph_tell_the_article_from_the_box_beside():
    story, other = (f"<div><p>{text}</p></div>" for text in HARBOUR[:2])
    page = parsed(f"<title>Tides rise</title><div><section><h1>Tides rise</h1>{story}</section><section>{other}</section></div>")
    values = features_of(page.lines, page.prior, rules_body(page.lines, page.prior))
    levels = {name: values[:, NAMES.index(name)].tolist() for name in NAMES if "levels" in name}
    assert page.lines.texts[0] == "Tides rise"
    assert levels["title_levels"] == [0, 1, 1]  # sections without names are one path: see `html/paths.py`
    assert levels["levels_to_title"] == [0, 2, 2]
    assert levels["opening_levels"][0] == 2
