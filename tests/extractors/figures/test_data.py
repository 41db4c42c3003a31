"""What the figures show is what the methods decide by."""

import sys

import pytest

from evaluation.sample_site import truth
from extractors import extract
from extractors.errors import ExtraMissing
from extractors.figures import FIGURES, NoFigure, draw, figure_data
from extractors.html.tagless_text import read_ctext
from extractors.methods.article_deviation.extractor import deviation
from extractors.methods.example.verbatim import page_text
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
    texts = texts_of(PAGE)
    first, last = texts.index(BAKERY[0]), texts.index(BAKERY[-1])
    assert (found.head, found.tail) in ((first, last + 1), (first - 1, last + 1))  # with its headline or without
    assert [texts[line] for line in found.kept] == list(BAKERY)
    assert set(found.similarity[first : last + 1]) == {0.0}
    assert found.similarity[0] == found.similarity[-1] == 1.0


def test_example_that_does_not_fit_is_drawn_with_the_reason():
    found = figure_data(PAGE, URL, method="example", example=blog_page(LIBRARY))
    assert found.method == "example"
    assert found.reason.startswith("example differs")


def test_example_verbatim_turns_within_a_window_of_the_body():
    page, example = plain_page("en", 3), plain_page("en", 2)
    found = figure_data(page, SITE, method="example-verbatim", example=example)
    text = page_text(parsed(page).lines)
    body = truth("en")[3].text.split("\n\n")
    assert abs(found.page.head - text.index(body[0])) < 2 * found.window
    assert abs(found.page.tail - text.index(body[-1]) - len(body[-1])) < found.window
    assert found.fs[0] == found.bs[0] == 1.0
    assert max(found.fs[found.page.head + found.window : 1000]) < found.level


def test_example_verbatim_divides_both_texts_alike():
    found = figure_data(plain_page("en", 3), SITE, method="example-verbatim", example=plain_page("en", 2))
    page, example = found.page, found.example
    assert page.head == example.head
    assert page.length - page.tail == example.length - example.tail
    for part in (page, example):
        assert "library on Saturdays at ten." in part.at_head[0]
        assert "More stories" in part.at_tail[1]


def test_density_keeps_what_is_in_the_root():
    found = figure_data(PAGE, URL, method="density")
    texts = texts_of(PAGE)
    assert found.root == "div.story"
    assert [texts[line] for line in found.below] == list(BAKERY)
    assert [texts[line] for line in found.kept] == list(BAKERY)
    assert found.weights[0] < 0 < min(found.weights[line] for line in found.kept)
    assert found.head <= found.kept[0] < found.kept[-1] < found.tail


def test_line_blocks_rise_and_fall_around_the_body():
    page = plain_page("zh", 6)
    found = figure_data(page, SITE, method="line-blocks")
    ctext = read_ctext(page)
    between = [text for line in range(found.start, found.end) if (text := ctext.text(line))]
    paragraphs = STORY.text.split("\n\n")
    assert [text for text in between if text in paragraphs] == paragraphs
    assert between[-1] == paragraphs[-1]
    assert (found.sizes[found.start] > 0, found.threshold) == (True, 0)
    assert len(found.sizes) == len(ctext)


def test_tag_paths_name_the_body_s_cluster():
    page = news_page("New bread", BAKERY * 3)
    found = figure_data(page, URL, method="tag-paths")
    [body] = [one for one in found.clusters if set(found.segment) <= set(one.leaves)]
    assert body.name == "div.story > p"
    assert len(body.leaves) == 12
    assert body.length == sum(found.lengths[leaf] for leaf in body.leaves) > found.length_threshold
    assert set(found.segment) <= set(found.kept)
    assert sorted(leaf for one in found.clusters for leaf in one.leaves) == list(range(len(found.lengths)))


def test_article_deviation_stops_at_the_parent_of_the_paragraphs():
    page = news_page("New bread", BAKERY * 3)
    found = figure_data(page, URL, method="article-deviation")
    assert [level.name for level in found.levels] == ["page", "body", "div.main", "div.story"]
    assert (found.body, found.body_is_child) == ("div.story", False)
    last = found.levels[-1]
    assert (last.children, last.size) == (12, found.body_size)
    assert last.first < found.share * last.size
    assert all(level.first >= found.share * level.size for level in found.levels[:-1])
    assert last.deviation == pytest.approx(deviation([len("".join(text.split())) for text in BAKERY * 3]))


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


@pytest.mark.parametrize(
    ("example", "method", "reason"),
    [
        (None, "density", "no example"),
        (EXAMPLE, "example", "of the surrounding lines match"),
        (blog_page(LIBRARY), "density", "example differs"),
    ],
)
def test_auto_shows_the_method_that_cut(example, method, reason):
    found = figure_data(PAGE, URL, example=example)
    article = extract(PAGE, URL, example=example)
    assert found.method == method == article.method
    assert reason in found.reason == article.reason


def test_a_page_that_is_refused_keeps_no_line():
    missing = (
        "<title>404 Not Found</title><h1>404 Not Found</h1><p>The page that you asked for does not exist here.</p>"
    )
    found = figure_data(missing, URL)
    assert found.kept == ()
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
