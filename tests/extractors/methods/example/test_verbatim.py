import numpy as np
import pytest

from extractors import NoArticle, Section, extract
from extractors.methods.example.verbatim import curves, similarities, turning_point
from tests.extractors.pages import BAKERY, HARBOUR, news_page

EXAMPLE = news_page("Tide station opens", HARBOUR)


def test_similarity_is_one_less_the_share_of_edits_in_each_window():
    assert similarities("abcdef", "abXdef", 3).tolist() == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1])


def test_sequences_are_as_long_as_both_texts_have_windows():
    found = curves("a" * 30, "a" * 25, window=20)
    assert (len(found.fs), len(found.bs)) == (6, 6)
    assert found.fs.dtype == np.float32


def test_text_shorter_than_the_window_has_no_curve():
    assert len(curves("short", "short too", window=20).fs) == 0


def test_turning_point_is_where_the_curve_has_fallen():
    assert turning_point(np.array([1, 0.9, 0.4, 1, 0.1, 0.2, 0.6], np.float32)) == 4


def test_turning_points_bound_what_the_pages_do_not_share():
    head, tail = "the same head of every page. " * 3, "and the same tail of every page. " * 3
    found = curves(f"{head}{HARBOUR[0]}{tail}", f"{head}{BAKERY[0]}{tail}", window=10)
    assert abs(found.head - len(head)) <= 2
    assert abs(found.tail - len(head + BAKERY[0])) <= 5


def test_page_that_equals_the_example_has_no_body():
    assert isinstance(extract(EXAMPLE, example=EXAMPLE, method="example-verbatim"), NoArticle)


def test_method_needs_an_example():
    with pytest.raises(ValueError, match="needs an example"):
        Section(None, method="example-verbatim")
