"""The page of the five sources, made from invented pages."""

import re
import subprocess

import pytest

from evaluation.sources import SOURCES, main
from tests.docs.documents import ROOT

from . import layouts


@pytest.fixture
def data(tmp_path):
    layouts.normalised(tmp_path / "data")
    layouts.pairs_of_two(tmp_path / "data")
    return tmp_path / "data"


def test_a_section_for_each_source_with_its_tables_and_pictures(data, tmp_path, capsys):
    out = tmp_path / "out"
    assert main([str(data), str(out), "--pages", "3"]) == 0
    assert capsys.readouterr().out.strip() == str(out / "index.html")
    page = (out / "index.html").read_text("utf-8")
    assert re.findall(r"<h2>(\d+):", page) == ["000", "001", "002", "003", "004"]
    for parts in SOURCES.values():
        assert [part.name for part in parts if f"<h3>{part.name}</h3>" not in page] == []
    pictures = re.findall(r'<img src="([^"]+)"', page)
    assert {name[:3] for name in pictures} == {"000", "001", "002", "003", "004"}
    assert len(pictures) == len(set(pictures)) == len(list(out.glob("*.svg")))
    assert all((out / name).read_text("utf-8").startswith("<?xml") for name in pictures)
    assert "7 articles of 2 sets; a table has at most 3 pages of a set" in page


def test_a_figure_of_the_source_is_beside_ours_and_the_stated_one(data, tmp_path):
    main([str(data), str(tmp_path), "--pages", "3", "--sources", "000"])
    page = (tmp_path / "index.html").read_text("utf-8")
    there, here, stated = (
        page.index(text) for text in ("<td>91.6</td>", "<td>bp-network-verbatim</td>", "F 89.4–91.6%")
    )
    assert there < here < stated
    assert "<h2>001" not in page


def test_a_title_from_a_page_is_text_on_ours(data, tmp_path):
    story = data / "sets" / "gazette" / "pages" / "gauge.html"
    story.write_bytes(story.read_bytes().replace(b"<h1>A new tide gauge", b"<h1>&lt;script&gt;alert(1)&lt;/script&gt;"))
    main([str(data), str(tmp_path), "--sources", "001", "--pages", "3"])
    assert "<script" not in (tmp_path / "index.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere", "out"], "nowhere is not a folder"),
        ([".", "out", "--pages", "0"], "a table needs at least 1 page of a set"),
        ([".", "out", "--sources", "005"], "invalid choice: '005'"),
    ],
)
def test_a_mistake_in_the_call_is_told(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert message in layouts.mistake(main, words, capsys)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("words", "message"), [([], "no DATA is given"), (["DATA=nowhere"], "nowhere is no folder")])
def test_make_tells_which_folder_it_needs(words, message):
    done = subprocess.run(["make", "sources", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert "make sources DATA=FOLDER" in done.stderr
