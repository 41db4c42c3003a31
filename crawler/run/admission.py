"""Which of the articles that were found are entered in the ledger, in which order they wait, and how many.

found → of the days asked for → new to the ledger → within the bound
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from crawler.discovery.recency import last_day
from crawler.patterns.pattern import Match
from crawler.run.run_report import RunOptions
from crawler.task_list.models import Task
from extractors.html.urls import normalise
from workers.ledger import Ledger
from workers.url_states import Found, fingerprint

OLD = 0.0  # ranks from here on are of articles that a back-fill found (see `_rank`)
OLD_SHIFT = 1e13  # above all days in a rank
UNDATED = timedelta(days=30)  # how old is taken to be what a sitemap lists without a date
NO_MOMENTS: Mapping[str, datetime] = {}

BEYOND_LIMIT = "beyond the first run's limit"


class Admission:
    """What one run enters in the ledger. `left_out`: how many article links it was not asked for."""

    def __init__(self, task: Task, options: RunOptions, ledger: Ledger):
        self.task, self.options, self.ledger = task, options, ledger
        self.today = datetime.now(UTC).date()
        self.left_out = 0
        self._quota: int | None = None  # new articles that may still be entered
        self._order = 0

    def begin(self, *, first: bool) -> None:
        """Set the bound: a person's for this run, or the task's if it is its first."""
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
        self,
        matches: Sequence[tuple[str, Match | None]],
        moments: Mapping[str, datetime] = NO_MOMENTS,
        **info: Any,
    ) -> list[bool]:
        """Enter article URLs, newest first; says of those that are asked for which were new and are to be fetched.

        `moments`: when they were published or last changed, as far as lists say so.
        """
        if self.options.backfill:  # what a page's date says is for the worker to see
            info["days"] = [day and day.isoformat() for day in (self.options.since, self.options.until)]
        days = {url: last_day(match, moments.get(url), self.today) for url, match in matches}
        unsaid = self.today - UNDATED if info.get("source") == "sitemap" else self.today
        wanted = [url for url, _ in matches if self.options.ask_for(days[url])]
        self.left_out += len(matches) - len(wanted)
        found = [Found(normalise(url), self._rank(days[url] or unsaid), info) for url in wanted]
        return self._within_bound(found, self.ledger.add(found))

    def _within_bound(self, found: Sequence[Found], new: list[bool]) -> list[bool]:
        """Take back what is new beyond the bound."""
        if self._quota is None:
            return new
        for place, (item, is_new) in enumerate(zip(found, new, strict=True)):
            if is_new and self._quota == 0:
                new[place] = False
                if self.options.limit is None:
                    self.ledger.settle(fingerprint(item.url), "rejected", BEYOND_LIMIT, listed=False)
                else:  # a person asked for few this time; a later run takes it
                    self.left_out += 1
                    self.ledger.drop(fingerprint(item.url))
            elif is_new:
                self._quota -= 1
        return new

    def _rank(self, day: date) -> float:
        """Newest first: by the article's day; within a day in the order of discovery."""
        self._order += 1
        return (OLD_SHIFT if self.options.backfill else 0) - day.toordinal() * 1e7 + self._order
