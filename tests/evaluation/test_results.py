from pathlib import Path

import pytest

from evaluation.data import DataSet as Set
from evaluation.data import Row
from evaluation.results import Prediction, evaluate, same_day, same_title, speed
from tests.tables import rows

ROWS = (
    Row("a", Path("a"), "g", title="Tide gauge", date="2026-03-05", body="one two three four five"),
    Row("b", Path("b"), "g", title="Old mill", date="NaT", body="six seven eight nine ten"),
    Row("index", Path("index"), "g", kind="list"),
)
SET = Set("harbour", ROWS, frozenset({"g"}), "sum")


def prediction(id, text, **more):
    return Prediction(id=id, text=text, ms=more.pop("ms", 2.0), parse_ms=more.pop("parse_ms", 1.0), **more)


def test_result_of_known_texts():
    predictions = [
        prediction("a", "one two three four five", title="Tide gauge", day="2026-03-05T23:00:00"),
        prediction("b", "", title="Mill", day="2020-01-01", crash="ValueError: no"),
        prediction("index", "", none="only links"),
    ]
    result = evaluate(SET, "density", predictions, {"a": 20.0}, seed=1, worst=1)
    assert (result.pages, result.precision, result.recall, result.below) == (2, 1.0, 0.5, 0.5)
    assert (result.titles.right, result.titles.of) == (1, 2)
    assert (result.days.right, result.days.of) == (1, 1)
    assert result.lists.share == 1.0
    assert result.crashes == 1
    assert result.worst == ((0.0, "b", None),)
    assert (result.speed.parse, result.speed.trafilatura) == (2.0, 10.0)


def test_list_taken_for_an_article_counts_against_the_method():
    assert evaluate(SET, "density", [prediction("index", "Chapter 1")], {}, seed=1).lists.share == 0.0


def test_speed_is_the_median_of_the_pages_ratios():
    rows = [(prediction("a", "", ms=ms, parse_ms=1.0), None) for ms in (2.0, 3.0, 50.0)]
    assert speed(rows).parse == 3.0


@pytest.mark.parametrize(("found", "truth", "right"), rows(Path(__file__).with_name("titles.txt")))
def test_titles(found, truth, right):
    assert same_title(found, truth) is (right == "yes")


@pytest.mark.parametrize(("found", "truth", "right"), rows(Path(__file__).with_name("days.txt")))
def test_days(found, truth, right):
    assert same_day(found, truth) is (right and right == "yes")
