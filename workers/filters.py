"""`keep:` and `drop:`: which articles of a task are wanted, by keyword and by day."""

from collections.abc import Sequence
from datetime import date, datetime

from extractors import Article

from .briefs import Brief, RowFilter

OTHER_DAYS = "not of the days asked for"  # a back-fill's; another back-fill finds it again


def of_other_days(article: Article, days: Sequence[str | None]) -> str | None:
    """Why a back-fill that asked for the days from one to another does not want this article; None if it does.

    An article without a date is wanted.
    """
    since, until = (date.fromisoformat(day) if day else None for day in days)
    day = _day(article)
    inside = day is None or ((since is None or day >= since) and (until is None or day <= until))
    return None if inside else OTHER_DAYS


def unwanted(article: Article, brief: Brief) -> str | None:
    """Why the task does not want this article, in words for the ledger; None if it does.

    An article without a date passes `keep` and is not hit by `drop`: nothing is lost by a missing date.
    """
    text = f"{article.title or ''}\n{article.text}".casefold()
    day = _day(article)
    if brief.keep.keywords and not _hit(text, brief.keep):
        return "keep: none of its keywords"
    if day and brief.keep.since and day < brief.keep.since:
        return f"keep: published before {brief.keep.since}"
    if day and brief.keep.until and day > brief.keep.until:
        return f"keep: published after {brief.keep.until}"
    if hit := _hit(text, brief.drop):
        return f"drop: keyword {hit}"
    return _dropped_by_day(day, brief.drop)


def _dropped_by_day(day: date | None, drop: RowFilter) -> str | None:
    if day is None or not (drop.since or drop.until):
        return None
    inside = (drop.since is None or day >= drop.since) and (drop.until is None or day <= drop.until)
    return f"drop: published {day}" if inside else None


def _hit(text: str, words: RowFilter) -> str | None:
    return next((word for word in words.keywords if word.casefold() in text), None)


def _day(article: Article) -> date | None:
    published = article.published
    return published.date() if isinstance(published, datetime) else published
