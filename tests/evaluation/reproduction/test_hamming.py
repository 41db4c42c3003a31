"""The measure of source 003."""

from evaluation.reproduction.hamming import distance, hits

STORY = "The harbour office opened its new tide station on Monday after two years of repairs and of waiting. " * 3


def test_a_text_without_words_is_never_right():
    assert distance("", "") == distance("", STORY) == distance(STORY, "…") == 64
    assert hits([distance("", "")]).precision == 0


def test_text_with_one_more_word_is_near_and_another_text_is_not():
    assert distance(STORY, STORY + "Really.") < 10
    assert distance(STORY, "Bread from old stones is baked by a retired mason in the old town every morning.") > 10


def test_right_is_below_30_and_complete_below_10():
    found = hits([0, 9, 10, 29, 30])
    assert (found.precision, found.recall) == (0.8, 0.5)
    assert hits([40]).recall is None
