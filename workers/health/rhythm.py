"""The rhythm of a section: its articles by the hours of the week, and its silences. No clock, no Redis.

The articles that are expected in a silence follow from the section's own hours, so nights and weekends do not count as
silence. A silence is an alarm if so many articles were expected in it that its probability, exp(-expected / spread), is
below one in a million, as for a Poisson process whose counts vary `spread` times as much. Holidays are not part of the
weekly rhythm, so a silence must also have lasted for twice the longest one of the last months. If the section does not
publish around the clock, it must have lasted for some days (`HOLIDAYS`): more if it does not publish at weekends.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

BIN = 6 * 3600.0  # seconds
WEEK = 7 * 86400.0
BINS = int(WEEK / BIN)
HALF_LIFE = 8 * WEEK  # half-life of the counts of articles and hours
LONGEST_HALF_LIFE = 90 * 86400.0  # half-life of the longest silence
LONGEST_LEARNED = 120 * 86400.0  # seconds of a silence that count as usual at most
UNLIKELY = math.log(1e6)  # expected articles of a silence, divided by the spread, from which it is an alarm
HOLIDAYS = (  # (longest usual silence from which a row applies, how long a section may be silent), in seconds
    (36 * 3600.0, 14 * 86400.0),  # sections that do not publish on some days
    (10 * 3600.0, 5 * 86400.0),  # sections that do not publish at night
)
OWN_LONGEST = 2.0  # times the longest usual silence, before which there is no alarm
LEAST_ARTICLES, LEAST_SECONDS = 10, 14 * 86400.0  # articles and seconds that are needed for the first decision
GAPS_KEPT = 64


@dataclass(slots=True)
class Rhythm:
    """A section's rhythm. `articles`, `seconds`: by bins of the week, decayed; `last_new`, `last_visit`: Unix seconds.

    `gaps`: seconds between visits that found new articles; `longest`: the longest gap, decayed; `expected`: expected
    articles since the last new one; `squares`, `counted`: sums of squared differences from the expected numbers, and of
    these numbers.
    """

    articles: list[float] = field(default_factory=lambda: [0.0] * BINS)
    seconds: list[float] = field(default_factory=lambda: [0.0] * BINS)
    gaps: list[int] = field(default_factory=list)
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

        Silent hours are added to the rhythm when they are over, so that a long silence does not become usual.
        """
        if not self.last_visit:
            self.first = self.last_visit = self.last_new = at
            return
        if at <= self.last_visit:
            return
        self.expected += sum(seconds * self._rate(place) for place, seconds in _bins(self.last_visit, at))
        self.last_visit = at
        if new:
            if is_learned:
                self._learn(at, new)
            self.last_new, self.expected = at, 0.0
            self.seen += new

    def _learn(self, at: float, new: int) -> None:
        gap = at - self.last_new
        self.longest = max(gap, self.longest * 0.5 ** (gap / LONGEST_HALF_LIFE))
        self.gaps = [*self.gaps, round(gap)][-GAPS_KEPT:]
        left = 0.5 ** (gap / HALF_LIFE)
        if self.seen >= LEAST_ARTICLES:
            most = self.expected + 5 * math.sqrt(self.expected) + 5  # bounds a burst of news
            self.squares = self.squares * left + (min(new, most) - self.expected) ** 2
            self.counted = self.counted * left + self.expected
        parts = list(_bins(max(self.last_new, at - LONGEST_LEARNED), at))
        shares = [seconds * self._rate(place) for place, seconds in parts]
        if not sum(shares):
            shares = [seconds for _, seconds in parts]
        total = sum(shares)
        self.articles = [number * left for number in self.articles]
        self.seconds = [number * left for number in self.seconds]
        for (place, seconds), share in zip(parts, shares, strict=True):
            self.articles[place] += new * share / total
            self.seconds[place] += seconds

    def _rate(self, place: int) -> float:
        """Return the articles per second in a bin of the week, shifted a little towards the mean of all bins."""
        seconds = sum(self.seconds)
        mean = sum(self.articles) / seconds if seconds else 0.0
        return (self.articles[place] + mean * BIN) / (self.seconds[place] + BIN)


def _bins(start: float, end: float) -> Iterator[tuple[int, float]]:
    """Yield the bins of the week between two times, each with its seconds; a bin may occur several times."""
    at = start
    while at < end:
        until = min(end, (math.floor(at / BIN) + 1) * BIN)
        yield int(at % WEEK // BIN), until - at
        at = until
