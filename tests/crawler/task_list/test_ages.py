"""`forget:` and `revisit:` as people write them."""

from datetime import timedelta

import pytest

from crawler.task_list.ages import Age, Revisit
from crawler.task_list.mistakes import BadValueError


@pytest.mark.parametrize(("text", "days"), [("180d", 180), ("26w", 182), ("1d", 1), ("1d 12h", 1.5)])
def test_an_age_is_a_length_of_time(text, days):
    found = Age.parse(text)
    assert found
    assert (found.length, str(found)) == (timedelta(days=days), text)


def test_without_an_age_nothing_is_forgotten():
    assert Age.parse(None) is None


@pytest.mark.parametrize("value", [180, "180", "0 8 * * *", "12h", "soon", True, "", []])
def test_what_is_no_age_is_refused_with_a_hint(value):
    with pytest.raises(BadValueError) as told:
        Age.parse(value)
    assert "write" in told.value.hint


@pytest.mark.parametrize("text", ["1d for 3d", "every 1d for 3d", "1d  for 72h"])
def test_a_revisit_says_how_often_and_how_long(text):
    found = Revisit.parse(text)
    assert found
    assert (found.every, found.during) == (timedelta(days=1), timedelta(days=3))


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("1d", "does not give an interval and a duration"),
        ("3d for 1d", "the interval 3d is longer than the duration 1d"),
        ("10s for 30d", "more than 1000 rechecks"),
        ("1x for 3d", "unit"),
        (3, "must be text"),
    ],
)
def test_what_is_no_revisit_is_refused_in_words(value, says):
    with pytest.raises(BadValueError, match=says):
        Revisit.parse(value)
