import re

import pytest

from evaluation.data import read_sets
from evaluation.reproduction.bp_cases import (
    figures_of,
    folds_of,
    read_cases,
    without_fold,
)
from evaluation.reproduction.bp_network import main
from evaluation.scores import Score
from extractors.methods.bp_network.train import main as train

from .. import layouts


@pytest.fixture
def data(tmp_path):
    layouts.normalised(tmp_path / "data")
    layouts.pairs_of_two(tmp_path / "data")
    return tmp_path / "data"


def test_the_sources_measure_gives_the_sources_figures():
    right_and_complete, right, wrong = Score(0.95, 1.0), Score(0.95, 0.95), Score(0.2, 1.0)
    xinhuanet = figures_of([right_and_complete] * 32 + [right] * 4 + [wrong] * 4)
    assert (xinhuanet.pages, xinhuanet.precision, round(xinhuanet.recall, 3), round(xinhuanet.f, 3)) == (
        40, 0.9, 0.889, 0.894,
    )  # fmt: skip


def other_names(root, sites=("harbour", "valley"), pages=4):
    """Write a set with sites of names that the code does not know; each page of a site is one of three stories."""
    stories = [(number, sorted(layouts.STORIES)[number % 3]) for number in range(pages)]
    written = [
        (layouts.row(f"{site}-{number}", site=site, section="x", body=layouts.body(story)), layouts.page(story))
        for site in sites
        for number, story in stories
    ]
    layouts.write(root / "sets" / "unheard_of", written)
    return root


def test_no_network_learns_from_the_site_it_judges(tmp_path):
    cases = read_cases(read_sets(other_names(tmp_path)))
    folds = folds_of(cases)
    assert sorted(folds.values()) == [0, 1]
    for site, fold in folds.items():
        learned = {case.site for case in without_fold(cases, folds, fold)}
        assert learned
        assert site not in learned


def test_all_tables_of_a_folder_with_other_names(tmp_path, capsys):
    other_names(tmp_path)
    layouts.pairs_of_two(tmp_path)
    parts = ["unseen", "source", "shipped", "confidence"]
    assert main([str(tmp_path), *parts, "--seeds", "1", "--least", "4"]) == 0
    rows = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    named = {cell.strip() for row in rows for cell in row}
    assert {"twos", "unheard_of: harbour", "unheard_of: valley"} <= {name.removesuffix(".example") for name in named}


def test_an_ablation_trains_again_without_inputs_and_with_other_numbers_of_units(tmp_path, capsys):
    other_names(tmp_path)
    layouts.pairs_of_two(tmp_path)
    words = ["--seeds", "1", "--least", "4", "--inputs", "s,neighbours", "--hidden", "4..6", "--methods", "bp-network"]
    assert main([str(tmp_path), "ablation", "ablation-unseen", *words]) == 0
    rows = [re.split(" {2,}", line.strip()) for line in capsys.readouterr().out.splitlines()]
    found = [row for row in rows if row[0] == "bp-network"]
    variants = ["as it is", "without s", "without neighbours", "4 hidden", "6 hidden"]
    assert [row[1] for row in found] == variants * 2
    assert [row[5] for row in found if row[1] == "as it is"] == ["0.0", "0.0"]


def test_exported_pages_can_be_learned_from(data, tmp_path, capsys):
    folder = tmp_path / "export"
    assert main([str(data), "--export", str(folder)]) == 0
    assert train([str(folder), "--rounds", "1", "--out", str(tmp_path / "w.json")]) == 0
    assert "exists already" in layouts.mistake(main, [data, "--export", folder], capsys)
