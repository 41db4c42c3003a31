"""Constants that a set didn't choose."""

import shutil

import pytest

from evaluation.reproduction.constants import METHODS, PageScores, TunedMethod, left_out, main
from evaluation.scores import Score
from tests.evaluation.layouts import normalised

GOOD, BAD = Score(1.0, 1.0), Score(0.1, 0.1)
ONE, TWO = (1.0,), (2.0,)


def pages(best, count=2):
    """Return pages on which one of the settings is right."""
    return [PageScores({one: GOOD if one == best else BAD for one in (ONE, TWO)}, news=False)] * count


@pytest.fixture
def data(tmp_path):
    """Return data with two sets and a page of other names than the development sets."""
    normalised(tmp_path)
    shutil.copytree(tmp_path / "sets" / "gazette", tmp_path / "sets" / "courier")
    return tmp_path


def test_sets_of_one_site_are_left_out_together():
    sets = {"meiwen_desktop_zh": pages(ONE), "meiwen_mobile_zh": pages(ONE), "other": pages(TWO)}
    assert left_out(sets, [ONE, TWO])["meiwen_desktop_zh"] == TWO


def test_settings_in_use_are_the_first_and_alternatives_change_one_constant():
    method = TunedMethod({"A": (1, 2), "B": (5,)}, str, lambda *_: None, lambda *_: "", {"A": (1, 3), "C": (7, 8)})
    assert method.in_use() == (1, 5, 7)
    assert method.choosable() == [(1, 5, 7), (2, 5, 7)]
    assert list(method.alternatives()) == [
        ("A", (1, 5, 7)), ("A", (2, 5, 7)), ("A", (3, 5, 7)),
        ("B", (1, 5, 7)), ("C", (1, 5, 7)), ("C", (1, 5, 8)),
    ]  # fmt: skip


@pytest.mark.parametrize("name", METHODS)
def test_each_method_is_measured_as_it_is_used(name, data, capsys):
    assert main([str(data), name]) == 0
    first, second, mean = (line.split() for line in capsys.readouterr().out.splitlines()[3:6])
    assert (first[:2], second[:2], mean[0]) == (["courier", "3"], ["gazette", "3"], "mean")
    assert first[2:6] == second[2:6]  # the same pages
    assert 0 <= float(first[4]) <= float(first[2])  # left out, and with what is in use
