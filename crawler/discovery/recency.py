"""The order of articles by the dates in their URLs and in lists, newest first."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

from crawler.discovery.listings import Form
from crawler.discovery.walk import ArticleLink
from crawler.patterns.pattern import Match

LONG_AGO = datetime.min.replace(tzinfo=UTC)


def last_day(match: Match | None, moment: datetime | None, today: date) -> date | None:
    """The latest possible day of an article, by its URL or, more exactly, by a list; None if neither has a date."""
    listed = min(moment.date(), today) if moment else None
    if match is None or match.span is None:
        return listed
    return listed if listed and match.span[0] <= listed <= match.span[1] else match.span[1]


def newest_first(articles: Sequence[ArticleLink], form: Form, today: date) -> list[ArticleLink]:
    """Return the articles of a list in the order in which they are to be entered.

    Articles without a date keep the order of their page or feed, before those older than today; a sitemap has no order,
    so there they are sorted by the numbers in their URLs, after those with a date.
    """
    undated = today
    if form == "sitemap":
        undated = date.min
        articles = sorted(articles, key=lambda article: article.match.recency, reverse=True)

    def day_and_time(article: ArticleLink) -> tuple[date, datetime]:
        published = article.link.published
        return last_day(article.match, published, today) or undated, published or LONG_AGO

    return sorted(articles, key=day_and_time, reverse=True)


def moments_of(articles: Sequence[ArticleLink]) -> dict[str, datetime]:
    """Return when articles were published or last changed, if their list has the date, by URL."""
    return {article.match.url: article.link.published for article in articles if article.link.published}
