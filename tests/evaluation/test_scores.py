import numpy as np
import pytest

from evaluation.scores import Score, auc, bootstrap, score, score_with_optional

TEXT = "one two three four five six seven eight"


def test_half_a_text_is_precise_and_has_its_share_of_shingles():
    assert score("one two three four five", TEXT) == Score(1.0, 2 / 5)


def test_text_with_noise_loses_precision():
    assert score(f"{TEXT} and then some more", TEXT) == Score(5 / 9, 1.0)


def test_chinese_characters_are_words():
    assert score("港务局周一开放", "港务局周一开放了") == Score(1.0, 4 / 5)


def test_repeated_text_counts_once():
    assert score("a b c d a b c d", "a b c d").precision == 1 / 5


def test_empty_text_is_lost_and_two_empty_texts_agree():
    assert score("", TEXT) == Score(None, 0.0)
    assert score("", TEXT).f1 == 0.0
    assert score("", "").f1 == 1.0
    assert score(TEXT, "").f1 == 0.0


@pytest.mark.parametrize("kept", [(0, 1, 2), (0, 1), (1, 2), (1,)])
def test_optional_paragraphs_are_right_in_or_out(kept):
    paragraphs = ["the summary on top of it all", TEXT, "reporting by a man and a woman"]
    assert score_with_optional("\n".join(paragraphs[i] for i in kept), paragraphs, (0, 2)).f1 == 1.0


def test_bootstrap_is_the_same_for_a_seed():
    scores = {str(n): [Score(n / 10, 0.9)] for n in range(1, 10)}
    assert bootstrap(scores, 1) == bootstrap(scores, 1) != bootstrap(scores, 2)
    assert 0.05 < bootstrap(scores, 1) < 0.3


@pytest.mark.parametrize(
    ("values", "share"),
    [([0.1, 0.2, 0.8, 0.9], 1), ([0.5] * 4, 0.5), ([0.9, 0.8, 0.1, 0], 0), ([0.1, 0.9, 0.5, 0.9], 0.625)],
)
def test_the_area_under_the_curve_is_the_share_of_pairs_in_order(values, share):
    wanted = np.array([False, False, True, True])
    assert auc(np.array(values), wanted) == share
    assert auc(np.array(values), wanted, np.full(4, 2.0)) == share


def test_weight_counts_in_the_area_under_the_curve():
    wanted, weight = np.array([False, True, True]), np.array([1.0, 3.0, 1.0])
    assert auc(np.array([0.5, 1.0, 0.0]), wanted, weight) == 0.75
