import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from console.sample_site import DESIGNS, SECTIONS, render_site, truth
from console.sample_site.pages import LIST_PATHS, TOPIC_PATHS
from extractors import NoArticle
from extractors.page_types import PageType, classify, classify_shapes, shape_of
from extractors.page_types.classify import kind_of_several

from .made import article_page, list_page, parsed

BASE = "https://paper.example"


def judged(design, paths):
    """Return the address and type of pages of the sample site, none of which was learned from."""
    pages = render_site(BASE, design)
    found = [(path, pages[path]) for path in paths]
    texts = [(path, page.body.decode("gbk" if path.startswith("/zh") else "utf-8")) for path, page in found]
    return [(BASE + path, classify(parsed(text, BASE + path))) for path, text in texts]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("section", SECTIONS)
def test_lists_of_the_sample_site_are_no_articles(design, section):
    found = [kind for _, kind in judged(design, [*LIST_PATHS[section], TOPIC_PATHS[section]])]
    assert all(kind.kind != "article" and kind.probability < 0.5 for kind in found)
    assert [kind.kind for kind in found].count("list") >= 2


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("section", SECTIONS)
def test_articles_of_the_sample_site_are_no_lists(design, section):
    found = judged(design, [wanted.path for wanted in truth(section)])
    assert all(kind.kind != "list" and kind.probability > 0.7 for _, kind in found)


@pytest.mark.parametrize("design", DESIGNS)
def test_articles_of_one_shape_are_articles_together(design):
    found = judged(design, [wanted.path for wanted in truth("zh")])
    assert {kind.kind for kind in classify_shapes(found).values()} == {"article"}


def test_pages_without_an_address():
    assert classify(parsed(list_page())).kind != "article"
    assert classify(parsed(article_page())).kind != "list"
    assert classify(parsed(article_page())).probability > classify(parsed(list_page())).probability


def test_reasons_are_words_for_a_person():
    reasons = classify(parsed(list_page(), "https://gazette.example/town/")).reasons
    assert 1 <= len(reasons) <= 3
    assert any("link" in reason for reason in reasons)


def test_a_page_of_a_few_words_gets_a_type():
    assert classify(parsed("<p>Forty bytes of text are what a page must have at least.</p>")).kind in (
        "list", "uncertain", "article",
    )  # fmt: skip


def test_uncertain_pages_of_one_shape_are_surer_together():
    alone = PageType("uncertain", 0.8, ())
    together = classify_shapes((f"https://a.example/{number}.html", alone) for number in range(16))
    assert list(together) == [shape_of("https://a.example/1.html")]
    assert [kind.kind for kind in together.values()] == ["article"]
    assert classify_shapes([("https://a.example/1.html", alone)])[shape_of("https://a.example/1.html")].kind == (
        "uncertain"
    )


def test_a_shape_of_both_types_is_uncertain():
    pages = [PageType("article", 0.99, ())] * 3 + [PageType("list", 0.01, ())]
    found = classify_shapes((f"https://a.example/{number}.html", kind) for number, kind in enumerate(pages))
    assert [(kind.kind, kind.reasons) for kind in found.values()] == [
        ("uncertain", ("4 pages of this shape: 3 articles, 1 lists",))
    ]


def test_one_page_does_not_outvote_all_others():
    assert kind_of_several(np.array([-30.0, 1, 1, 1, 1, 1, 1, 1, 1]), 2.0, -40.0) == "uncertain"
    assert kind_of_several(np.array([-30.0] + [1] * 40), 2.0, -40.0) == "article"


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</p>", "<h2>", "<a href='/x-1'>", "<a href='//[", "<br>", "<li>", "<img>", "<title>", "<pre>",
             "<script type='application/ld+json'>", "<link rel=canonical href='http://a.example/%'>", "2026-11-03 ",
             "Some words of a text that goes on for a while. ", "读者来信，" * 9, "\0", "\ud800", "…"]
        ),
        max_size=40,
    ),
    st.sampled_from([None, "", "http://[", "https://a.example", "https://a.example/?page=2&%ff", "HTTP://A.example//x//"]),
)  # fmt: skip
def test_any_page_that_parses_gets_a_type(parts, url):
    page = parsed("<p>Forty bytes of text are what a page must have at least.</p>" + "".join(parts), url)
    if not isinstance(page, NoArticle):
        assert 0 <= classify(page).probability <= 1
