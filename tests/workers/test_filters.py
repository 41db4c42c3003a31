from datetime import UTC, date, datetime

import pytest

from extractors import Article
from workers.briefs import Brief, Filter
from workers.filters import unwanted

DAY = date(2026, 3, 12)


def reason(text="The harbour is open", title=None, published=None, keep=None, drop=None):
    article = Article(text, (), "test", 1.0, "", title=title, published=published)
    brief = Brief("t", "", "", (), "", keep=keep or Filter(), drop=drop or Filter())
    return unwanted(article, brief)


def test_without_filters_everything_is_wanted():
    assert reason() is None


@pytest.mark.parametrize(("words", "wanted"), [(("mill", "HARBOUR"), True), (("mill",), False)])
def test_keep_asks_for_one_of_its_keywords(words, wanted):
    assert (reason(keep=Filter(words)) is None) == wanted


def test_a_keyword_may_stand_in_the_title():
    assert reason(title="海港 open", keep=Filter(("海港",))) is None


def test_drop_names_the_keyword_that_hit():
    assert reason(drop=Filter(("mill", "Harbour"))) == "drop: keyword Harbour"


def test_drop_wins_over_keep():
    assert reason(keep=Filter(("harbour",)), drop=Filter(("open",))) == "drop: keyword open"


@pytest.mark.parametrize(
    ("keep", "said"),
    [
        (Filter(since=DAY, until=DAY), None),
        (Filter(since=date(2026, 3, 13)), "keep: published before 2026-03-13"),
        (Filter(until=date(2026, 3, 11)), "keep: published after 2026-03-11"),
    ],
)
def test_keep_asks_for_days_and_includes_its_ends(keep, said):
    assert reason(published=DAY, keep=keep) == said
    assert reason(published=datetime(2026, 3, 12, 23, 59, tzinfo=UTC), keep=keep) == said


@pytest.mark.parametrize(
    ("drop", "said"),
    [
        (Filter(since=DAY), "drop: published 2026-03-12"),
        (Filter(until=DAY), "drop: published 2026-03-12"),
        (Filter(since=date(2026, 3, 13)), None),
        (Filter(until=date(2026, 3, 11)), None),
        (Filter(("mill",)), None),
    ],
)
def test_drop_hits_days_within_its_ends(drop, said):
    assert reason(published=DAY, drop=drop) == said


def test_an_article_without_a_date_is_neither_held_back_nor_dropped_by_day():
    assert reason(keep=Filter(since=DAY), drop=Filter(until=DAY)) is None
