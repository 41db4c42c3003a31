"""The learned parts trained on a tiny set, each time without what they are measured on."""

import json
from functools import partial

from evaluation import line_model
from evaluation.__main__ import main as evaluate
from evaluation.data import read_sets
from evaluation.left_out import models
from evaluation.line_model import FOLDS, fold_of
from evaluation.line_model import main as train
from evaluation.tree_training import Shape, fit

from . import layouts


def test_each_model_has_to_do_without_its_set_or_its_sites():
    may = models(["town", "meiwen_mobile_zh"])
    assert set(may) == {"set-town", "set-meiwen_mobile_zh", *(f"fold-{number}" for number in range(FOLDS))}
    assert (may["set-town"]("town", "a.example"), may["set-town"]("port", "a.example")) == (False, True)
    assert [may[f"fold-{number}"]("town", "a.example") for number in range(FOLDS)].count(False) == 1
    assert not may[f"fold-{fold_of('a.example')}"]("port", "a.example")


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
