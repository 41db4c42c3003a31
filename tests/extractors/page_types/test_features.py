from pathlib import Path

import pytest
from lxml import etree

from evaluation.page_type_learning import DECLARED
from extractors.html.lines import read_lines
from extractors.html.paths import PathTrie
from extractors.page_types.addresses import names_of_address
from extractors.page_types.features import address_of, body_features, features_of, names_for_kinds
from extractors.page_types.line_features import line_features
from extractors.page_types.list_words import SIGNS
from tests.tables import rows

from .made import article_page, list_page, parsed

URL = "https://gazette.example/town/1.html"


def test_every_page_has_the_same_numbers_in_one_order():
    for html in (article_page(), list_page(), "<p>Some words that are long enough to make a page at all.</p>"):
        assert set(features_of(parsed(html, URL))) == set(names_for_kinds())
        assert set(names_for_kinds()) - set(features_of(parsed(html))) == names_of_address()
    assert set(DECLARED) < set(names_for_kinds())


def test_a_page_without_lines_has_numbers_too():
    assert all(value == value for value in line_features(read_lines(etree.Element("html"), PathTrie()), -1).values())


def test_a_page_without_a_body_has_numbers_too():
    page = parsed(article_page())
    assert set(body_features(page.lines, page.prior, []).values()) == {0.0}


@pytest.mark.parametrize(("name", "texts"), rows(Path(__file__).with_name("signs.txt")))
def test_each_form_of_a_sign_holds_one_of_its_parts(name, texts):
    form, parts = SIGNS[name]
    for text in texts.split(" | "):
        assert form.search(text), text
        assert any(part in text.lower() for part in parts), text


@pytest.mark.parametrize(
    ("url", "head", "found"),
    [
        (None, "", None),
        (URL, "", URL),
        (None, f'<link rel="canonical" href="{URL}">', URL),
        (None, f'<meta property="og:url" content="{URL}">', URL),
        (None, '<link rel="canonical" href="/town/1.html">', None),
        ("file:///town/1.html", "", None),
    ],
)
def test_address_is_the_pages_own_or_the_one_it_declares(url, head, found):
    assert address_of(parsed(article_page(head=head), url)) == found
