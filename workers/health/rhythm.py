"""The rhythm of a section: how many articles it publishes, and how long its silences last. No clock, no Redis.

A silence is an alarm if so many articles were expected in it that its probability, exp(-expected / spread), is below
one in a million, as for a Poisson process whose counts vary `spread` times as much. Nights, weekends and holidays are
silences, too, so one must also have lasted for twice the longest one of the last months. If the section does not
publish around the clock, it must have lasted for some days (`HOLIDAYS`): more if it does not publish at weekends.
"""

import math
from dataclasses import dataclass

WEEK = 7 * 86400.0
HALF_LIFE = 8 * WEEK  # half-life of the counts of articles and seconds
LONGEST_HALF_LIFE = 90 * 86400.0  # half-life of the longest silence
LONGEST_LEARNED = 120 * 86400.0  # seconds of a silence that count as usual at most
UNLIKELY = math.log(1e6)  # expected articles of a silence, divided by the spread, from which it is an alarm
HOLIDAYS = (  # (longest usual silence from which a row applies, how long a section may be silent), in seconds
    (36 * 3600.0, 14 * 86400.0),  # sections that do not publish on some days
    (10 * 3600.0, 5 * 86400.0),  # sections that do not publish at night
)
OWN_LONGEST = 2.0  # times the longest usual silence, before which there is no alarm
LEAST_ARTICLES, LEAST_SECONDS = 10, 14 * 86400.0  # articles and seconds that are needed for the first decision


@dataclass(slots=True)
class Rhythm:
    """A section's rhythm. `published`: articles, and `observed`: seconds, decayed.

    `last_new`, `last_visit`: Unix seconds; `longest`: the longest time between visits that found new articles, in
    seconds, decayed; `expected`: expected articles since the last new one; `squares`, `counted`: sums of squared
    differences from the expected numbers, and of these numbers.
    """

    published: float = 0.0
    observed: float = 0.0
    longest: float = 0.0
    first: float = 0.0
    last_visit: float = 0.0
    last_new: float = 0.0
    expected: float = 0.0
    squares: float = 0.0
    counted: float = 0.0
    seen: int = 0

    @property
    def spread(self) -> float:
        """The variance of the articles of a visit divided by their expected number, at least 1."""
        return max(1.0, (self.squares + 5.0) / (self.counted + 5.0))

    @property
    def silence(self) -> float:
        """Seconds from the last new article to the last visit."""
        return max(0.0, self.last_visit - self.last_new) if self.last_new else 0.0

    @property
    def patience(self) -> float:
        """The seconds of silence before which there is no alarm."""
        holidays = next((most for longest, most in HOLIDAYS if self.longest >= longest), 0.0)
        return max(OWN_LONGEST * self.longest, holidays)

    @property
    def is_quiet(self) -> bool:
        """Whether the section is silent contrary to its own rhythm."""
        is_known = self.seen >= LEAST_ARTICLES and self.last_new - self.first >= LEAST_SECONDS
        return is_known and self.expected / self.spread >= UNLIKELY and self.silence >= self.patience

    def observe(self, at: float, new: int, *, is_learned: bool = True) -> None:
        """Count a visit that found `new` articles. `is_learned` is False if the silence before it was an alarm.

        A silence is added to the rhythm when it is over, so that a long one does not become usual.
        """
        if not self.last_visit:
            self.first = self.last_visit = self.last_new = at
            return
        if at <= self.last_visit:
            return
        if self.observed:
            self.expected += (at - self.last_visit) * self.published / self.observed
        self.last_visit = at
        if new:
            if is_learned:
                self._learn(at, new)
            self.last_new, self.expected = at, 0.0
            self.seen += new

    def _learn(self, at: float, new: int) -> None:
        gap = at - self.last_new
        self.longest = max(gap, self.longest * 0.5 ** (gap / LONGEST_HALF_LIFE))
        left = 0.5 ** (gap / HALF_LIFE)
        if self.seen >= LEAST_ARTICLES:
            most = self.expected + 5 * math.sqrt(self.expected) + 5  # bounds a burst of news
            self.squares = self.squares * left + (min(new, most) - self.expected) ** 2
            self.counted = self.counted * left + self.expected
        self.published = self.published * left + new
        self.observed = self.observed * left + min(gap, LONGEST_LEARNED)
