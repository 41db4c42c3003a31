"""Drawing gives a whole file in the form that its name asks for."""

import struct
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from extractors.figures import draw, figure_data
from extractors.figures.sheet import DPI, WIDTH, fit, runs
from tests.extractors.pages import BAKERY, news_page
from tests.site.figures import FOLDER, main

PAGE = news_page("New bread", BAKERY)
SVG = "{http://www.w3.org/2000/svg}"
LABELS = {
    "example": ("similarity to", "weight (bytes)", "text", "line of the text"),
    "example-verbatim": ("FS, from the heads", "BS, from the tails", "window", "body", "page, head"),
    "density": ("weight (bytes)", "in root div.story", "text"),
    "line-blocks": ("characters in a block of 3 lines", "line of the page"),
    "line-blocks-verbatim": ("characters in a block of 3 lines", "threshold: 86"),
    "tag-paths": ("div.story > p", "the body's cluster", "Cn"),
    "article-deviation": ("σ of its children", "5  div.story", "stop: this is the body"),
    "list-rank": ("dl > dd.entry", "R = TL · links^.6, by its factors", "TL: mean bytes of an entry's own text"),
    "bp-network": ("output: 0 noise, 1 body", "threshold: 0.5"),
    "bp-network-verbatim": ("output: 0 noise, 1 body", "threshold: 0.5"),
}


def texts_of(path):
    root = ElementTree.parse(path).getroot()
    assert root.tag == f"{SVG}svg"
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def headline(texts, method):
    """What a figure says above its panels: the method, and the numbers of what it found."""
    [found] = [text for text in texts if text.startswith(f"{method}: ")]
    return found


def test_the_figures_of_the_documents_are_those_that_are_drawn(tmp_path):
    main([str(tmp_path)])
    assert {path.stem for path in tmp_path.iterdir()} == {path.stem for path in FOLDER.iterdir()} == set(LABELS)
    for method, labels in LABELS.items():
        now, shown = (texts_of(folder / f"{method}.svg") for folder in (tmp_path, FOLDER))
        assert set(labels) <= set(now), method
        assert headline(now, method) == headline(shown, method)


def test_signs_of_a_title_are_shown_as_they_are_and_the_same_page_gives_the_same_file_in_all_settings(tmp_path):
    page = news_page("标题 Pay $5 or $x^2$ a\x0bb \x85 &amp; c &lt;i>", BAKERY)
    first = draw(figure_data(page), tmp_path / "a.svg")
    with mpl.rc_context({"font.size": 31, "svg.fonttype": "path"}):
        second = draw(figure_data(page), tmp_path / "b.svg")
        assert (mpl.rcParams["font.size"], mpl.rcParams["svg.fonttype"]) == (31, "path")
    assert first.read_bytes() == second.read_bytes()
    texts = texts_of(first)
    for begins in ("标题 Pay $5 or $x^2$ a b & c <i>", "head: line ", "tail: line "):
        assert any(text.startswith(begins) for text in texts)


def test_png_has_its_signature_and_size_and_replaces_another_file(tmp_path):
    (tmp_path / "page.PNG").write_text("old", "utf-8")
    content = draw(figure_data(PAGE, method="tag-paths"), str(tmp_path / "page.PNG")).read_bytes()
    assert [file.name for file in tmp_path.iterdir()] == ["page.PNG"]
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    assert width == WIDTH * DPI
    assert width / 4 < height < width


@pytest.mark.parametrize("name", ["page.pdf", "page", "page.svg.gz"])
def test_another_suffix_names_the_two(name, tmp_path):
    with pytest.raises(ValueError, match=r"ends in \.svg or \.png"):
        draw(figure_data(PAGE), tmp_path / name)


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [("short", 5, "short"), ("shorter", 5, "short…"), ("标题很长", 5, "标题…"), (" a\n b", 9, "a b")],
)
def test_fit_counts_chinese_characters_twice(text, columns, shown):
    assert fit(text, columns) == shown


def test_runs_are_unbroken():
    assert runs([1, 2, 3, 7, 9, 10]) == [(1, 3), (7, 1), (9, 2)]
    assert runs([]) == []
