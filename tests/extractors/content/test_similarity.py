import pytest

from extractors.content.similarity import align
from extractors.html.lines import PathTrie
from tests.extractors.pages import lines_of


def similarity(example, page):
    trie = PathTrie()
    lines = [lines_of("".join(f"<p>{text}</p>" for text in texts), trie) for texts in (example, page)]
    return align(*lines)


def test_shared_lines_match_whatever_stands_between_them():
    result = similarity(["nav", "short body", "foot"], ["nav", "a body", "of more", "than one line", "foot"])
    assert result.page == [1, 0, 0, 0, 1]
    assert result.example == [1, 0, 1]


def test_dates_and_counters_match_although_their_digits_differ():
    assert similarity(["12 March, 1,204 readers"], ["3 April, 96 readers"]).page == [0]
    assert similarity(["12 March, 1204 readers"], ["13 March, 96 readers"]).page == [1]


def test_near_equal_short_line_in_a_small_gap_matches_in_part():
    result = similarity(["nav", "Read 3 comments", "foot"], ["nav", "Read 1 comment", "foot"])
    assert result.page == [1, pytest.approx(14 / 15), 1]


def test_near_equal_line_in_a_wide_gap_does_not_match():
    result = similarity(["nav", "a b c", "d e f", "Read 3 comments", "foot"], ["nav", "Read 1 comment", "foot"])
    assert result.page == [1, 0, 1]


def test_near_equal_long_line_does_not_match():
    prose = "The council met on the {} floor of the town hall and spoke about the chimney for two hours."
    assert similarity(["nav", prose.format("first")], ["nav", prose.format("third")]).page == [1, 0]


def test_order_counts():
    assert sorted(similarity(["alpha", "omega"], ["omega", "alpha"]).page) == [0, 1]


def test_very_long_pages_are_aligned_at_both_ends(monkeypatch):
    monkeypatch.setattr("extractors.content.similarity.ALIGNED_LINES", 4)
    example = ["nav", "top", "a", "b", "c", "bottom", "foot"]
    page = ["nav", "top", "x", "a", "y", "z", "bottom", "foot"]
    assert similarity(example, page).page == [1, 1, 0, 0, 0, 0, 1, 1]
