"""False and missed alarms of `workers.health` in simulated years of sections, without network and Redis.

    python -m benchmarks.health_year --years 20

Each kind of section is visited 1,000 times in a year with nights, weekends, holidays, bursts of news, odd pages and
outages; then, in other years, it has one change. The output: the alarms of the normal years, and for each change the
number of pages, visits or hours until its alarm is opened.
"""

import argparse
import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from workers.health.observations import Observation, PageObservation, VisitObservation
from workers.health.task_health import TaskHealth

HOUR, DAY = 3600.0, 86400.0
YEAR_BEGINS = 1767225600.0  # 2026-01-01, a Thursday
VISITS = 1000
BURSTS = 6  # bursts of news in a year, each within some hours
OUTAGES = 4  # visits in a year at which the site is unavailable


@dataclass(frozen=True)
class SimulatedSection:
    """The publishing of a section. `rate`: articles per hour in its hours; `weekend`, `night`: shares of that rate.

    `holidays`: days in a row without articles, twice a year; `fit`: usual surrounding match; `odd`: share of pages off
    the template; `length`: median characters; `links`: on its list; `period`: seconds between two visits.
    """

    name: str
    rate: float
    weekend: float = 1.0
    night: float = 0.3
    holidays: int = 0
    fit: float = 0.75
    odd: float = 0.03
    length: float = 1500.0
    links: int = 30
    period: float = 365 * DAY / VISITS


SECTIONS = (
    SimulatedSection("agency", 3.0, weekend=0.6, night=0.2, links=60),
    SimulatedSection("newspaper", 0.8, weekend=0.0, night=0.0, holidays=10, fit=0.9),
    SimulatedSection("magazine", 0.1, weekend=0.5, night=0.1, holidays=4, odd=0.08),
    SimulatedSection("blog", 0.008, night=0.5, holidays=8, fit=0.6, odd=0.05, length=4000),
    SimulatedSection("bulletins", 1.0, weekend=0.3, night=0.0, holidays=3, fit=0.55, length=250, odd=0.1, links=40),
)


def year(
    section: SimulatedSection, chance: random.Random, *, change: str = "", changes_at: float = math.inf
) -> Iterator[Observation]:
    """Yield the observations of a year; from the time `changes_at` (seconds of the year) on with a change."""
    bursts = sorted(chance.uniform(0, 365 * DAY) for _ in range(BURSTS))
    outages = {chance.randrange(VISITS) for _ in range(OUTAGES)}
    off_days = _holidays(section, chance)
    before, waiting = 0.0, 0
    for number in range(VISITS):
        now = (number + chance.uniform(0, 0.2)) * section.period
        changed = change if now >= changes_at else ""
        waiting += _published(section, before, now, off_days, bursts, chance) if changed != "quiet" else 0
        before = now
        at = YEAR_BEGINS + now
        if number in outages:
            yield VisitObservation(at, lists_failed=1, failed=0, problem="http 503")
            continue
        new, waiting = (waiting, 0) if changed != "moved" else (0, waiting)
        yield from _pages(section, new, at, changed, chance)
        yield _visit(section, new, at, changed, chance)


def _visit(section: SimulatedSection, new: int, at: float, changed: str, chance: random.Random) -> VisitObservation:
    found = max(section.links + chance.randint(-4, 4), new)
    known = max(0, found - new)
    later = sum(chance.random() < 0.01 for _ in range(new))
    visit = VisitObservation(at, 1, 0, 0, found, known, new, new - later, 0, later, "https://section.example/")
    if changed == "moved":
        return replace(visit, found=0, known=0, new=0, fetched=0, later=0, moved_to="https://section.example/news/")
    if changed == "failures":
        return replace(visit, fetched=0, later=new, lists_failed=1, lists=0, problem="http 403")
    if new == 0 and chance.random() < 0.7:
        return replace(visit, unchanged=1, found=0, known=0)
    return visit


def _pages(
    section: SimulatedSection, new: int, at: float, changed: str, chance: random.Random
) -> Iterator[PageObservation]:
    is_gallery = chance.random() < 0.01  # several odd pages together
    is_ticker = new > 15  # a burst of news consists of short items
    for number in range(new):
        odd = chance.random() < (0.5 if is_gallery and number < 6 else section.odd)
        page = PageObservation(
            at=at,
            url=f"https://section.example/{at:.0f}/{number}",
            fate="refused" if odd and chance.random() < 0.3 else "article",
            method="example" if not odd or chance.random() < 0.5 else "density",
            match=min(1.0, max(0.0, chance.gauss(0.25 if odd else section.fit, 0.07))),
            length=int(
                section.length * math.exp(chance.gauss(-0.7 if is_ticker and chance.random() < 0.5 else 0, 0.6))
            ),
            title_mark=chance.getrandbits(32) | 1,
            text_mark=chance.getrandbits(32) | 1,
        )
        if changed == "template":
            page = replace(page, match=max(0.0, chance.gauss(0.3 * section.fit, 0.08)), fate="article")
        elif changed == "blocked":
            page = replace(page, match=0.02, title_mark=7, text_mark=9, length=240 + chance.randint(0, 9))
        elif changed == "mixed" and chance.random() < 0.4:
            page = replace(page, match=0.1, length=chance.randint(100, 3000))
        if changed != "failures":
            yield page


def _holidays(section: SimulatedSection, chance: random.Random) -> list[tuple[float, float]]:
    starts = [chance.uniform(40, 80) * DAY, 358 * DAY] if section.holidays else []
    return [(start, start + section.holidays * DAY) for start in starts]


def _published(
    section: SimulatedSection,
    since: float,
    until: float,
    off: list[tuple[float, float]],
    bursts: list[float],
    chance: random.Random,
) -> int:
    """Return how many articles appear between two times."""
    count = 0
    at = since
    while at < until:
        step = min(HOUR, until - at)
        hour, day = at / HOUR % 24, int((at / DAY + 3) % 7)  # the year begins on a Thursday
        rate = section.rate * (section.weekend if day >= 5 else 1.0) * (1.0 if 7 <= hour < 20 else section.night)
        rate = 0.0 if any(start <= at < end for start, end in off) else rate
        rate *= 6.0 if any(burst <= at < burst + 12 * HOUR for burst in bursts) else 1.0
        count += _poisson(rate * step / HOUR, chance)
        at += step
    return count


def _poisson(mean: float, chance: random.Random) -> int:
    count, product, limit = 0, chance.random(), math.exp(-mean)
    while product > limit:
        count, product = count + 1, product * chance.random()
    return count


def alarms_of_year(section: SimulatedSection, seed: int) -> list[str]:
    """Return the alarms of a normal year."""
    health = TaskHealth(section.name)
    for observation in year(section, random.Random(f"{section.name} {seed}")):
        health.observe(observation)
    return [f"{change.news}: {change.alarm.in_words()}" for change in health.changes if change.news != "recovered"]


@dataclass(frozen=True)
class Delay:
    """The delay of an alarm after a change in pages, visits and hours, and its kind; "" for none."""

    kind: str
    pages: int
    visits: int
    hours: float


def delay_of(section: SimulatedSection, change: str, seed: int) -> Delay:
    """Return when the first alarm is opened after a change in the middle of a year."""
    chance = random.Random(f"{section.name} {seed}")
    at = chance.uniform(150, 200) * DAY
    health, counts = TaskHealth(section.name), Counter[str]()
    for observation in year(section, chance, change=change, changes_at=at):
        known = len(health.changes)
        health.observe(observation)
        if observation.at - YEAR_BEGINS < at:
            continue
        counts["pages" if isinstance(observation, PageObservation) else "visits"] += 1
        for opened in health.changes[known:]:
            if opened.news == "opened":
                hours = (observation.at - YEAR_BEGINS - at) / HOUR
                return Delay(opened.alarm.kind, counts["pages"], counts["visits"], hours)
    return Delay("", counts["pages"], counts["visits"], math.inf)


def main() -> None:
    """Print the alarms of normal years, and the delays after changes."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--years", type=int, default=20, help="of each section kind")
    options.add_argument("--changes", type=int, default=10, help="of each kind and section kind")
    chosen = options.parse_args()
    for section in SECTIONS:
        alarms = [alarm for seed in range(chosen.years) for alarm in alarms_of_year(section, seed)]
        print(f"{section.name}: {len(alarms)} alarms in {chosen.years} normal years of {VISITS} visits")
        for alarm in alarms[:5]:
            print(f"    {alarm}")
    for change in ("template", "blocked", "mixed", "failures", "moved", "quiet"):
        for section in SECTIONS:
            delays = [delay_of(section, change, seed) for seed in range(chosen.changes)]
            kinds = Counter(delay.kind for delay in delays)
            pages, visits = (sorted(getattr(delay, name) for delay in delays) for name in ("pages", "visits"))
            hours = sorted(delay.hours for delay in delays)
            print(
                f"{change:9} {section.name:10} {dict(kinds)}; pages {pages[len(pages) // 2]} (most {pages[-1]}), "
                f"visits {visits[len(visits) // 2]} (most {visits[-1]}), hours {hours[len(hours) // 2]:.0f}"
            )


if __name__ == "__main__":
    main()
