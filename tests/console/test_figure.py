"""`exemplar extract --figure`."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from evaluation.sample_site import truth
from tests.console.calls import AT_HOME
from tests.console.conftest import Exemplar
from tests.extractors.pages import BAKERY
from tests.site.server import SiteServer


@pytest.fixture
def pages(bread: Path) -> Path:
    (bread / "empty.html").write_text("<p>hello</p>", "utf-8")
    (bread / "urls.txt").write_text("https://news.example/1.html\n", "utf-8")
    (bread / "folder.svg").mkdir()
    return bread


def texts_of(path: Path) -> list[str]:
    root = ElementTree.parse(path).getroot()
    return ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize(
    ("arguments", "method"),
    [([], "density"), (["--example", "known.html"], "example"), (["--method", "tag-paths"], "tag-paths")],
)
def test_figure_comes_beside_the_text(arguments: list[str], method: str, pages: Path, in_process: Exemplar) -> None:
    plain = in_process("extract", "page.html", *arguments)
    done = in_process("extract", "page.html", *arguments, "--figure", "page.svg")
    assert (done.code, done.out, done.err) == (0, plain.out, "")
    assert BAKERY[0] in done.out
    assert any(text.startswith(f"{method}: ") for text in texts_of(pages / "page.svg"))


def test_figure_of_a_url_and_its_example(site: SiteServer, pages: Path, exemplar: Exemplar) -> None:
    page, example = (site.url + article.path for article in truth("en")[2:4])
    exemplar("extract", page, "--example", example, "--figure", "page.png", **AT_HOME).succeeded()
    assert (pages / "page.png").read_bytes().startswith(b"\x89PNG")


def test_a_page_without_text_says_that_it_has_no_figure(pages: Path, in_process: Exemplar) -> None:
    in_process("extract", "empty.html", "--figure", "page.svg").failed(
        1, "empty.html: no figure: almost no text on the page"
    )
    assert not (pages / "page.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["page.html", "--figure", "page.pdf"], "page.pdf: a figure is a file that ends in .svg or .png"),
        (["page.html", "known.html", "--figure", "page.svg"], "--figure draws one page"),
        ([".", "--figure", "page.svg"], "--figure draws one page"),
        (["urls.txt", "--figure", "page.svg"], "--figure draws one page"),
        (["page.html", "--figure", "missing/page.svg"], "missing/page.svg cannot be written: no folder missing"),
        (["page.html", "--figure", "folder.svg"], "folder.svg is a folder; name a file in it"),
        (
            ["page.html", "--method", "list-rank-verbatim", "--figure", "page.svg"],
            "has no figure; these have one: auto",
        ),
        (["page.html", "--method", "tag-path", "--figure", "page.svg"], "did you mean 'tag-paths'"),
        (["page.html", "--method", "example", "--figure", "page.svg"], "needs an example page"),
        (["nowhere.html", "--figure", "page.svg"], "no such file"),
    ],
)
def test_wrong_usage_says_what_to_do(arguments: list[str], says: str, pages: Path, in_process: Exemplar) -> None:
    done = in_process("extract", *arguments).failed(2, says)
    assert done.out == ""
    assert not (pages / "page.svg").exists()


def test_a_file_that_cannot_be_written_is_one_clear_line(pages: Path, in_process: Exemplar) -> None:
    done = in_process("extract", "page.html", "--figure", "/proc/page.svg").failed(1)
    assert done.err.startswith("error: /proc/page.svg: the figure cannot be written: ")
    assert BAKERY[0] in done.out


@pytest.mark.usefixtures("pages")
def test_without_matplotlib_the_extra_is_named(in_process: Exemplar, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    in_process("extract", "page.html", "--figure", "page.svg").failed(2, "pip install 'exemplar-crawler[figures]'")
    assert in_process("extract", "page.html").code == 0
