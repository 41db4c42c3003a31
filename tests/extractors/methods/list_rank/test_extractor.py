from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from extractors import NoArticle, extract
from extractors.methods.list_rank import linked_tree
from extractors.methods.list_rank.extractor import read_entries
from extractors.page import Page
from tests.tables import rows

from ...pages import BAKERY, HARBOUR, LIBRARY

URL = "https://gazette.example/town/"
TITLES = ("Tide station opens", "Bread from old stones", "Books on the road", "A chimney for the bakery")
TEASERS = (HARBOUR[0], BAKERY[0], LIBRARY[0], BAKERY[3])
MENU = "".join(f'<li><a href="/{name}/">{name}</a></li>' for name in ("town", "sport", "weather", "music", "letters"))


def section_page(entries):
    return f"""<html><body><ul class="menu">{MENU}</ul><div class="list">{entries}</div>
        <div class="foot"><a href="/imprint">Imprint</a></div></body></html>"""


def teaser_list():
    return "".join(
        f'<div class="entry"><h3><a href="{number}.html">{title}</a></h3><span>2026-03-0{number}</span>'
        f'<p>{teaser}</p><a href="{number}.html">read on</a></div>'
        for number, (title, teaser) in enumerate(zip(TITLES, TEASERS, strict=True), 1)
    )


FETCHED = datetime(2026, 11, 26, tzinfo=UTC)


@pytest.mark.parametrize(("entry", "found"), rows(Path(__file__).with_name("entry_dates.txt")))
def test_dates_of_entries_in_short_forms(entry, found):
    entries = "".join(entry.format(n=number, title=title) for number, title in enumerate(TITLES))
    page = Page(section_page(f"<ul>{entries}</ul>"), URL, FETCHED)
    assert {each.published and each.published.isoformat()[:10] for each in read_entries(page)} == {found}


def test_the_heading_of_a_group_is_the_date_of_its_entries():
    links = [f'<li><a href="{number}.html">{title}</a></li>' for number, title in enumerate(TITLES * 2)]
    groups = f"<h4>2026-03-05</h4><ul>{''.join(links[:4])}</ul><h4>2026-03-04</h4><ul>{''.join(links[4:])}</ul>"
    found = [entry.published for entry in read_entries(Page(section_page(groups), URL, FETCHED))]
    assert found == [date(2026, 3, 5)] * 4 + [date(2026, 3, 4)] * 4


def test_address_stays_as_written_where_the_page_has_none():
    assert read_entries(Page(section_page(teaser_list())))[0].url == "1.html"


def test_elements_that_lead_to_one_place_are_no_list():
    source = '<div><p><a href="/1">one</a></p><p><a href="/1">two</a></p><p><a href="/1">three</a></p></div>'
    assert read_entries(Page(source, URL)) == []


@pytest.mark.parametrize("tag", ["nav", "footer", "aside"])
def test_lists_in_noise_are_none(tag):
    page = Page(f"<body><{tag}>{teaser_list()}</{tag}></body>", URL)
    assert read_entries(page) == []


def test_method_gives_the_text_of_the_list():
    article = extract(section_page(teaser_list()), URL, method="list-rank")
    assert article.method == "list-rank"
    assert [block.text for block in article.blocks if block.kind == "heading"] == list(TITLES)
    assert "sport" not in article.text


def test_deep_and_wide_pages_end():
    deep = "".join(f'{"<div>" * 1500}<a href="/{n}">entry {n}</a>{"</div>" * 1500}' for n in range(3))
    wide = "".join(
        f'<div class="c{chr(97 + n % 26) * (1 + n // 26)}"><a href="/{n}">entry {n}</a></div>' for n in range(300)
    )
    assert len(read_entries(Page(f"<body><div>{deep}</div></body>", URL))) == 3
    assert len(read_entries(Page(f"<body>{wide}</body>", URL))) == 300


def test_the_first_elements_of_a_huge_page_are_read(monkeypatch):
    links = "".join(f"<p><a href={number}.html>Title of page {number}</a></p>" for number in range(99))
    page = Page(section_page(links), URL)
    for name, most, read in (("MAX_ELEMENTS", 100, range(43)), ("MAX_LINKS", 85, range(80))):  # the menu is before
        with monkeypatch.context() as patched:
            patched.setattr(linked_tree, name, most)
            titles = [entry.title for entry in read_entries(page)]
            assert titles == [f"Title of page {number}" for number in read]


def test_article_page_has_no_list():
    page = f"<body><h1>{TITLES[0]}</h1>{''.join(f'<p>{text}</p>' for text in HARBOUR)}</body>"
    result = extract(page, method="list-rank")
    assert isinstance(result, NoArticle)
    assert "no list" in result.reason
