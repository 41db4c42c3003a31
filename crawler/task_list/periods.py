"""The key `every`, how often a task runs: a fixed period (`30m`, `2h`, `1d`), a cron line with its time zone, or
`auto`: between two bounds (`auto 15m..1d`), by how often the section publishes (`crawler.run.publishing_rate`). The
keys `forget`, `keep_pages` and `revisit` have lengths of time in the syntax of fixed periods (`180d`, `1d for 3d`).

Cron lines are computed by cronsim, which follows Debian's cron. Daylight saving in a cron's zone: a time that the clock
skips is due at the moment of the change; a time that occurs twice is due at its first occurrence. Where the minute or
the hour begins with `*` (`*/15 * * * *`), the line follows the clock: real time between runs, skipped times left out.
"""

import re
import zoneinfo
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from cronsim import CronSim, CronSimError

from crawler.task_list.mistakes import BadValueError, nearest

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
SHORTEST = 10  # seconds; a shorter period is probably meant in minutes, and no section publishes that often
LONGEST = 366 * 86400  # seconds
CRON_FORM = "minute, hour, day, month, weekday: 0 8 * * 1-5"
FORMS = "write 30m, 2h, 1d, auto, or a cron line such as 0 8 * * 1-5 Asia/Shanghai"
AUTO_FORM = "write auto, or with bounds auto 15m..1d"
AUTO_SHORTEST, AUTO_LONGEST = 600, 86400  # seconds: the bounds of an `auto` without bounds
FORGET_FORM = "write 180d, or leave it out: then nothing is forgotten"
KEEP_FORM = "write 30d, or leave it out: then no page is kept"
REVISIT_FORM = "write 1d for 3d: every day, for three days"
SHORTEST_AGE = timedelta(days=1)  # a URL that was first seen today is usually still on its list page
MOST_RECHECKS = 1000


@dataclass(frozen=True)
class Period:
    """The period of a task. Exactly one is set: `seconds`, `cron` (five fields) with `zone` (IANA name), or `bounds`.

    `bounds`: the shortest and the longest period in seconds that `auto` may choose.
    """

    text: str
    seconds: int | None = None
    cron: str | None = None
    zone: str = "UTC"
    bounds: tuple[int, int] | None = None

    @classmethod
    def parse(cls, value: object) -> "Period":
        """Parse a period. Raises `BadValueError` (a ValueError)."""
        if isinstance(value, Period):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            raise BadValueError(f"{value} has no unit", f"write {value}s, {value}m or {value}h")
        if not isinstance(value, str) or not value.strip():
            raise BadValueError("not a period", FORMS)
        return _from_text(" ".join(value.split()))

    def __str__(self) -> str:
        return self.text

    @property
    def length(self) -> timedelta:
        """The length of a fixed period."""
        return timedelta(seconds=self.seconds or 0)

    def next_after(self, moment: datetime) -> datetime:
        """Return the first due time after `moment` (aware), in UTC.

        A fixed period begins at `moment` itself; for `auto` the latest possible due time is returned.
        """
        if (seconds := self.bounds[1] if self.bounds else self.seconds) is not None:
            return moment.astimezone(UTC) + timedelta(seconds=seconds)
        return _next_cron(self.cron or "", self.zone, moment.astimezone(UTC))


@lru_cache(maxsize=4096)  # many tasks have the same period
def _from_text(text: str) -> Period:
    if re.match(r"auto\b", text):
        return _from_auto(text)
    looks_like_cron = len(text.split()) >= 4 or "*" in text
    return _from_cron(text) if looks_like_cron else Period(text, _fixed_seconds(text))


def _fixed_seconds(text: str) -> int:
    found = re.fullmatch(r"(?:[0-9]{1,9} ?[A-Za-z一-鿿]+ ?)+", text)
    if not found:
        raise BadValueError(f"{text!r} is not a period", FORMS)
    pieces = re.findall(r"([0-9]+) ?([A-Za-z一-鿿]+)", text)
    if wrong := next((unit for _, unit in pieces if unit not in SECONDS), None):
        raise BadValueError(f"unknown unit {wrong!r}", "units are s, m, h, d and w")
    seconds = sum(int(count) * SECONDS[unit] for count, unit in pieces)
    if seconds < SHORTEST:
        raise BadValueError(f"{text} is shorter than {SHORTEST} seconds", "choose a longer period")
    if seconds > LONGEST:
        raise BadValueError(
            f"{text} is longer than {LONGEST // 86400} days", "choose a shorter period, or write paused: true"
        )
    return seconds


def _from_auto(text: str) -> Period:
    if text == "auto":
        return Period(text, bounds=(AUTO_SHORTEST, AUTO_LONGEST))
    shortest, dots, longest = map(str.strip, text.removeprefix("auto").partition(".."))
    if not dots:
        raise BadValueError(f"{text!r} is not a period", AUTO_FORM)
    bounds = _fixed_seconds(shortest), _fixed_seconds(longest)
    if bounds[0] > bounds[1]:
        raise BadValueError(f"{shortest} is longer than {longest}", f"write auto {longest}..{shortest}")
    return Period(f"auto {shortest}..{longest}", bounds=bounds)


# Cron lines


def _from_cron(text: str) -> Period:
    words = text.split()
    cron, zone = " ".join(words[:5]), words[5] if len(words) == 6 else "UTC"
    if len(words) not in (5, 6) or not zone[0].isalpha():
        raise BadValueError(
            f"a cron line has 5 fields, without seconds, and optionally a zone; this one has {len(words)}", FORMS
        )
    _check_zone(zone, offset=len(cron) + 1)
    try:
        _next_cron(cron, zone, _next_cron(cron, zone, datetime(2024, 1, 1, tzinfo=UTC)))
    except (CronSimError, ValueError) as error:
        raise BadValueError(f"not a cron line: {str(error).lower()}", CRON_FORM) from None
    return Period(cron if zone == "UTC" else f"{cron} {zone}", None, cron, zone)


def _check_zone(zone: str, offset: int) -> None:
    try:
        zoneinfo.ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        known = sorted(zoneinfo.available_timezones())
        near = nearest(zone, known) or nearest(zone, {name.rpartition("/")[2] for name in known})
        full = next((name for name in known if near and name.endswith(near)), None)
        hint = f"did you mean {full}?" if full else "write an IANA name: Asia/Shanghai"
        raise BadValueError(f"unknown time zone {zone!r}", hint, offset=offset) from None


def _next_cron(cron: str, zone: str, moment: datetime) -> datetime:
    """Return the first due time after `moment`, both in UTC.

    Raises `ValueError` if there is none within 50 years, `CronSimError` for an invalid line.
    """
    for due in CronSim(cron, moment.astimezone(zoneinfo.ZoneInfo(zone))):
        # After the clock was set back, cronsim begins with the first occurrence of an hour that occurs twice.
        if due.astimezone(UTC) > moment:
            return due.astimezone(UTC)
    raise ValueError("never due")


def to_age(value: object, form: str = FORGET_FORM) -> Period | None:
    """Parse a length of time such as `180d`; None stays None. Raises `BadValueError` with the hint `form`."""
    if value is None or isinstance(value, Period):
        return value
    if _length(value, form) < SHORTEST_AGE:
        raise BadValueError(f"{value} is shorter than a day", form)
    return Period.parse(value)


@dataclass(frozen=True)
class Revisit:
    """The rechecks of recent articles: every `every`, until they are older than `during`."""

    text: str
    every: timedelta
    during: timedelta

    @classmethod
    def parse(cls, value: object) -> "Revisit | None":
        """Parse text such as `1d for 3d`; None stays None. Raises `BadValueError`."""
        if value is None or isinstance(value, Revisit):
            return value
        if not isinstance(value, str):
            raise BadValueError("must be text", REVISIT_FORM)
        parts = re.fullmatch(r"\s*(?:every\s+)?(\S.*?)\s+for\s+(\S.*?)\s*", value)
        if not parts:
            raise BadValueError(f"{value!r} does not give an interval and a duration", REVISIT_FORM)
        every, during = (_length(text, REVISIT_FORM) for text in parts.groups())
        if during < every:
            raise BadValueError(
                f"the interval {parts[1]} is longer than the duration {parts[2]}", f"write {parts[2]} for {parts[1]}"
            )
        if during / every > MOST_RECHECKS:
            raise BadValueError(f"more than {MOST_RECHECKS} rechecks of each article", REVISIT_FORM)
        return cls(" ".join(value.split()), every, during)

    def __str__(self) -> str:
        return self.text

    @property
    def seconds(self) -> tuple[float, float]:
        """Return `every` and `during` in seconds."""
        return self.every.total_seconds(), self.during.total_seconds()


def _length(value: object, form: str) -> timedelta:
    try:
        period = Period.parse(value)
    except BadValueError as error:
        raise BadValueError(error.message, error.hint if "unit" in error.message else form) from None
    if period.seconds is None:
        raise BadValueError(f"{value} is not a length of time", form)
    return period.length
