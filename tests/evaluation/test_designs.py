"""Designs: the same seed gives the same page, the body is whole, and what stands around it is of other articles."""

import re
from dataclasses import fields
from itertools import product

import pytest

from evaluation.designs.parts import DESIGNS, NAMINGS, page_of
from evaluation.designs.stored import DesignedSite, StoredArticle
from evaluation.designs.written import KINDS, UNSEEN, collections, folds_of_collection, written_page
from evaluation.line_model import FOLDS, FORMS, JUDGED, LabelledForm
from extractors.content.assembly import read
from extractors.html.dom import parse
from extractors.html.paths import PathTrie
from extractors.page import make_page
from tests.samples import sample


def site_of(name, title, paragraph, author, *, chinese):
    """Six articles of six paragraphs; in the texts, {0} is the number of the article and {1} that of the paragraph."""
    articles = [
        StoredArticle(
            f"{number}",
            title.format(number),
            tuple(paragraph.format(number, part) for part in range(6)),
            f"/2024/05/{number}.html",
            "2024-05-01",
            author,
        )
        for number in range(6)
    ]
    return DesignedSite(name, 0, chinese=chinese, articles=tuple(articles))


WORDS = "Paragraph {1} of story {0} has a number of words of its own, and ends here."
SITE = site_of("site", "Story number {} of the town", WORDS, "Anna Miller", chinese=False)
CHINESE_WORDS = "第{0}个故事的第{1}段有自己的几句话，说的是河边的小城，到这里就结束了。"
CHINESE = site_of("站点", "小城第{}个故事", CHINESE_WORDS, "王明华", chinese=True)
ARTICLES = SITE.articles


@pytest.mark.parametrize("design", list(DESIGNS))
def test_a_page_has_its_body_and_is_the_same_each_time(design):
    naming = NAMINGS[len(design) % 3]
    page = page_of(SITE, ARTICLES[0], design, naming)
    assert page.html == page_of(SITE, ARTICLES[0], design, naming).html
    lines = read(make_page(page.html, "https://x.example/1.html"), PathTrie()).lines.texts
    assert all(any(text in line for line in lines) for text in page.body.split("\n\n"))


def test_names_say_what_a_box_is_only_if_they_are_semantic():
    pages = [page_of(SITE, ARTICLES[0], "teasers-below", naming).html for naming in NAMINGS]
    assert ["related" in html for html in pages] == [True, False, False]


@pytest.mark.parametrize("collection", list(collections()))
def test_a_written_page_has_its_body_once_and_in_order(collection):
    """Compiling the templates takes most of the time: the short form takes every 24th of them."""
    for design, site in product(collections()[collection][:: sample(24, 1)], (SITE, CHINESE)):
        paragraphs = list(site.articles[0].paragraphs)
        page = written_page(site, site.articles[0], design)
        assert page == written_page(site, site.articles[0], design)
        printed = [text for text in page.body.split("\n\n") if text in paragraphs]
        assert printed == paragraphs[: len(printed) if collection == "digests" else None], design
        text = "\n".join(read(make_page(page.html, "https://x.example/1.html"), PathTrie()).lines.texts)
        places = [text.find(paragraph) for paragraph in printed]
        assert -1 not in places, design
        assert places == sorted(places), design
        assert site.chinese or not re.search("[\u4e00-\u9fff]", page.html), design


@pytest.mark.parametrize("collection", list(collections(KINDS)))
def test_a_written_page_of_another_kind_has_its_text_in_order_and_more(collection):
    for design, site in product(collections(KINDS)[collection][:: sample(48, 1)], (SITE, CHINESE)):
        page = written_page(site, site.articles[0], design)
        assert page == written_page(site, site.articles[0], design)
        text = "".join("".join(parse(page.html).itertext()).split())
        at = 0
        for part in page.body.split("\n\n"):
            at = text.find("".join(part.split()), at)
            assert at >= 0, (design, part)
        assert len("".join(page.body.split())) < len(text), design


def test_collections_are_left_out_as_a_whole_and_some_are_never_trained_on():
    every = collections() | collections(KINDS)
    folds = {name: {folds_of_collection(design, FOLDS) for design in designs} for name, designs in every.items()}
    assert {*folds} >= UNSEEN
    assert all(folds.pop(name) == {frozenset(range(FOLDS))} for name in UNSEEN)
    assert all(len(found) == 1 for found in folds.values())
    assert set().union(*folds.values()) == {frozenset([fold]) for fold in range(FOLDS)}
    assert not {JUDGED, f"{JUDGED} example"} & set(FORMS)
    values = dict.fromkeys((field.name for field in fields(LabelledForm)), None) | {"designs": frozenset(range(FOLDS))}
    assert not any(LabelledForm(**values | {"fold": 0}).seen_without(fold) for fold in range(FOLDS))
