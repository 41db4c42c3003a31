"""The keys `keep` and `drop`: which articles of a task get a row, by keyword and by day."""

from collections.abc import Sequence
from datetime import date, datetime

from extractors import Article

from ..extraction_config import ExtractionConfig, RowFilter

OTHER_DAYS = "not of the days asked for"  # reason in a back-fill; a back-fill over other days finds the article again


def of_other_days(article: Article, days: Sequence[str | None]) -> str | None:
    """Return why an article is outside the days of a back-fill; None if it is inside, or has no date."""
    day, bounds = _day(article), [date.fromisoformat(bound) if bound else None for bound in days]
    return None if day is None or _is_within(day, *bounds) else OTHER_DAYS


def unwanted(article: Article, config: ExtractionConfig) -> str | None:
    """Return the filter that rejects this article, as the ledger's reason; None if it passes.

    An article without a date passes the days of `keep` and of `drop`: no article is lost because it has no date.
    """
    has_keywords = config.keep.keywords or config.drop.keywords
    text = f"{article.title or ''}\n{article.text}".casefold() if has_keywords else ""
    day = _day(article)
    if config.keep.keywords and not _keyword_in(text, config.keep):
        return "keep: none of its keywords"
    if day and config.keep.since and day < config.keep.since:
        return f"keep: published before {config.keep.since}"
    if day and config.keep.until and day > config.keep.until:
        return f"keep: published after {config.keep.until}"
    if keyword := _keyword_in(text, config.drop):
        return f"drop: keyword {keyword}"
    return _dropped_by_day(day, config.drop)


def _dropped_by_day(day: date | None, drop: RowFilter) -> str | None:
    if day is None or not (drop.since or drop.until):
        return None
    return f"drop: published {day}" if _is_within(day, drop.since, drop.until) else None


def _is_within(day: date, since: date | None, until: date | None) -> bool:
    return (since is None or day >= since) and (until is None or day <= until)


def _keyword_in(text: str, words: RowFilter) -> str | None:
    return next((word for word in words.keywords if word.casefold() in text), None)


def _day(article: Article) -> date | None:
    published = article.published
    return published.date() if isinstance(published, datetime) else published
