"""What all methods that cut articles have in common."""

import pytest

from extractors import extract
from extractors.registry import METHODS

from ..pages import BAKERY, HARBOUR, news_page

LINES = ("line-blocks", "line-blocks-verbatim", "article-deviation-verbatim", "list-rank", "list-rank-verbatim",
         "bp-network-verbatim")  # keep more or less of a page with as little around its text  # fmt: skip


@pytest.mark.parametrize("method", [name for name in METHODS if name != "auto"])
def test_a_method_answers_under_its_name_and_cuts_the_story(method):
    article = extract(news_page("Bread from old stones", BAKERY), example=news_page("Tides", HARBOUR), method=method)
    assert (article.method, article.title) == (method, "Bread from old stones")
    assert 0 < article.confidence <= 1
    assert method in LINES or article.text.split("\n\n") == list(BAKERY)
