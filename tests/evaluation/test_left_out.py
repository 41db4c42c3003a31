"""The learned parts trained on a tiny set, each time without what they are measured on."""

import json
from functools import partial

from evaluation import line_model
from evaluation.__main__ import main as evaluate
from evaluation.data import read_sets
from evaluation.left_out import may_learn, models
from evaluation.line_model import FOLDS
from evaluation.line_model import main as train
from evaluation.tree_training import Shape, fit

from . import layouts


def test_each_model_has_to_do_without_its_set_or_its_sites():
    assert models(["town"]) == ["set-town", *(f"fold-{number}" for number in range(FOLDS))]
    assert [may_learn("set-town", name, {0}) for name in ("town", "town.list", "port")] == [False, False, True]
    assert not may_learn("set-meiwen_mobile_zh", "meiwen_desktop_zh", {0})
    assert [may_learn(f"fold-{number}", "town", {1, 3}) for number in range(4)] == [True, False, True, False]


def test_missing_models_are_named_with_the_way_to_make_them(tmp_path, capsys):
    data = layouts.normalised(tmp_path / "data")
    said = layouts.mistake(evaluate, [data, "--left-out", tmp_path / "none"], capsys)
    assert "python -m evaluation.left_out DATA" in said
    assert "--left-out DIR" in layouts.mistake(evaluate, [data, "--methods", "density@sites"], capsys)


def test_a_model_is_trained_from_pages_and_says_from_how_many(tmp_path, capsys, monkeypatch):
    few_trees = partial(fit, shape=Shape(trees=8))
    for name, few in (("MIXED", (1, 1)), ("DRAWN", 0.02), ("DRAWN_KINDS", 0.01), ("fit", few_trees)):
        monkeypatch.setattr(line_model, name, few)
    data = layouts.normalised(tmp_path / "data")
    assert train([str(data), "--out", str(tmp_path), "--processes", "1"]) == 0
    for name in ("articles", "any-kind"):
        stored = json.loads((tmp_path / f"{name}.json").read_text("utf-8"))
        assert stored["pages"] == sum(len(one.articles()) for one in read_sets(data))
    assert "learned from" in capsys.readouterr().out
