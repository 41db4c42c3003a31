"""The admission of found articles to the ledger: which ones, in which order, how many, and with which rank.

found → within the run's days → new to the ledger → within the limit
"""

import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from crawler.discovery.links import Form
from crawler.discovery.walk import ArticleLink
from crawler.patterns.pattern import Match, other_origins
from crawler.run.run_report import RunOptions
from crawler.task_list.models import Task
from extractors.html.urls import normalise
from workers.ledger import Ledger
from workers.url_states import Found, fingerprint

OLD = 0.0  # ranks from this on belong to articles that a back-fill found (see `_rank`)
OLD_SHIFT = 1e13  # more than any day adds to a rank
UNDATED = timedelta(days=30)  # the assumed age of articles that a sitemap lists without a date
REMEMBERED = 20_000  # new URLs of a run that are kept; further ones count as known on a second list
LONG_AGO = datetime.min.replace(tzinfo=UTC)
NO_MOMENTS: Mapping[str, datetime] = {}

BEYOND_LIMIT = "beyond the first run's limit"

log = logging.getLogger(__name__)


class Admission:
    """The articles that one run enters in the ledger. `left_out`: how many article links its options exclude."""

    def __init__(self, task: Task, options: RunOptions, ledger: Ledger, today: date):
        self.task, self.options, self.ledger, self.today = task, options, ledger, today
        self.left_out = 0
        self.known = 0  # article links that were known before the run
        self.is_later = False  # whether an earlier run has seen the section's lists, so that new links are new articles
        self._quota: int | None = None  # new articles that may still be entered
        self._order = 0
        self._entered: set[str] = set()  # URLs that were new to the ledger, because a second list may show them again

    def begin(self, *, first: bool) -> None:
        """Set the bound: that of the options, or the task's in its first run."""
        self.is_later = not (first or self.options.backfill)
        if self.options.limit is not None:
            self._quota = self.options.limit
        elif self.options.all or self.options.backfill or not first or self.task.limit is None:
            self._quota = None
        else:
            self._quota = max(0, self.task.limit - self.ledger.counts().seen)

    @property
    def is_full(self) -> bool:
        """Whether the bound is reached."""
        return self._quota == 0

    def enter(
        self, matches: Sequence[tuple[str, Match | None]], moments: Mapping[str, datetime] = NO_MOMENTS, **info: Any
    ) -> list[bool]:
        """Enter article URLs, newest first; return for each that the run includes whether it is new and to be fetched.

        `moments`: when they were published or last changed, if lists have these dates.
        """
        if self.options.backfill:  # the worker compares these days with the date in the page
            info["days"] = [day and day.isoformat() for day in (self.options.since, self.options.until)]
        days = {url: last_day(match, moments.get(url), self.today) for url, match in matches}
        undated = self.today - UNDATED if info.get("source") == "sitemap" else self.today
        included = [url for url, _ in matches if self.options.includes(days[url])]
        self.left_out += len(matches) - len(included)
        urls = {url: match.url if match else normalise(url) for url, match in matches}
        found = [
            Found(
                urls[url], self._rank(days[url] or undated), info | self._listed(moments.get(url), info.get("source"))
            )
            for url in included
        ]
        new = self._without_moved(found, self.ledger.add(found))
        self.known += sum(not is_new and item.url not in self._entered for item, is_new in zip(found, new, strict=True))
        if len(self._entered) < REMEMBERED:
            self._entered.update(item.url for item, is_new in zip(found, new, strict=True) if is_new)
        fetched = self._remove_beyond_bound(found, new)
        if log.isEnabledFor(logging.INFO):
            for item, is_new in zip(found, fetched, strict=True):
                if is_new:
                    log.info("found %s", item.url, extra={"page": fingerprint(item.url)})
        return fetched

    def _listed(self, moment: datetime | None, source: str | None) -> dict[str, str]:
        """Return the time that a feed gives an article, for a page without one; those of sitemaps are of changes."""
        if moment is None or source != "feed" or moment.date() > self.today:
            return {}
        return {"listed": moment.isoformat()}

    def _without_moved(self, found: Sequence[Found], new: list[bool]) -> list[bool]:
        """Settle new URLs whose article was written under the other scheme, or with or without `www.`."""
        places = [place for place, is_new in enumerate(new) if is_new]
        others = [(place, url) for place in places for url in other_origins(found[place].url) if self._matches(url)]
        have_rows = self.ledger.have_rows([fingerprint(url) for _, url in others])
        for (place, other), has_row in zip(others, have_rows, strict=True):
            if has_row and new[place]:
                self.ledger.settle(fingerprint(found[place].url), "duplicate", other)
                new[place] = False
        return new

    def _matches(self, url: str) -> bool:
        return self.task.pattern.match(url) is not None

    def _remove_beyond_bound(self, found: Sequence[Found], new: list[bool]) -> list[bool]:
        """Remove new URLs over the limit."""
        if self._quota is None:
            return new
        for place, (item, is_new) in enumerate(zip(found, new, strict=True)):
            if is_new and self._quota == 0:
                new[place] = False
                if self.options.limit is None:
                    self.ledger.settle(fingerprint(item.url), "rejected", BEYOND_LIMIT, listed=False)
                else:  # the bound is only that of this run: a later run enters the URL
                    self.left_out += 1
                    self.ledger.drop(fingerprint(item.url))
            elif is_new:
                self._quota -= 1
        return new

    def _rank(self, day: date) -> float:
        """Return the rank of the next article of a day: newest day first, within a day in the order of discovery."""
        self._order += 1
        return (OLD_SHIFT if self.options.backfill else 0) - day.toordinal() * 1e7 + self._order


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
