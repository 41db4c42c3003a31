"""Each form of a list is read whole, with the titles, addresses and dates that a reader sees."""

from datetime import date

import pytest

from extractors.metadata.dates import day_of
from extractors.methods.list_rank.extractor import read_entries
from extractors.page import Page

from .list_forms import DEDECMS, FORMS, GBK_NEWS, STORIES, day, each, page

SITE = "https://gazette.example"
URLS = [f"{SITE}/2026/03/story-{n}.html" for n in range(len(STORIES))]
DAYS = [date.fromisoformat(day(n)) for n in range(len(STORIES))]


def entries_of(content, chrome):
    return sorted(read_entries(Page(page(content, chrome=chrome), f"{SITE}/town/")), key=lambda entry: entry.url)


@pytest.mark.parametrize("chrome", ["div", "html5"])
@pytest.mark.parametrize("name", FORMS)
def test_form(name, chrome):
    content, dated = FORMS[name]
    entries = entries_of(content, chrome)
    assert [entry.url for entry in entries] == URLS
    assert [entry.title for entry in entries] == [title for title, _ in STORIES]
    if dated:
        assert [day_of(entry.published) for entry in entries] == DAYS


@pytest.mark.parametrize("content", [DEDECMS, GBK_NEWS])
def test_chinese_lists(content):
    entries = entries_of(content, "div")
    assert [entry.url for entry in entries] == URLS
    assert len({entry.title for entry in entries}) == len(URLS)
    assert [entry.published for entry in entries] == DAYS


@pytest.mark.parametrize(
    ("language", "expected"), [("en-GB", date(2024, 3, 5)), ("en-US", date(2024, 5, 3)), ("", None)]
)
def test_order_of_numbers_in_dates_is_that_of_the_page_s_language(language, expected):
    items = each('<li><a href="{url}">{title}</a> <span>05/03/2024</span></li>')
    html = page(f"<ul>{items}</ul>").replace("<html>", f'<html lang="{language}">')
    found = read_entries(Page(html, f"{SITE}/town/"))
    assert [entry.published for entry in found] == [expected] * len(STORIES)
