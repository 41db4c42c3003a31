import re

import pytest

from evaluation.data import read_sets
from evaluation.reproduction.bp_cases import (
    figures_of,
    folds_of,
    is_site,
    judge,
    read_cases,
    recipe,
    units,
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


def test_nothing_right_is_nothing():
    nothing = figures_of([Score(None, 0.0)])
    assert (nothing.precision, nothing.recall, nothing.f) == (0, 0, 0)


def test_an_empty_answer_is_wrong_whatever_was_wanted():
    assert figures_of([Score(None, None), Score(None, 0.0)]).precision == 0


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


def test_sites_come_from_the_data(tmp_path):
    cases = read_cases(read_sets(other_names(tmp_path)))
    found = units(cases, least=4)
    assert [name for name, pages in found.items() if is_site(pages, 4)] == list(found)
    assert len(found) == 2
    assert list(units(cases, least=5)) == ["unheard_of"]


def test_no_network_learns_from_the_site_it_judges(tmp_path):
    cases = read_cases(read_sets(other_names(tmp_path)))
    folds = folds_of(cases)
    assert sorted(folds.values()) == [0, 1]
    for site, fold in folds.items():
        learned = {case.site for case in without_fold(cases, folds, fold)}
        assert learned
        assert site not in learned


def test_a_page_without_text_is_judged_and_is_wrong(tmp_path):
    other_names(tmp_path)
    (tmp_path / "sets" / "unheard_of" / "pages" / "harbour-0.html").write_bytes(b"")
    (tmp_path / "sets" / "unheard_of" / "pages" / "valley-0.html").write_text("<script src=a.js></script>")
    cases = read_cases(read_sets(tmp_path))["unheard_of"]
    figures = judge(lambda case: case.row.body if case.parsed else "", cases)
    assert (figures.pages, figures.precision) == (8, 0.75)
    assert len(recipe(cases)) == 6


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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ablation", "--inputs", "s,t"], "'t' is no input; write some of y,z,p,s,neighbours"),
        (["ablation", "--hidden", "9..3"], "'9..3' is no span of numbers above 0; write, for example, 3..9"),
        (["--sample", "few"], "'few' is not a number"),
        (["shiped"], "did you mean 'shipped'"),
    ],
)
def test_a_mistake_in_the_call_is_told(data, words, message, capsys):
    assert message in layouts.mistake(main, [data, *words], capsys)


def test_a_sample_is_read_in_place_of_all_pages(data, capsys):
    assert main([str(data / "sets"), "shipped", "--sample", "2"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert {row[2] for row in rows if row[1:2] == ["gazette"]} == {"2"}


def test_one_site_alone_cannot_be_unseen(tmp_path, capsys):
    data = other_names(tmp_path, sites=("harbour",))
    assert "there is no other site to learn from" in layouts.mistake(main, [data, "unseen"], capsys)


def test_lists_alone_are_no_pages_to_judge(tmp_path, capsys):
    layouts.write(tmp_path / "sets" / "lists", [(layouts.row("index", kind="list"), layouts.list_page())])
    assert "no article with a known body" in layouts.mistake(main, [tmp_path], capsys)


def test_exported_pages_can_be_learned_from(data, tmp_path, capsys):
    folder = tmp_path / "export"
    assert main([str(data), "--export", str(folder)]) == 0
    assert train([str(folder), "--rounds", "1", "--out", str(tmp_path / "w.json")]) == 0
    assert "exists already" in layouts.mistake(main, [data, "--export", folder], capsys)
