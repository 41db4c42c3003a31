"""Each value of an article's metadata comes from a place of the page that the explanation names."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaluation.sample_site import DESIGNS, SECTIONS, render_site, truth
from extractors import Section
from extractors.explanation import explain
from tests.extractors.pages import BAKERY, news_page
from tests.samples import sample
from tests.tables import rows

BASE = "https://paper.example"
FETCHED = datetime(2026, 11, 20, 9, tzinfo=UTC)
JSON_LD = '<script type="application/ld+json">{"@type": "NewsArticle", %s}</script>'


def fields_of(head="", url=None, body=None, title="New bread"):
    page = news_page(title, BAKERY, head=head, body=body)
    return {field.name: field for field in explain(Section(None), page, url, fetched_at=FETCHED).fields}


@pytest.mark.parametrize(("design", "section"), [*zip(DESIGNS, SECTIONS, strict=True)])
def test_every_value_has_its_place(design, section):
    pages, used = render_site(BASE, design), Section(None)
    for wanted in truth(section)[:: sample(4, 1)]:
        page, url = pages[wanted.path], BASE + wanted.path
        explanation = explain(used, page.body, url, content_type=page.headers["Content-Type"], fetched_at=FETCHED)
        assert len(explanation.fields) == 11
        for field in explanation.fields:
            assert bool(field.value) == bool(field.place)
            assert [candidate.state for candidate in field.candidates].count("taken") == bool(field.value)


def test_a_declared_author_wins_over_others():
    head = JSON_LD % '"author": {"name": "Ada Pell"}' + '<meta name="author" content="Bo Quill">'
    author = fields_of(head)["author"]
    assert (author.value, author.place) == ("Ada Pell", "JSON-LD author")
    assert [(c.place, c.value, c.state) for c in author.candidates[1:]] == [("meta author", "Bo Quill", "lost")]


def test_a_title_without_the_name_of_the_site_agrees():
    title = fields_of()["title"]
    assert (title.value, title.place) == ("New bread", "<h1>")
    assert ("<title>", "New bread - The Gazette", "same") in [(c.place, c.value, c.state) for c in title.candidates]


def test_a_date_that_the_page_shows_in_its_zone_keeps_its_place():
    head = JSON_LD % '"datePublished": "2026-03-06T03:00:00Z"'
    body = "<p>March 5, 2026 10:00 pm</p>" + "".join(f"<p>{paragraph}</p>" for paragraph in BAKERY)
    published = fields_of(head, body=body)["published"]
    assert published.value == "2026-03-05T22:00:00-05:00"
    assert published.place == "lines before the body"


@pytest.mark.parametrize(("head", "name", "place"), rows(Path(__file__).with_name("places.txt")))
def test_a_value_names_its_place(head, name, place):
    field = fields_of(head, "https://g.example/2026/02/01/bread.html")[name]
    assert field.value
    assert field.place == place


def test_a_territory_declares_traditional_characters():
    body = "<p>河邊的舊市場不拆了，從明年春天開始維修，攤販可以在操場上賣菜。</p>" * 3
    page = f"<html lang='zh-TW'><title>市場</title><h1>市場</h1>{body}"
    field = next(each for each in explain(Section(None), page, fetched_at=FETCHED).fields if each.name == "language")
    assert (field.value, field.place, field.candidates[0].state) == ("zh-Hant", "<html lang>", "taken")


def test_the_day_in_an_address_and_a_picture_of_the_body_are_places():
    body = "".join(f"<p>{paragraph}</p><img src='/d.png'>" for paragraph in BAKERY)
    fields = fields_of(url="https://g.example/2026/02/01/bread.html", body=body)
    assert fields["published"].place == "day in the address"
    assert fields["image"].place == "first picture of the body"
