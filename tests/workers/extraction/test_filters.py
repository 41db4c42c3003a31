from datetime import UTC, date, datetime

import pytest

from extractors import Article
from workers.extraction.filters import unwanted
from workers.extraction_config import ExtractionConfig, RowFilter

DAY = date(2026, 3, 12)


def reason(text="The harbour is open", title=None, published=None, keep=None, drop=None):
    article = Article(text, (), "test", 1.0, "", title=title, published=published)
    config = ExtractionConfig("t", "", "", (), "", keep=keep or RowFilter(), drop=drop or RowFilter())
    return unwanted(article, config)


@pytest.mark.parametrize(
    ("row_filters", "said"),
    [
        ({"keep": RowFilter(("mill", "HARBOUR"))}, None),
        ({"keep": RowFilter(("mill",))}, "keep: none of its keywords"),
        ({"keep": RowFilter(("海港",)), "title": "海港 open"}, None),
        ({"drop": RowFilter(("mill", "Harbour"))}, "drop: keyword Harbour"),
        ({"keep": RowFilter(("harbour",)), "drop": RowFilter(("open",))}, "drop: keyword open"),
        ({"keep": RowFilter(since=DAY), "drop": RowFilter(until=DAY)}, None),  # an article without a date
    ],
)
def test_keywords_and_articles_without_a_date(row_filters, said):
    assert reason(**row_filters) == said


@pytest.mark.parametrize(
    ("keep", "said"),
    [
        (RowFilter(since=DAY, until=DAY), None),
        (RowFilter(since=date(2026, 3, 13)), "keep: published before 2026-03-13"),
        (RowFilter(until=date(2026, 3, 11)), "keep: published after 2026-03-11"),
    ],
)
def test_keep_asks_for_days_and_includes_its_ends(keep, said):
    assert reason(published=DAY, keep=keep) == said
    assert reason(published=datetime(2026, 3, 12, 23, 59, tzinfo=UTC), keep=keep) == said


@pytest.mark.parametrize(
    ("drop", "said"),
    [
        (RowFilter(since=DAY), "drop: published 2026-03-12"),
        (RowFilter(until=DAY), "drop: published 2026-03-12"),
        (RowFilter(since=date(2026, 3, 13)), None),
        (RowFilter(until=date(2026, 3, 11)), None),
        (RowFilter(("mill",)), None),
    ],
)
def test_drop_hits_days_within_its_ends(drop, said):
    assert reason(published=DAY, drop=drop) == said
