"""The truth of list pages, and what the command says of data that it does not know."""

import json

import pytest

from evaluation.data import DataError, read_sets
from evaluation.peers import PEERS, Peer
from evaluation.reproduction.__main__ import main
from evaluation.reproduction.bars import Bar, Figures
from evaluation.reproduction.lists import known_lists, read_selectors

from .. import layouts

STORY = "The harbour office opened its new tide station on Monday after two years of repairs and of waiting. " * 3
NAMES = ("Tide station opens", "Bread from old stones", "Books on the road", "A chimney for the bakery")
ITEMS = "".join(
    f'<li><h3><a href="/{n}.html">{name}</a></h3><a href="/by/{n}">Mia {n}</a></li>' for n, name in enumerate(NAMES)
)
LIST = f"<ul class='list'>{ITEMS}</ul>"
SHORT = "<ul class='list'><li><h3><a href='/1.html'>One</a></h3></li></ul>"


@pytest.fixture
def data(tmp_path):
    """A set of an unknown name with an article, a list page and a front page."""
    article = layouts.row("a", site="tides", body=STORY.strip()), f"<h1>Tides</h1><p>{STORY}</p>"
    lists = [(layouts.row(name, site="tides", kind="list"), html) for name, html in (("l", LIST), ("front", SHORT))]
    layouts.write(tmp_path / "data" / "sets" / "tides", [article, *lists])
    return tmp_path / "data"


@pytest.fixture
def write_truth(tmp_path):
    def write(*objects):
        path = tmp_path / "lists.json"
        path.write_text(json.dumps(objects), "utf-8")
        return path

    return write


OF_SET = {"set": "tides", "entries": "//ul[@class='list']/li", "link": "./h3/a"}


def test_selectors_give_entries_and_where_they_lead(data, write_truth):
    [known] = known_lists(read_sets(data), read_selectors(write_truth(OF_SET)))
    assert (known.set, known.tuned, [page.row.id for page in known.pages]) == ("tides", False, ["l"])
    assert known.pages[0].addresses == tuple(frozenset({f"https://tides.example/{n}.html"}) for n in range(4))
    assert known.pages[0].text.splitlines()[0] == "Tide station opens Mia 0"


@pytest.mark.parametrize(("stored", "message"), [
    ("[", "lists.json"), ('{"set": "a"}', "not a JSON list"), ('[{"set": "a"}]', "object 1: set and entries"),
    ('[{"set": "a", "entries": "//["}]', "object 1: invalid XPath"),
    ('[{"set": "a", "entries": "//a", "links": "."}]', "unknown key 'links'"),
])  # fmt: skip
def test_mistakes_in_the_file_are_named(tmp_path, stored, message):
    path = tmp_path / "lists.json"
    path.write_text(stored, "utf-8")
    with pytest.raises(DataError, match=message):
        read_selectors(path)


def test_all_parts_run_on_a_set_of_another_name(data, write_truth, capsys):
    assert main([str(data), "articles", "lists", "thresholds", "io", "--lists", str(write_truth(OF_SET))]) == 0
    printed = capsys.readouterr().out
    assert "no set of Chinese articles; --chinese" in printed
    assert "no group has more than 4 articles" in printed
    row = next(line for line in printed.splitlines() if "precision, recall of entries" in line)
    assert row.split("entries")[1].split() == ["≥", "0.95", "–", "1.000,", "1.000", "(1", "site)", "yes"]


def test_boilerpipe_is_measured_beside_the_method_of_the_source(data, capsys, monkeypatch):
    monkeypatch.setitem(PEERS, "boilerpy3", Peer("boilerpy3", "no-such-package", "no_such_module", lambda: str))
    assert main([str(data), "boilerpipe"]) == 0
    assert "not installed, left out: boilerpy3. To install" in capsys.readouterr().out
    monkeypatch.setitem(PEERS, "boilerpy3", Peer("boilerpy3", "lxml", "lxml", lambda: lambda page: ""))
    assert main([str(data), "boilerpipe"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    means = {row[0]: row[-3:] for row in rows if "mean" in row}
    assert means["article-deviation"] == ["1.000", "1.000", "1.000"]
    assert means["boilerpy3"][2] == "0.000"


@pytest.mark.parametrize(("tuned", "left_out", "met"), [
    ((0.99,), (0.96,), "yes"), ((0.99,), (0.5,), "no"), ((0.99,), (), "not known: no such pages"),
    ((), (0.96, 0.94), "no"),
])  # fmt: skip
def test_what_was_left_out_answers_whether_a_bar_is_met(tuned, left_out, met):
    assert Bar("m", "right", 0.95, Figures(tuned, "1 page"), Figures(left_out, "1 page")).met == met
