"""Training, from a folder of screenshots to a file that classifies."""

import numpy as np
import pytest

from evaluation.labelled_screenshots import LabelledScreenshot
from evaluation.visual_training import divide, main, type_weights
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


def test_a_seed_repeats_training(with_torch, folder):
    files = [folder / "one.onnx", folder / "two.onnx"]
    for file in files:
        main([str(folder), "--epochs", "1", "--out", str(file)])
    assert files[0].read_bytes() == files[1].read_bytes()


def test_blank_screenshots_are_left_out_and_counted(with_torch, folder, capsys):
    (folder / "list" / "blank.png").write_bytes(png(np.full((9, 9), 255, np.uint8)))
    main([str(folder), "--epochs", "1", "--out", str(folder / "mine.onnx")])
    assert "1 blank ones left out" in capsys.readouterr().out


def test_mistakes_in_the_folder_are_all_named(with_torch, folder, tmp_path, capsys):
    assert main([str(tmp_path / "nowhere")]) == 2
    assert "nowhere/article: no such folder" in capsys.readouterr().err
    (folder / "list" / "a.png").write_bytes(b"no picture")
    (folder / "article" / "b.png").write_bytes(b"")
    assert main([str(folder)]) == 2
    said = capsys.readouterr().err
    assert "list/a.png: " in said
    assert "article/b.png: " in said


def test_a_kind_with_one_screenshot_is_too_few(with_torch, folder, capsys):
    for number in range(1, 6):
        (folder / "list" / f"{number}.png").unlink()
    assert main([str(folder)]) == 2
    assert "list: fewer than 2 screenshots" in capsys.readouterr().err


def test_without_torch_the_extra_is_named(monkeypatch, folder, capsys):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    assert main([str(folder)]) == 2
    assert "extra train is not installed: pip install 'exemplar-crawler[train]'" in capsys.readouterr().err


def test_held_out_pages_are_of_both_kinds_and_the_same_for_one_seed():
    pages = LabelledScreenshot(np.zeros((15, 1, 1), np.uint8), np.array([0] * 10 + [1] * 5))
    learned, held_out = divide(pages, 0.2, seed=1)
    assert (len(learned), len(held_out)) == (12, 3)
    assert held_out.type.tolist() == [0, 0, 1]


def test_the_rarer_kind_weighs_more():
    assert type_weights(np.array([0, 0, 0, 1])).tolist() == pytest.approx([2 / 3, 2])
