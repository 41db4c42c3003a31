"""Training, from a folder of screenshots to a file that classifies."""

import numpy as np
import pytest

from evaluation.labelled_screenshots import LabelledScreenshot
from evaluation.visual_training import divide, main
from extractors.visual.screenshot_type import VisualClassifier
from tests.extractors.visual.pictures import article, listing, png

pytest.importorskip("PIL", reason="extra vision is not installed")


@pytest.fixture
def with_torch():
    pytest.importorskip("torch", reason="extra train is not installed")
    pytest.importorskip("onnx", reason="extra train is not installed")


@pytest.fixture
def folder(tmp_path):
    for number in range(6):
        for kind, picture in (("article", article), ("list", listing)):
            (tmp_path / kind).mkdir(exist_ok=True)
            (tmp_path / kind / f"{number}.png").write_bytes(png(picture(number)))
    return tmp_path


def test_it_learns_to_tell_prose_from_stripes(with_torch, folder, capsys):
    out = folder / "mine.onnx"
    assert main([str(folder), "--epochs", "40", "--out", str(out)]) == 0  # ten pictures are one step an epoch
    said = capsys.readouterr().out
    assert "10 screenshots to learn from, 2 held out; 0 blank ones left out" in said
    assert said.count("%") == 80
    classifier = VisualClassifier(out, sure=0)
    assert classifier(png(article(3))).kind == "article"
    assert classifier(png(listing(3))).kind == "list"


def test_without_torch_the_extra_is_named(monkeypatch, folder, capsys):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    assert main([str(folder)]) == 2
    assert "extra train is not installed: pip install 'exemplar-crawler[train]'" in capsys.readouterr().err


def test_held_out_pages_are_of_both_kinds_and_the_same_for_one_seed():
    pages = LabelledScreenshot(np.zeros((15, 1, 1), np.uint8), np.array([0] * 10 + [1] * 5))
    learned, held_out = divide(pages, 0.2, seed=1)
    assert (len(learned), len(held_out)) == (12, 3)
    assert held_out.type.tolist() == [0, 0, 1]
