"""The publishing rate of a section, estimated from its runs, and the time until the next run.
Without a clock and a network, but for `note_visit`.

    runs (when, how many new articles) → rate → seconds until the next run

The articles of a section are modelled as a Poisson process. Its rate is estimated twice, from the last hours and from
the last weeks, with exponential decay. As long as both agree, the estimate of the weeks is used, which is precise for
quiet sections. If they differ, the rate of the section has changed, and the weeks start again from the hours. A prior
of a tenth of an article prevents a rate of zero for a section without history.

The interval: articles that appear at a rate r and are fetched every p seconds have waited r·p²/2 seconds in total at
each run. The next run is due when this total is `WAITED`, so p = √(2·WAITED/r). Of all ways to distribute a number of
runs among sections, this one has the shortest mean wait (minimise Σ r·p/2 at constant Σ 1/p). A section that publishes
four times as much is read twice as often.
"""

import json
import math
from dataclasses import asdict, dataclass
from typing import cast

import redis

from workers import keys
from workers.redis_access.redis_clock import clock_of
from workers.stored_json import loaded

WAITED = 600.0  # seconds that all new articles together have waited when a run is due; 24 articles a day → every 35 min
LAST_HOURS = 4 * 3600.0  # seconds: half-life of the short-term estimate, within which a change of rate is detected
LAST_WEEKS = 7 * 86400.0  # seconds: half-life of the long-term estimate
PRIOR_ARTICLES = 0.1
PRIOR_SECONDS = 3 * 3600.0  # with the prior articles: a section without history is read again after three hours
SURPRISE = 1.6  # least difference of √articles of the last hours from √expected; 1.6 is 4.5 standard deviations


@dataclass(frozen=True, slots=True)
class Memory:
    """Articles found and seconds observed, both decayed by age."""

    articles: float = 0.0
    seconds: float = 0.0

    def and_then(self, articles: float, seconds: float, half_life: float) -> "Memory":
        """Return the memory after another `seconds` in which `articles` were found."""
        left = 0.5 ** (seconds / half_life)
        kept = (1 - left) * half_life / math.log(2)  # decayed length of the seconds themselves
        return Memory(self.articles * left + articles * kept / seconds, self.seconds * left + kept)

    @property
    def rate(self) -> float:
        """The expected articles per second."""
        return (self.articles + PRIOR_ARTICLES) / (self.seconds + PRIOR_SECONDS)


@dataclass(frozen=True, slots=True)
class History:
    """The short-term and the long-term memory of a task. `until`: Unix seconds of its last run, 0 without one."""

    hours: Memory = Memory()
    weeks: Memory = Memory()
    until: float = 0.0

    def to_json(self) -> str:
        """Serialise the history."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str | bytes | None) -> "History":
        """Parse what `to_json` wrote; None and invalid text give an empty history."""
        try:
            return loaded(cls, text or "{}")
        except ValueError:
            return cls()


def observe(history: History, at: float, new: int) -> History:
    """Return the history after a run at `at` (Unix seconds) that read all lists and found `new` articles.

    The first run finds the archive, which was published over an unknown time, so only its time is recorded.
    """
    seconds = at - history.until
    if not history.until or seconds <= 0:
        return History(history.hours, history.weeks, max(at, history.until))
    hours = history.hours.and_then(new, seconds, LAST_HOURS)
    weeks = history.weeks.and_then(new, seconds, LAST_WEEKS)
    return History(hours, hours if _differ(hours, weeks) else weeks, at)


def interval(history: History, shortest: float, longest: float) -> float:
    """Return the seconds from a run to the next, within the bounds."""
    return min(max(math.sqrt(2 * WAITED / history.weeks.rate), shortest), longest)


def note_visit(connection: "redis.Redis", task: str, new: int, *, now: float | None = None) -> None:
    """Record in a task's history that a run read all its lists and found `new` articles. `now`: Unix seconds."""
    history = History.from_json(cast("bytes | None", connection.hget(keys.HISTORIES, task)))
    updated = observe(history, clock_of(connection).now() if now is None else now, new)
    connection.hset(keys.HISTORIES, task, updated.to_json())


def _differ(hours: Memory, weeks: Memory) -> bool:
    """Whether the articles of the last hours differ from the rate of the weeks.

    The square root of a Poisson count has a standard deviation of 1/2 for any mean, and half the variance if the count
    is decayed: .35.
    """
    return abs(math.sqrt(hours.articles) - math.sqrt(weeks.rate * hours.seconds)) > SURPRISE
