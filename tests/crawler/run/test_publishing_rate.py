"""Simulated sections: how often they are visited, and how long articles wait. Seeds are fixed, nothing is timed."""

import pytest

from benchmarks.publishing_rate import (
    ARCHIVE,
    DAY,
    HOUR,
    LONGEST,
    SHORTEST,
    START,
    VisitDelays,
    bursts,
    by_day,
    published,
)
from crawler.run.publishing_rate import History, interval, observe


@pytest.mark.parametrize("rate", [0.1, 1, 10, 100])
def test_a_steady_section_waits_no_longer_than_with_as_many_fixed_visits(rate):
    days = 400 if rate < 1 else 60
    times = published(rate, days)
    found = VisitDelays(times, days)
    fixed = VisitDelays(times, days, period=days * DAY / found.count)
    assert found.wait < 1.35 * fixed.wait


def test_sections_together_wait_less_than_with_the_best_fixed_period_for_all():
    days = 60
    sections = [published(rate, days, seed) for seed, rate in enumerate((0.1, 0.3, 1, 3, 10, 30, 100))]
    sections += [by_day(30, days), bursts(days)]
    found = [VisitDelays(times, days) for times in sections]
    period = days * DAY * len(sections) / sum(each.count for each in found)
    fixed = [VisitDelays(times, days, period) for times in sections]

    waited, waited_by_fixed = (sum(each.wait * each.articles for each in visits) for visits in (found, fixed))
    assert waited < 0.75 * waited_by_fixed


def test_a_section_that_wakes_up_is_followed_within_a_day():
    times = published(0.1, 30) + published(50, 60, begin=30)
    visits = VisitDelays(times, 60)
    assert visits.period_at(29.9) > 4 * HOUR
    assert visits.period_at(31) < 0.75 * HOUR


def test_a_section_that_falls_asleep_is_left_alone_within_a_day():
    times = published(50, 30) + published(0.1, 60, begin=30)
    visits = VisitDelays(times, 60)
    assert visits.period_at(29.9) < 0.75 * HOUR
    assert visits.period_at(31) > 1.25 * HOUR
    assert visits.period_at(45) > 3 * HOUR


def test_the_archive_of_the_first_run_is_no_rate():
    empty = interval(History(), SHORTEST, LONGEST)
    assert interval(observe(History(), START, ARCHIVE), SHORTEST, LONGEST) == empty


def test_never_outside_the_bounds():
    quiet = busy = observe(History(), START, 0)
    for hour in range(1, 2000):
        quiet, busy = observe(quiet, START + hour * HOUR, 0), observe(busy, START + hour * HOUR, 10_000)
    assert interval(quiet, SHORTEST, 7200) == 7200
    assert interval(busy, SHORTEST, LONGEST) == SHORTEST


def test_one_article_does_not_make_a_quiet_section_jump():
    history = observe(History(), START, 0)
    for day in range(1, 60):
        history = observe(history, START + day * DAY / 2, 0)
    before = interval(history, SHORTEST, LONGEST)
    after = interval(observe(history, START + 30 * DAY, 1), SHORTEST, LONGEST)
    assert before / 4 < after < before


def test_a_clock_that_goes_back_does_no_harm():
    history = observe(observe(History(), START, 0), START + HOUR, 5)
    assert observe(history, START, 5) == history


@pytest.mark.parametrize("text", [None, "", "{}", "[1]", "nonsense", '{"hours": {"x": 1}, "weeks": {}, "until": 0}'])
def test_a_text_that_is_no_history_is_an_empty_one(text):
    assert History.from_json(text) == History()
