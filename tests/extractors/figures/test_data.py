"""Which method a figure shows, and what has none; test_draw.py compares what it shows with that of docs/."""

import sys

import pytest

from evaluation.sample_site import truth
from extractors import extract
from extractors.errors import ExtraMissing
from extractors.figures import FIGURES, NoFigure, draw, figure_data
from tests.extractors.pages import BAKERY, HARBOUR, LIBRARY, blog_page, news_page

URL = "https://gazette.example/a/2.html"
PAGE = news_page("New bread", BAKERY)
EXAMPLE = news_page("Tides", HARBOUR)
STORY = truth("zh")[6]


@pytest.mark.parametrize("asked", ["auto", "example"])
@pytest.mark.parametrize(
    ("example", "method", "reason"),
    [
        (None, "density", "no example"),
        (EXAMPLE, "example", "of the surrounding lines match"),
        (blog_page(LIBRARY), "density", "example differs"),
    ],
)
def test_the_method_that_decided_is_shown(example, asked, method, reason):
    found = figure_data(PAGE, URL, example=example, method=asked if example else "auto")
    article = extract(PAGE, URL, example=example)
    assert found.method == method == article.method
    assert reason in found.reason == article.reason


def test_a_page_that_is_refused_keeps_no_line():
    missing = (
        "<title>404 Not Found</title><h1>404 Not Found</h1><p>The page that you asked for does not exist here.</p>"
    )
    found = figure_data(missing, URL)
    assert not found.kept
    assert found.reason == extract(missing, URL).reason


@pytest.mark.parametrize("method", [method for method in FIGURES if not method.startswith("example")])
def test_a_page_without_text_has_no_figure(method):
    with pytest.raises(NoFigure):
        figure_data("<html><body><p></p></body></html>", URL, method=method)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"method": "tag-path"}, "did you mean 'tag-paths'"),
        ({"method": "example"}, "method 'example' needs an example page"),
        ({"method": "example-verbatim"}, "method 'example-verbatim' needs an example page"),
        (
            {"method": "list-rank-verbatim"},
            r"'list-rank-verbatim' has no figure; these have one: auto, example, .*tag-pa",
        ),
    ],
)
def test_a_wrong_wish_says_what_is_wrong(arguments, says):
    with pytest.raises(ValueError, match=says):
        figure_data(PAGE, **arguments)


def test_data_need_no_plotting_library(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = figure_data(PAGE, URL)
    assert found.kept
    with pytest.raises(ExtraMissing, match=r"pip install 'exemplar-crawler\[figures\]'"):
        draw(found, tmp_path / "page.svg")
    assert list(tmp_path.iterdir()) == []
