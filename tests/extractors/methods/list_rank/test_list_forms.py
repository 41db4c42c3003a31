"""Each form of a list is read whole, with the titles, addresses and dates that a reader sees."""

from datetime import date

import pytest

from extractors.metadata.dates import day_of
from extractors.methods.list_rank.extractor import read_entries
from extractors.page import Page

from .list_forms import DEDECMS, FORMS, GBK_NEWS, STORIES, day, page

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
