"""Designs: the same seed gives the same page, the body is whole, and the boxes are of other articles."""

import pytest

from evaluation.designs.parts import DESIGNS, NAMINGS, fold_of_design, mixed, page_of
from evaluation.designs.stored import DesignedSite, StoredArticle
from extractors.content.assembly import read
from extractors.html.paths import PathTrie
from extractors.page import make_page

ARTICLES = tuple(
    StoredArticle(
        f"{number}",
        f"Story number {number} of the town",
        tuple(
            f"Paragraph {part} of story {number} has a number of words of its own, and ends here." for part in range(6)
        ),
        f"/2024/05/{number}.html",
        "2024-05-01",
        "Anna Miller",
    )
    for number in range(6)
)
SITE = DesignedSite("site", 0, chinese=False, articles=ARTICLES)


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


def test_a_mixture_has_parts_of_the_designs_that_it_is_made_of():
    own = mixed(["comments", "teasers-below"], "seed")
    html = page_of(SITE, ARTICLES[0], "mixed 1", "semantic", own).html
    assert "related" in html
    assert "comment" in html
    assert {fold_of_design(design, 5) for design in DESIGNS} == set(range(5))
