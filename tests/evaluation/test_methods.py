import pytest

from evaluation.data import read_sets
from evaluation.methods import choose_foreign, choose_odd, choose_pairs, parse_methods
from evaluation.peers import PEERS

from . import layouts


@pytest.fixture
def gazette(tmp_path):
    return read_sets(layouts.normalised(tmp_path))[0]


def ids(pairs):
    return [(pair.example.id, pair.page.id) for pair in pairs]


def test_learned_pages_are_neither_the_example_nor_the_page(gazette):
    for pair in choose_pairs(gazette, 0, 4, seed=1):
        assert len(pair.memory) == 1
        assert pair.memory[0].id not in (pair.example.id, pair.page.id)


def test_foreign_examples_are_of_another_site(tmp_path):
    layouts.normalised(tmp_path)
    sets = read_sets(layouts.pairs_of_two(tmp_path))
    pairs = choose_foreign(sets, sets[0].articles(), seed=1)
    assert len(pairs) == 3
    assert all(pair.example.id.startswith(("one", "two")) for pair in pairs)


def test_unfit_examples_are_of_the_page_s_site_and_no_siblings(gazette):
    pairs = choose_odd(gazette, gazette.articles(), seed=1)
    siblings = {(a.id, b.id) for a, b in gazette.pairs()}
    assert pairs
    assert not siblings & set(ids(pairs))
    assert all(pair.example.id != pair.page.id for pair in pairs)


def test_pages_to_learn_stand_in_the_name_or_in_the_option():
    assert [method.memory for method in parse_methods(["example+memory2", "example+memory"], 4)] == [2, 4]


@pytest.mark.parametrize("name", list(PEERS))
def test_installed_peer_reads_a_page(name):
    if not PEERS[name].installed:
        pytest.skip("not installed")
    long_paragraphs = "".join(f"<p>{' '.join(story)}</p>" for story in layouts.STORIES.values())
    text = PEERS[name].load()(f"<html><body><h1>News</h1><div>{long_paragraphs}</div></body></html>")
    assert all(story[1][:40] in text for story in layouts.STORIES.values())
