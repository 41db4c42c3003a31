"""The period `auto` on simulated sections, compared with a fixed period with as many runs. Seeds are fixed.

python -m benchmarks.publishing_rate
"""

import bisect
import random

from crawler.run.publishing_rate import History, interval, observe

DAY, HOUR = 86400.0, 3600.0
SHORTEST, LONGEST = 600.0, DAY
START = 1_700_000_000.0
ARCHIVE = 2000  # articles that the first run finds
DAYS = 60


def published(rate: float, days: float, seed: int = 1, begin: float = 0.0) -> list[float]:
    """Return the times in seconds at which a section publishes `rate` articles a day, at random, from day `begin`."""
    rng, at, times = random.Random(seed), begin * DAY, []
    while (at := at + rng.expovariate(rate / DAY)) < days * DAY:
        times.append(at)
    return times


def by_day(rate: float, days: float, seed: int = 1) -> list[float]:
    """Return such times with almost all articles within the same twelve hours of each day."""
    rng = random.Random(seed)
    return [at for at in published(2 * rate, days, seed) if at % DAY < DAY / 2 or rng.random() < 0.05]


def bursts(days: float, seed: int = 1) -> list[float]:
    """Return times of ten articles within an hour, about every three days."""
    rng = random.Random(seed)
    return sorted(begin + rng.random() * HOUR for begin in published(1 / 3, days, seed) for _ in range(10))


class VisitDelays:
    """A simulated section: `periods` by the time of the run, `wait`: the mean seconds until articles are found.

    With `period` all runs have that fixed period.
    """

    def __init__(self, times: list[float], days: float, period: float | None = None):
        history, at, known, waited = observe(History(), START, ARCHIVE), 0.0, 0, 0.0
        self.periods: list[tuple[float, float]] = []
        while at <= days * DAY:
            seconds = period or interval(history, SHORTEST, LONGEST)
            self.periods.append((at, seconds))
            at += seconds
            found = bisect.bisect(times, at)
            waited += sum(at - time for time in times[known:found])
            history = observe(history, START + at, found - known)
            known = found
        self.count, self.articles = len(self.periods), known
        self.wait = waited / max(1, known)

    def period_at(self, day: float) -> float:
        """Return the period in force at a time in days."""
        return next(seconds for at, seconds in reversed(self.periods) if at <= day * DAY)


def main() -> None:
    """Print one row per section, and all sections with one fixed period."""
    sections = {f"steady, {rate:g}": published(rate, DAYS, int(rate * 10)) for rate in (0.1, 0.3, 1, 3, 10, 30, 100)}
    sections |= {f"by day only, {rate:g}": by_day(rate, DAYS) for rate in (10, 100)}
    sections |= {
        "bursts": bursts(DAYS),
        "wakes up": published(0.1, DAYS / 2) + published(50, DAYS, begin=DAYS / 2),
        "falls asleep": published(50, DAYS / 2) + published(0.1, DAYS, begin=DAYS / 2),
    }
    found = {name: VisitDelays(times, DAYS) for name, times in sections.items()}
    for name, seen in found.items():
        fixed = VisitDelays(sections[name], DAYS, DAYS * DAY / seen.count)
        print(
            f"{name:16} {len(sections[name]) / DAYS:6.1f} articles, {seen.count / DAYS:5.1f} visits a day; "
            f"wait {seen.wait / 60:5.1f} min, as many fixed visits {fixed.wait / 60:5.1f} min"
        )
    period = DAYS * DAY * len(found) / sum(seen.count for seen in found.values())
    total = sum(seen.articles for seen in found.values())
    together = sum(seen.wait * seen.articles for seen in found.values()) / total / 60
    waits = [(seen.wait, seen.articles) for seen in (VisitDelays(times, DAYS, period) for times in sections.values())]
    fixed_wait = sum(wait * articles for wait, articles in waits) / total / 60
    print(f"together: wait {together:.1f} min, with one fixed period ({period / 60:.0f} min) {fixed_wait:.1f} min")


if __name__ == "__main__":
    main()
