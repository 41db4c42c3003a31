"""The page's type first, then the article or the list."""

import json
from datetime import date
from types import SimpleNamespace

import pytest

from extractors import Article, Entry, Listing, NoArticle, extract
from extractors.methods import i_awce
from extractors.render import render
from extractors.visual import screenshot_type
from extractors.visual.screenshot_type import ScreenshotType

from ..pages import BAKERY, HARBOUR, LIBRARY, news_page
from .list_rank.test_extractor import TITLES, URL, section_page, teaser_list

ARTICLE_URL = "https://gazette.example/town/2026/03/04/bread.html"


def archive():
    """A list page with twelve entries, next page and all."""
    entries = "".join(
        f'<li class="entry"><a href="/town/2026/{number}.html">{TITLES[number % 4]}, part {number}</a> '
        f"<span>2026-03-{number + 10}</span></li>"
        for number in range(12)
    )
    return f"""<!DOCTYPE html><html lang="en"><head><title>All news, page 2 - The Gazette</title>
        <link rel="next" href="/town/?page=3"></head><body><nav><a href="/">Home</a></nav><h1>All news, page 2</h1>
        <ul>{entries}</ul><a href="/town/?page=3">Next page</a></body></html>"""


def bakery():
    head = '<meta property="og:type" content="article"><meta name="author" content="Ann Miller">'
    return news_page("Bread from old stones", (*BAKERY, *LIBRARY, *HARBOUR), head=head)


def test_an_article_comes_out_as_by_deviation():
    found = extract(bakery(), ARTICLE_URL, method="i-awce")
    assert isinstance(found, Article)
    assert (found.method, found.page_type) == ("i-awce", "article")
    alone = extract(bakery(), ARTICLE_URL, method="article-deviation")
    assert (found.text, found.title, found.author) == (alone.text, alone.title, alone.author)
    assert found.reason.startswith("article by structure (")


def test_a_list_comes_out_as_entries():
    found = extract(archive(), "https://gazette.example/town/?page=2", method="i-awce")
    assert isinstance(found, Listing)
    assert (found.method, found.page_type, found.title) == ("i-awce", "list", "All news, page 2")
    assert len(found.entries) == 12
    assert found.entries[1] == Entry(
        "Bread from old stones, part 1", "https://gazette.example/town/2026/1.html", date(2026, 3, 11)
    )
    assert "12 <li> with links of their own" in found.reason
    assert 0 < found.confidence <= 1


def test_a_listing_is_a_line_an_entry_or_a_list_of_links():
    listing = Listing(
        "Tides", (), "list-rank", 0.9, "because", title="The *town*",
        entries=(Entry("Tides [again]", "http://a.example/1", date(2026, 3, 4)), Entry("Bread", "http://a.example/<2>")),
    )  # fmt: skip
    assert render(listing) == "2026-03-04\tTides [again]\thttp://a.example/1\n\tBread\thttp://a.example/<2>"
    assert render(listing, "markdown") == (
        "# The \\*town\\*\n\n- 2026-03-04 [Tides \\[again\\]](http://a.example/1)\n- [Bread](http://a.example/<2>)"
    )
    assert json.loads(render(listing, "json"))["entries"][1]["published"] is None


def test_a_page_that_says_that_it_is_no_article_is_none():
    page = "<title>Lost</title><h1>404 Not Found</h1><p>The page that you asked for is not here any more.</p>"
    found = extract(page, URL, method="i-awce")
    assert isinstance(found, NoArticle)
    assert found.reason.startswith("the page is an error page")


def test_a_list_that_a_person_insists_on_is_an_article():
    lists = extract(section_page(teaser_list() * 2), URL, method="i-awce", refuse="never")
    assert isinstance(lists, Article)
    assert lists.page_type == "article"


class Seen:
    """A classifier that always sees the same type."""

    def __init__(self, kind, reliability):
        self.kind, self.reliability, self.pictures = kind, reliability, []

    def __call__(self, png):
        self.pictures.append(png)
        return ScreenshotType(self.kind, 0.9)


@pytest.fixture
def see(monkeypatch):
    def see(kind, reliability=screenshot_type.UNSEEN_RIGHT):
        seen = Seen(kind, reliability)
        monkeypatch.setattr(screenshot_type, "classifier", lambda: seen)
        return seen

    return see


@pytest.mark.parametrize(("kind", "page"), [("list", bakery()), ("article", archive())])
def test_a_screenshot_of_an_unseen_site_does_not_change_what_structure_shows(see, kind, page):
    seen = see(kind)
    alone, found = extract(page, method="i-awce"), extract(page, method="i-awce", screenshot=b"a picture")
    assert seen.pictures == [b"a picture"]
    assert (type(found), found.page_type, found.text) == (type(alone), alone.page_type, alone.text)
    assert abs(found.article_probability - 0.5) < abs(alone.article_probability - 0.5)


@pytest.mark.parametrize(("kind", "expected"), [("list", "list"), ("article", "article")])
def test_a_screenshot_decides_where_structure_is_uncertain(see, monkeypatch, kind, expected):
    see(kind)
    monkeypatch.setattr(i_awce, "classify", lambda parsed, kept: SimpleNamespace(probability=0.55, reasons=()))
    found = extract(archive(), method="i-awce", screenshot=b"a picture")
    assert found.page_type == expected
    assert found.reason.startswith(f"{kind} by structure and screenshot")


def test_a_list_by_its_screenshot_without_like_elements_is_an_article_of_uncertain_type(see, monkeypatch):
    see("list", 0.9)
    monkeypatch.setattr(i_awce, "classify", lambda parsed, kept: SimpleNamespace(probability=0.5, reasons=()))
    page = news_page("Bread", (*BAKERY, *LIBRARY), related=("Weather for the week",)).replace("<li>", "<b>")
    page = page.replace('<a href="/town">Town</a> <a href="/sport">Sport</a>', "")
    found = extract(page, method="i-awce", screenshot=b"a picture")
    assert isinstance(found, Article)
    assert found.page_type == "uncertain"
    assert found.confidence == pytest.approx(0.1)
