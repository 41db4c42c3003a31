"""How often a section publishes, from what its runs found, and when it pays to look again. No clock, no network.

    runs (when, how many new articles) → rate → seconds until the next visit

Articles are taken to appear at random at a rate (a Poisson process), about which two memories are kept: of the last
hours and of the last weeks. They forget exponentially. As long as the last hours are what the weeks let expect, the
rate is that of the weeks, which know a quiet section well; when they are not, the section has woken up or fallen
asleep, and the weeks are forgotten. A prior of a tenth of an article keeps an empty history from meaning "never".

When to look again: articles that appear at a rate r and are fetched every p seconds have waited r·p²/2 seconds
together when the visit comes. We visit when that is `WAITED`, which is p = √(2·WAITED/r): of all ways to share a given
number of visits among sections this one makes the mean wait the shortest (minimise Σ r·p/2 at Σ 1/p). A section that
publishes four times as much is visited twice as often.
"""

import json
import math
from dataclasses import asdict, dataclass

WAITED = 600.0  # seconds that the new articles have waited together when a visit is worth it: 24 a day → every 35 min
LAST_HOURS = 4 * 3600.0  # seconds: half-life of the short memory; a section that wakes up shows within that
LAST_WEEKS = 7 * 86400.0  # seconds: half-life of the long memory
PRIOR_ARTICLES = 0.1
PRIOR_SECONDS = 3 * 3600.0  # with these a section about which nothing is known is visited after three hours
SURPRISE = 1.6  # by which √articles of the last hours differs from √expected; 1.6 is 4.5 standard deviations


@dataclass(frozen=True, slots=True)
class Memory:
    """Articles found and seconds watched, both the less the longer ago."""

    articles: float = 0.0
    seconds: float = 0.0

    def and_then(self, articles: float, seconds: float, half_life: float) -> "Memory":
        """Return the memory after `articles` more in the `seconds` up to now."""
        left = 0.5 ** (seconds / half_life)
        kept = (1 - left) * half_life / math.log(2)  # of the seconds themselves, some of which are long ago
        return Memory(self.articles * left + articles * kept / seconds, self.seconds * left + kept)

    @property
    def rate(self) -> float:
        """Articles a second that are to be expected."""
        return (self.articles + PRIOR_ARTICLES) / (self.seconds + PRIOR_SECONDS)


@dataclass(frozen=True, slots=True)
class History:
    """What the runs of a task have shown. `until`: Unix seconds of the last one, 0 if there was none."""

    hours: Memory = Memory()
    weeks: Memory = Memory()
    until: float = 0.0

    def to_json(self) -> str:
        """Return it as text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str | bytes | None) -> "History":
        """Return the history that `to_json` wrote; an empty one for None or for text that isn't one."""
        try:
            raw = json.loads(text or "{}")
            return cls(Memory(**raw["hours"]), Memory(**raw["weeks"]), float(raw["until"]))
        except (ValueError, KeyError, TypeError):
            return cls()


def observe(history: History, at: float, new: int) -> History:
    """Return the history after a run at `at` (Unix seconds) that read all lists and found `new` articles.

    The first run finds the archive, and how long that took to be written is not known: it only starts the clock.
    """
    seconds = at - history.until
    if not history.until or seconds <= 0:
        return History(history.hours, history.weeks, max(at, history.until))
    hours = history.hours.and_then(new, seconds, LAST_HOURS)
    weeks = history.weeks.and_then(new, seconds, LAST_WEEKS)
    return History(hours, hours if _differ(hours, weeks) else weeks, at)


def interval(history: History, shortest: float, longest: float) -> float:
    """Return how many seconds after a visit the next one pays, between the bounds."""
    return min(max(math.sqrt(2 * WAITED / history.weeks.rate), shortest), longest)


def _differ(hours: Memory, weeks: Memory) -> bool:
    """Whether the last hours are not what the weeks let expect.

    The square root of a Poisson count has a standard deviation of 1/2 whatever its mean, and half the variance if the
    count is faded: .35.
    """
    return abs(math.sqrt(hours.articles) - math.sqrt(weeks.rate * hours.seconds)) > SURPRISE
