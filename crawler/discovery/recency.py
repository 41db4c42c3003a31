"""Newest first, as far as URLs and lists say when an article is from."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

from crawler.discovery.listings import Form
from crawler.discovery.walk import ArticleLink
from crawler.patterns.pattern import Match

LONG_AGO = datetime.min.replace(tzinfo=UTC)


def last_day(match: Match | None, moment: datetime | None, today: date) -> date | None:
    """The last day that an article may be from: by its URL, or more exactly by a list; None if neither says."""
    said = min(moment.date(), today) if moment else None
    if match is None or match.span is None:
        return said
    return said if said and match.span[0] <= said <= match.span[1] else match.span[1]


def newest_first(taken: Sequence[ArticleLink], form: Form, today: date) -> list[ArticleLink]:
    """The articles of a list in the order in which they are wanted.

    Where nothing says a day, pages and feeds keep their own order before what is older than today; sitemaps, which
    have none, go by the numbers in their URLs, behind what has a day.
    """
    unsaid = today
    if form == "sitemap":
        unsaid = date.min
        taken = sorted(taken, key=lambda one: one.match.recency, reverse=True)
    return sorted(
        taken,
        key=lambda one: (last_day(one.match, one.link.published, today) or unsaid, one.link.published or LONG_AGO),
        reverse=True,
    )


def moments_of(taken: Sequence[ArticleLink]) -> dict[str, datetime]:
    """What lists say of when articles were published or last changed, by URL."""
    return {one.match.url: one.link.published for one in taken if one.link.published}
