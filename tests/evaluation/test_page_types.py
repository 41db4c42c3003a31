import pytest

from evaluation import page_types
from evaluation.page_type_learning import ModelForm
from evaluation.page_types import main

from ..extractors.page_types.made import FEW_NAMES, write_folder


def test_tables(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(page_types, "SEEDS", 1)
    monkeypatch.setattr(page_types, "DRAWS", 20)
    monkeypatch.setattr(page_types, "FORMS", {"one": ModelForm(FEW_NAMES), "two": ModelForm((*FEW_NAMES, "depth"))})
    data = write_folder(tmp_path / "town")
    assert main([str(data), "--doubt", "0:one"]) == 0
    printed = capsys.readouterr().out
    rows = [line.split() for line in printed.splitlines()]
    assert [row[:4] for row in rows if row[:1] == ["by"]] == [
        ["by", "page", "24", "12"],
        ["by", "site", "24", "12"],
    ] * 2
    assert ["town", "lists", "12", "1.000"] in [row[:4] for row in rows]


def test_mistakes_end_with_words(tmp_path, capsys):
    assert main([str(tmp_path / "none")]) == 2
    assert "is not a folder" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--seed", "one"])
