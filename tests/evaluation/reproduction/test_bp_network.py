import pytest

from evaluation.reproduction.bp_cases import figures_of
from evaluation.reproduction.bp_network import main
from evaluation.scores import Score
from extractors.bp_network.train import main as train

from .. import layouts


@pytest.fixture
def data(tmp_path):
    layouts.normalised(tmp_path / "data")
    layouts.scrapinghub(tmp_path / "data" / "published")
    return tmp_path / "data"


def test_the_sources_measure_gives_the_sources_figures():
    right_and_complete, right, wrong = Score(0.95, 1.0), Score(0.95, 0.95), Score(0.2, 1.0)
    xinhuanet = figures_of([right_and_complete] * 32 + [right] * 4 + [wrong] * 4)
    assert (xinhuanet.pages, xinhuanet.precision, round(xinhuanet.recall, 3), round(xinhuanet.f, 3)) == (
        40, 0.9, 0.889, 0.894,
    )  # fmt: skip


def test_nothing_right_is_nothing():
    nothing = figures_of([Score(None, 0.0)])
    assert (nothing.precision, nothing.recall, nothing.f) == (0, 0, 0)


def test_tables(data, capsys):
    assert main([str(data / "sets"), "shipped"]) == 0
    assert main([str(data), "source", "shipped", "--seeds", "2"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    shipped = [row for row in rows if row[:2] == ["bp-network", "gazette"]]
    assert {row[-1] for row in shipped} == {"1.000"}


def test_a_set_alone_cannot_be_unseen(data, capsys):
    with pytest.raises(SystemExit) as stop:
        main([str(data / "sets" / "gazette"), "unseen"])
    assert stop.value.code == 2
    assert "no other set than gazette" in capsys.readouterr().err


def test_tokenizers_agree(data, capsys):
    assert main([str(data), "tokens", "speed", "--test", "1"]) == 0
    assert "bp-network, rjieba" in capsys.readouterr().out


def test_exported_pages_can_be_learned_from(data, tmp_path):
    folder = tmp_path / "export"
    assert main([str(data), "--export", str(folder)]) == 0
    assert train([str(folder), "--rounds", "1", "--out", str(tmp_path / "w.json")]) == 0
    with pytest.raises(SystemExit):
        main([str(data), "--export", str(folder)])


def test_an_unknown_part_is_told(data, capsys):
    with pytest.raises(SystemExit):
        main([str(data), "shiped"])
    assert "did you mean 'shipped'" in capsys.readouterr().err
