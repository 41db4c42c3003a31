import numpy as np
import pytest

from evaluation.page_type_learning import (
    DECLARED,
    TrainingPages,
    folds,
    held_out,
    screen_from,
    site_weights,
    thresholds,
)

NAMES = ("prose", "links", *DECLARED)


def pages(sites, article):
    count = len(sites)
    values = np.random.default_rng(0).normal(0, 1, (count, len(NAMES)))
    values[:, 0] += np.where(article, 3.0, -3.0)
    return TrainingPages(NAMES, values, np.array(article), tuple(sites), values)


MANY = pages([f"s{number // 4}" for number in range(120)], [number % 2 == 0 for number in range(120)])


def test_a_large_site_weighs_less_than_its_pages():
    some = pages(["large"] * 9 + ["small", "list"], [True] * 10 + [False])
    for power, large in ((0.0, 0.25), (0.5, 0.375), (1.0, 0.45)):
        weight = site_weights(some, power)
        assert weight[:9].sum() == pytest.approx(large)
        assert weight[10] == 0.5


def test_a_site_is_held_out_as_a_whole():
    fold = folds(MANY, 1)
    assert all(len(set(fold[np.array(MANY.sites) == site].tolist())) == 1 for site in set(MANY.sites))
    assert set(fold.tolist()) == set(range(10))


def test_held_out_pages_are_judged_by_what_others_teach_and_each_time_the_same():
    found = held_out(MANY, 1)
    assert ((found > 0) == MANY.article).mean() > 0.85
    assert held_out(MANY, 1).tobytes() == found.tobytes()


def test_articles_are_answered_where_they_are_right_often_enough():
    log_odds = np.array([4.0, 3, 2, 1, -1, -2, -3])
    article = np.array([True, True, False, True, False, False, False])
    assert thresholds(log_odds, article, np.ones(7))[0] == 3


@pytest.mark.parametrize(("pages", "lost"), [(1, 0), (199, 0), (200, 1), (1000, 5)])
def test_no_more_articles_are_lost_than_one_in_two_hundred(pages, lost):
    log_odds = -1 - np.arange(pages) / pages
    list_to = thresholds(log_odds, np.ones(pages, np.bool_), np.ones(pages))[1]
    assert (log_odds <= list_to).sum() == lost


def test_screen_lets_few_lists_through():
    log_odds = np.arange(100.0)
    assert (log_odds >= screen_from(log_odds, np.zeros(100, np.bool_))).sum() == 3
