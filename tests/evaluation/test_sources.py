"""The page of the five sources, made from invented pages."""

import re
import subprocess

import pytest

from evaluation import sources
from evaluation.sources import SOURCES, main
from tests.docs.documents import ROOT

from . import layouts


def outline(figure, to):
    """A figure without its drawing, which takes most of the time; `test_draw` draws one of each method."""
    assert figure
    to.write_text("<?xml?>")


def test_a_section_for_each_source_with_its_tables_and_pictures(tmp_path, monkeypatch):
    """Titles of the pages have markup."""
    monkeypatch.setattr(sources, "draw", outline)
    data, out = tmp_path / "data", tmp_path / "out"
    layouts.normalised(data)
    layouts.pairs_of_two(data)
    for story in data.glob("sets/gazette/pages/*.html"):
        story.write_bytes(story.read_bytes().replace(b"<h1>", b"<h1>&lt;script&gt;alert(1)&lt;/script&gt;"))
    assert main([str(data), str(out), "--pages", "2"]) == 0
    page = (out / "index.html").read_text("utf-8")
    assert re.findall(r"<h2>(\d+):", page) == ["000", "001", "002", "003", "004"]
    for parts in SOURCES.values():
        assert [part.name for part in parts if f"<h3>{part.name}</h3>" not in page] == []
    pictures = re.findall(r'<img src="([^"]+)"', page)
    assert {name[:3] for name in pictures} == {"000", "001", "002", "003", "004"}
    assert len(pictures) == len(set(pictures)) == len(list(out.glob("*.svg")))
    assert all((out / name).read_text("utf-8").startswith("<?xml") for name in pictures)
    assert "7 articles of 2 sets; a table has at most 2 pages" in page
    assert "alert(1)" in page
    assert "<script" not in page
    # A figure of the source is beside ours and the stated one.
    there, here, stated = map(page.index, ("<td>91.6</td>", "<td>bp-network-verbatim</td>", "F 89.4–91.6%"))
    assert there < here < stated


def test_only_the_sources_that_are_asked_for_are_made(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(SOURCES, "003", SOURCES["003"][:1])
    layouts.normalised(tmp_path / "data")
    main([str(tmp_path / "data"), str(tmp_path), "--sources", "003", "--pages", "1"])
    assert capsys.readouterr().out.strip() == str(tmp_path / "index.html")
    assert re.findall(r"<h2>(\d+):", (tmp_path / "index.html").read_text("utf-8")) == ["003"]


@pytest.mark.parametrize(("words", "message"), [([], "no DATA is given"), (["DATA=nowhere"], "nowhere is no folder")])
def test_make_tells_which_folder_it_needs(words, message):
    done = subprocess.run(["make", "sources", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert "make sources DATA=FOLDER" in done.stderr
