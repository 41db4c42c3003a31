import pytest

from evaluation import page_type_training as train
from evaluation.page_type_learning import ModelForm
from evaluation.page_type_training import main
from extractors.page_types.features import features_of, names_for_kinds
from extractors.page_types.model import load
from tests.extractors.page_types.made import FEW_NAMES, article_page, list_page, parsed, write_folder


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(train, "SEEDS", 1)
    forms = {"with-address.json": ModelForm((*FEW_NAMES, "depth")), "without-address.json": ModelForm(FEW_NAMES)}
    monkeypatch.setattr(train, "FORMS", forms)


URL = "https://gazette.example/town/9.html"


def test_training_writes_both_models_and_of_the_same_pages_the_same_bytes(tmp_path, capsys):
    data, out = write_folder(tmp_path / "data"), tmp_path / "models"
    assert main([str(data), "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert printed.count("36 pages of 12 sites") == 2
    model = load(out / "with-address.json", names_for_kinds())
    rows = [model.row(features_of(parsed(html, URL))) for html in (article_page(), list_page())]
    article, listing = (float(model.log_odds(row[None])[0]) for row in rows)
    assert article > model.article_from >= 0 >= model.list_to > listing
    assert main([str(data), "--out", str(tmp_path / "again")]) == 0
    for name in train.FORMS:
        assert (out / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_pages_are_dropped_by_their_ids(tmp_path, capsys):
    data = write_folder(tmp_path / "data")
    assert main([str(data), "--out", str(tmp_path / "models"), "--drop", "*:two"]) == 0
    assert "24 pages of 12 sites" in capsys.readouterr().out


def test_too_few_sites_are_told(tmp_path, capsys):
    data = write_folder(tmp_path / "data", sites=3)
    assert main([str(data), "--out", str(tmp_path / "models")]) == 2
    assert "too few sites: 3" in capsys.readouterr().err
