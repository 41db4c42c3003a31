"""What follows from a page, decided without Redis."""

from datetime import date

import pytest

from extractors import Section
from tests.workers.helpers import FETCHED_AT, TASK, archive, article, url
from workers.extraction.filters import OTHER_DAYS
from workers.extraction.page_decision import FoundArticle, Reject, judge
from workers.extraction.section_preparation import PreparedSection
from workers.extraction_config import ExtractionConfig, RowFilter
from workers.page_store import StoredPage, pack
from workers.url_states import PageLease


@pytest.fixture(scope="module")
def example():
    return Section(article(0).decode(), url(0))


def section(prepared, example_only=None, **config):
    settings = ExtractionConfig(TASK, url(0), r"http://gazette\.example/a/\d+\.html", (), "/srv", **config)
    return PreparedSection(settings, "v+0", prepared, example_only or prepared)


def lease(body, *, attempts=1, info=None, **more):
    page = StoredPage(url(1), body, "text/html; charset=utf-8", FETCHED_AT, **more)
    stored = {name: value if isinstance(value, bytes) else str(value).encode() for name, value in pack(page).items()}
    return PageLease("name", url(1), attempts, False, stored, info or {})


@pytest.mark.parametrize("of_example", [url(0), url(7)])
def test_a_canonical_link_that_all_pages_have_does_not_count(of_example):
    prepared = section(Section(article(0, canonical=of_example).decode(), url(0)))

    def link_of(number, title=None):
        body = article(number, canonical=of_example)
        body = body.replace(f"Story {number}".encode(), (title or f"Story {number}").encode())
        return judge(prepared, lease(body)).article.canonical_url

    assert link_of(1) is None
    assert link_of(0) == link_of(1, "Story 0 (2)") == of_example  # the example under another URL; its second page


@pytest.mark.parametrize(
    ("config", "info", "reason"),
    [
        ({"drop": RowFilter(("mast",))}, {}, "drop: keyword mast"),
        ({"keep": RowFilter(until=date(2020, 1, 1))}, {}, "keep: published after 2020-01-01"),
        ({"skip": ("noai",)}, {}, "skip: noai"),
        ({}, {"days": ["2020-01-01", "2020-12-31"]}, OTHER_DAYS),
        ({"skip": ("noai",), "drop": RowFilter(("mast",))}, {"days": ["2020-01-01", None]}, "skip: noai"),
    ],
)
def test_what_the_task_does_not_take_is_rejected(example, config, info, reason):
    head = '<meta property="article:published_time" content="2026-03-01T08:00:00Z"><meta name="robots" content="noai">'
    assert judge(section(example, **config), lease(article(1, head=head), info=info)) == Reject(reason)


@pytest.mark.parametrize(("head", "day"), [("", 2), ('<meta name="pubdate" content="2026-03-01">', 1)])
def test_the_time_of_the_feed_is_that_of_a_page_without_one(example, head, day):
    found = judge(section(example), lease(article(1, head=head), info={"listed": "2026-03-02T07:30:00+00:00"}))
    assert found.article.published.day == day


def test_a_page_that_looks_like_a_list_is_an_article_if_the_task_says_so_but_never_a_check_of_visitors(example):
    assert isinstance(judge(section(example, articles=True), lease(archive())), FoundArticle)
    words = b"Verify that you are human by completing the action below, so that you can continue to read."
    check = b"<html><head><title>Are you a robot?</title></head><body><p>" + words + b"</p></body></html>"
    for is_declared in (False, True):
        refused = judge(section(example, articles=is_declared), lease(check))
        assert isinstance(refused, Reject)
        assert "shows a check" in refused.reason
