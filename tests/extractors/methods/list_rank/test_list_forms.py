"""Each form of a list is read whole, with the titles, addresses and dates that a reader sees."""

from datetime import date

import pytest

from extractors.metadata.dates import day_of
from extractors.methods.list_rank.extractor import read_entries
from extractors.page import Page

from .list_forms import FORMS, IN_CHINESE, STORIES, UNDATED, page

SITE = "https://gazette.example"
URLS = [SITE + story.url for story in STORIES]
DAYS = [date.fromisoformat(story.day) for story in STORIES]


def entries_of(html):
    return sorted(read_entries(Page(html, f"{SITE}/town/")), key=lambda entry: entry.url)


@pytest.mark.parametrize("chrome", ["div", "html5"])
@pytest.mark.parametrize("name", FORMS)
def test_form(name, chrome):
    entries = entries_of(page(name, chrome))
    assert [entry.url for entry in entries] == URLS
    assert [entry.title for entry in entries] == [story.title for story in STORIES]
    if name not in UNDATED:
        assert [day_of(entry.published) for entry in entries] == DAYS


@pytest.mark.parametrize("name", IN_CHINESE)
def test_chinese_lists(name):
    entries = entries_of(page(name))
    assert [entry.url for entry in entries] == URLS
    assert len({entry.title for entry in entries}) == len(URLS)
    assert [entry.published for entry in entries] == DAYS


@pytest.mark.parametrize(
    ("language", "expected"), [("en-GB", date(2024, 3, 5)), ("en-US", date(2024, 5, 3)), ("", None)]
)
def test_order_of_numbers_in_dates_is_that_of_the_page_s_language(language, expected):
    html = page("days_in_numbers").replace("<html>", f'<html lang="{language}">')
    assert [entry.published for entry in entries_of(html)] == [expected] * len(STORIES)
