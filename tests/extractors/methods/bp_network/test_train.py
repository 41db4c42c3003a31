import json
from pathlib import Path

import pytest

from extractors import extract
from extractors.content.assembly import read
from extractors.html.paths import PathTrie
from extractors.methods.bp_network.extractor import VERBATIM_METHOD, WEIGHTS, network_in_use
from extractors.methods.bp_network.labelled_pages import labelled_pages, read_labelled
from extractors.methods.bp_network.train import main
from extractors.page import make_page

from ...pages import BAKERY, news_page
from .labelled import write_folder


def test_training_writes_weights_and_tells_the_errors(tmp_path, capsys):
    out = tmp_path / "w.json"
    assert main([str(write_folder(tmp_path)), "--out", str(out), "--rounds", "40", "--held-out", "0.4"]) == 0
    learned, held_out, _ = capsys.readouterr().out.splitlines()
    assert learned.startswith("2 pages learned: error 0.")
    assert held_out.startswith("1 pages held out: error 0.")
    assert json.loads(out.read_text("utf-8"))["pages"] == 2


@pytest.mark.parametrize("form", [[], ["--verbatim"]])
def test_the_same_command_writes_the_same_bytes(tmp_path, form):
    folder = write_folder(tmp_path)
    for name in ("a.json", "b.json"):
        assert main([str(folder), "--out", str(tmp_path / name), "--rounds", "3", *form]) == 0
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_own_weights_cut_articles(tmp_path, monkeypatch):
    out = tmp_path / "w.json"
    assert main([str(write_folder(tmp_path)), "--out", str(out), "--rounds", "200", "--held-out", "0"]) == 0
    monkeypatch.setenv("EXEMPLAR_BP_WEIGHTS", str(out))
    assert extract(news_page("Bread", BAKERY), method="bp-network").text.split("\n\n") == list(BAKERY)


def test_own_verbatim_weights_are_used_by_their_form_only(tmp_path, monkeypatch):
    out = tmp_path / "w.json"
    assert main([str(write_folder(tmp_path)), "--out", str(out), "--held-out", "0", "--verbatim"]) == 0
    page = make_page(news_page("Bread", BAKERY))
    shipped = network_in_use(VERBATIM_METHOD).outputs(read(page, PathTrie()))
    monkeypatch.setenv("EXEMPLAR_BP_WEIGHTS", str(out))
    assert network_in_use(VERBATIM_METHOD).outputs(read(page, PathTrie())) != shipped
    with pytest.raises(ValueError, match=r"EXEMPLAR_BP_WEIGHTS: .*w\.json: .*expected .*'used'"):
        extract(page.html, method="bp-network")
    monkeypatch.setenv("EXEMPLAR_BP_WEIGHTS", str(WEIGHTS))
    with pytest.raises(ValueError, match="'verbatim'"):
        extract(page.html, method="bp-network-verbatim")


ALL = "All of this page is body, the whole page."
NO_OTHERS = {f"page{number}{kind}": None for number in (0, 2) for kind in (".html", ".txt")}


@pytest.mark.parametrize(
    ("spoilt", "message"),
    [
        ({"page1.txt": None}, "page1.html: no page1.txt"),
        ({"page1.html": None}, "page1.txt: no page page1.html"),
        ({"page1.htm": "<p>Twice"}, "another page has the same name"),
        ({"page1.txt": "Nothing of all this stands there, not even nearly."}, "check that it is the text of this page"),
        ({"page1.txt": "港口".encode("gbk")}, "not in UTF-8"),
        ({"page1.txt": " \n"}, "has no words"),
        ({"page1.html": b""}, "page1.html: "),
        ({"page1.html": Path("page1.html")}, "page1.html"),  # a link to itself cannot be read
        ({**NO_OTHERS, "page1.html": f"<p>{ALL}</p>", "page1.txt": ALL}, "all lines are body"),
        ({**NO_OTHERS, "page1.html": None, "page1.txt": None}, "no pages"),
    ],
)
def test_a_mistake_in_the_folder_is_told_in_words(tmp_path, capsys, spoilt, message):
    """`spoilt`: the files that are other than they should be; None removes one."""
    write_folder(tmp_path)
    for name, content in spoilt.items():
        (tmp_path / name).unlink(missing_ok=True)
        if isinstance(content, Path):
            (tmp_path / name).symlink_to(tmp_path / content)
        elif content is not None:
            (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    assert main([str(tmp_path), "--out", str(tmp_path / "w.json")]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert "Traceback" not in told
    assert not (tmp_path / "w.json").exists()


def test_weights_that_cannot_be_written_are_a_mistake(tmp_path, capsys):
    folder = write_folder(tmp_path)
    assert main([str(folder), "--rounds", "1", "--out", str(tmp_path / "nowhere" / "w.json")]) == 2
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--held-out", "1"], ["--rounds", "0"], ["--seed", "x"], ["--held-out", "much"]])
def test_a_wrong_option_is_refused(tmp_path, words):
    with pytest.raises(SystemExit) as stop:
        main([str(tmp_path), *words])
    assert stop.value.code == 2


def test_labels_come_from_the_text_beside_the_page(tmp_path):
    page, text = labelled_pages(write_folder(tmp_path))[0]
    labelled = read_labelled(page, text)
    assert labelled.inputs.shape == (len(labelled.body), 12)
    assert labelled.body.sum() == 3
