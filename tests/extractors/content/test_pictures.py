from pathlib import Path

import lxml.html
import pytest

from extractors.content.pictures import alternative, background_url, picture_url
from tests.tables import rows

BASE = "https://gazette.example/town/1"


def url_of(html):
    element = lxml.html.fragment_fromstring(html)
    return picture_url(element if element.tag == "img" else element.find(".//img"), BASE)


@pytest.mark.parametrize(("html", "url"), rows(Path(__file__).with_name("pictures.txt")))
def test_the_picture_that_an_element_shows(html, url):
    assert url_of(html) == url


def test_a_background_is_the_picture_of_a_figure():
    box = lxml.html.fragment_fromstring("<div style=\"background:#fff url('/p.jpg') 0 0\"></div>")
    assert background_url(box, BASE) == "https://gazette.example/p.jpg"
    assert (
        background_url(lxml.html.fragment_fromstring("<div data-bg=/p.jpg></div>"), BASE)
        == "https://gazette.example/p.jpg"
    )
    assert background_url(lxml.html.fragment_fromstring("<div style='color:red'></div>"), BASE) is None


def test_an_alternative_text_is_one_short_line():
    assert alternative(lxml.html.fragment_fromstring(f"<img alt='a\n  b {'c' * 400}'>")).startswith("a b c")
    assert len(alternative(lxml.html.fragment_fromstring(f"<img alt='{'c' * 400}'>"))) == 300
