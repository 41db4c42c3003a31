"""Pages of two templates: which fit a section, which voters vote on them, and how they cluster."""

import numpy as np
import pytest

from evaluation.sample_site import EXAMPLES, SECTIONS, render_site, shingle_f1, truth
from extractors import Article, Section
from extractors.page import make_page
from extractors.templates import largest_cluster, pairwise_matches
from tests.extractors.pages import BAKERY, HARBOUR, LIBRARY, blog_page, news_page

BASE = "https://paper.example"
CLASSIC, NEW = (render_site(BASE, design) for design in ("classic", "new"))


def learned(section: str, pages: dict, former: dict | None = None) -> Section:
    """A section with an example of one design, and with `former` that of another."""
    prepared = Section(pages[EXAMPLES[section]].body, BASE + EXAMPLES[section])
    if former is not None:
        prepared.learn(former[EXAMPLES[section]].body, BASE + EXAMPLES[section], former=True)
    for article in truth(section)[4:7]:
        prepared.learn(pages[article.path].body, BASE + article.path)
    return prepared


@pytest.mark.parametrize("section", SECTIONS)
def test_pages_of_another_template_do_not_fit_unless_it_is_known(section: str) -> None:
    only_new, both = learned(section, NEW), learned(section, NEW, CLASSIC)
    for article in truth(section)[7:11]:
        new, old = NEW[article.path].body, CLASSIC[article.path].body
        for known in (only_new, both):
            found = known.extract(new, BASE + article.path)
            assert isinstance(found, Article)
            assert (found.fits, shingle_f1(found.text, article.text) >= 0.99) == (True, True)
        strange, familiar = only_new.extract(old, BASE + article.path), both.extract(old, BASE + article.path)
        assert isinstance(familiar, Article)
        assert (strange.fits, familiar.fits) == (False, True)
        is_wrong = isinstance(strange, Article) and shingle_f1(strange.text, article.text) < 0.8
        assert not (is_wrong and strange.confidence >= 0.9)
        assert shingle_f1(familiar.text, article.text) >= 0.95
        assert familiar.surrounding_match is not None
        assert familiar.surrounding_match > 0.3
        assert not {"fits", "surrounding_match"} & familiar.to_dict().keys()


def test_a_page_whose_lists_have_other_news_fits_its_template() -> None:
    yesterday, today = ([f"{day} {number} reported" for number in range(20)] for day in ("Last night", "This morning"))
    section = Section(news_page("Tide station", HARBOUR, related=yesterday))
    section.learn(news_page("Flour", BAKERY, related=yesterday))
    section.learn(news_page("Ovens", BAKERY[::-1], related=yesterday))
    later = section.extract(news_page("Books", LIBRARY, related=today))
    assert later.surrounding_match is not None
    assert later.surrounding_match < 0.4
    assert (later.fits, section.extract(blog_page(LIBRARY)).fits) == (True, False)


@pytest.mark.parametrize("section", SECTIONS)
def test_pages_cluster_by_their_template(section: str) -> None:
    articles = truth(section)[:9]
    bodies = [(CLASSIC if place < 3 else NEW)[article.path].body for place, article in enumerate(articles)]
    pages = [make_page(body, BASE + article.path) for body, article in zip(bodies, articles, strict=True)]
    pages.append(make_page(b" ", BASE))  # nothing can be read from it
    matches = pairwise_matches(pages)
    assert matches.shape == (10, 10)
    assert not matches[9].any()
    cluster = largest_cluster(matches)
    assert cluster.members == (3, 4, 5, 6, 7, 8)
    assert sorted(cluster.order) == [*cluster.members]


def test_no_pages_are_no_cluster() -> None:
    assert largest_cluster(np.zeros((0, 0), np.float32)).members == ()
    assert len(largest_cluster(np.zeros((3, 3), np.float32)).members) == 1
