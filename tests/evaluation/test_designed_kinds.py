"""Extractions of pages in the designs of other kinds."""

import pytest

from evaluation import designed_kinds
from evaluation.designed_kinds import main
from evaluation.designs.written import KINDS, collections

from .layouts import STORIES, row, write


def test_each_collection_has_a_row_alone_and_beside_another_page(tmp_path, monkeypatch, capsys):
    pages = [(row(f"{name}{n}", body="\n\n".join(STORIES[name])), "<p>") for n in range(2) for name in STORIES]
    write(tmp_path / "data" / "sets" / "gazette", pages)
    chosen = {name: designs[:1] for name, designs in collections(KINDS).items() if name in ("newsrooms", "shops")}
    monkeypatch.setattr(designed_kinds, "collections", lambda root: chosen)
    assert main([str(tmp_path / "data"), "--sites", "1"]) == 0
    rows = capsys.readouterr().out.splitlines()[-6:]
    assert sorted(" ".join(line.split()[:-3]) for line in rows) == [
        "all alone 2", "all beside another 2", "newsrooms alone 1", "newsrooms beside another 1", "shops alone 1",
        "shops beside another 1",
    ]  # fmt: skip


def test_a_folder_without_models_is_a_mistake(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--left-out", str(tmp_path)])
    assert "holds no models" in capsys.readouterr().err
