"""What the figures show is what the methods decide by."""

import sys

import pytest

from evaluation.sample_site import truth
from extractors import extract
from extractors.errors import ExtraMissing
from extractors.figures import FIGURES, NoFigure, draw, figure_data
from extractors.html.tagless_text import read_ctext
from extractors.methods.example.verbatim import WINDOW, page_text
from tests.extractors.pages import BAKERY, HARBOUR, LIBRARY, blog_page, news_page, parsed
from tests.site.figures import SITE, plain_list, plain_page

URL = "https://gazette.example/a/2.html"
PAGE = news_page("New bread", BAKERY)
EXAMPLE = news_page("Tides", HARBOUR)
STORY = truth("zh")[6]


def texts_of(html):
    return parsed(html).lines.texts


def test_example_has_its_turning_points_where_the_body_begins_and_ends():
    found = figure_data(PAGE, URL, method="example", example=EXAMPLE)
    texts, segment = texts_of(PAGE), found.steps.segment
    first, last = texts.index(BAKERY[0]), texts.index(BAKERY[-1])
    assert (segment.head, segment.tail) in ((first, last + 1), (first - 1, last + 1))  # with its headline or without
    assert [texts[line] for line in found.kept] == list(BAKERY)


def test_example_verbatim_divides_both_texts_alike_within_a_window_of_the_body():
    page, example = plain_page("en", 3), plain_page("en", 2)
    found = figure_data(page, SITE, method="example-verbatim", example=example)
    text, curves = page_text(parsed(page).lines), found.curves
    body = truth("en")[3].text.split("\n\n")
    assert abs(curves.head - text.index(body[0])) < 2 * WINDOW
    assert abs(curves.tail - text.index(body[-1]) - len(body[-1])) < WINDOW
    assert curves.fs[0] == curves.bs[0] == 1.0
    assert found.page.head == found.example.head
    assert len(found.page.text) - found.page.tail == len(found.example.text) - found.example.tail


def test_line_blocks_rise_and_fall_around_the_body():
    page = plain_page("zh", 6)
    found = figure_data(page, SITE, method="line-blocks")
    ctext = read_ctext(page)
    between = [text for line in range(found.start, found.end) if (text := ctext.text(line))]
    paragraphs = STORY.text.split("\n\n")
    assert [text for text in between if text in paragraphs] == paragraphs
    assert between[-1] == paragraphs[-1]
    assert len(found.sizes) == len(ctext)


def test_tag_paths_and_article_deviation_find_the_paragraphs():
    page = news_page("New bread", BAKERY * 3)
    found = figure_data(page, URL, method="tag-paths")
    assert found.segment in found.clusters
    assert len(found.segment) == 12
    assert {*found.segment} <= {*found.kept}
    last = figure_data(page, URL, method="article-deviation").steps[-1]
    assert (len(last.texts), last.body) == (12, last.element)


def test_list_rank_chooses_the_best_by_r():
    found = figure_data(plain_list("zh"), SITE, method="list-rank")
    chosen = found.candidates[0]
    assert chosen.name == "dl > dd.entry"
    assert (chosen.count, chosen.first) == (10, truth("zh")[0].title)
    assert chosen.rank == max(one.rank for one in found.candidates)
    ranks = [one.rank for one in found.candidates]
    assert ranks == sorted(ranks, reverse=True)
    assert {one.name for one in found.candidates} >= {"ul > li", "tr > td"}


@pytest.mark.parametrize("method", ["bp-network", "bp-network-verbatim"])
def test_bp_network_has_an_output_for_each_line(method):
    page = plain_page("zh", 6)
    found = figure_data(page, SITE, method=method)
    texts = texts_of(page)
    assert len(found.outputs) == len(texts)
    assert all(0 <= output <= 1 for output in found.outputs)
    kept = [texts[line] for line in found.kept if texts[line] != STORY.title]
    if method == "bp-network":
        assert kept == STORY.text.split("\n\n")
    else:  # each line by itself, and some lines of the template with the body's
        assert set(kept) >= set(STORY.text.split("\n\n"))
        assert found.kept == tuple(n for n, output in enumerate(found.outputs) if output > found.threshold)


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
