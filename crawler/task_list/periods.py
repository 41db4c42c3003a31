"""The key `every`, how often a task runs: a fixed period (`30m`, `2h`, `1d`), a cron line with its time zone, or
`auto`: between two bounds (`auto 15m..1d`), by how often the section publishes (`crawler.run.publishing_rate`). The
keys `forget`, `keep_pages` and `revisit` have lengths of time in the syntax of fixed periods (`180d`, `1d for 3d`).

Cron lines are computed by cronsim, which follows Debian's cron. Daylight saving in a cron's zone: a time that the clock
skips is due at the moment of the change; a time that occurs twice is due at its first occurrence. Where the minute or
the hour begins with `*` (`*/15 * * * *`), the line follows the clock: real time between runs, skipped times left out.
"""

import itertools
import re
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from cronsim import CronSim, CronSimError

from crawler.task_list.mistakes import BadValueError, nearest

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
SHORTEST = 10  # seconds; a shorter period is probably meant in minutes, and no section publishes that often
LONGEST = 366 * 86400  # seconds
CRON_FORM = "minute, hour, day, month, weekday: 0 8 * * 1-5"
FORMS = "write 30m, 2h, 1d, auto, or a cron line such as 0 8 * * 1-5 Asia/Shanghai"
AUTO_FORM = "write auto, or with bounds auto 15m..1d"
AUTO_SHORTEST, AUTO_LONGEST = 600, 86400  # seconds: the bounds of an `auto` without bounds
UNIT_WORDS = {
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "秒": "s", "min": "m", "mins": "m", "minute": "m",
    "minutes": "m", "分": "m", "分钟": "m", "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "时": "h", "小时": "h",
    "day": "d", "days": "d", "天": "d", "日": "d", "week": "w", "weeks": "w", "周": "w",
}  # fmt: skip
CRON_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))  # ranges of the five fields
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
CRON_NAMES: tuple[tuple[str, ...], ...] = ((), (), (), MONTHS, WEEKDAYS)
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
        """Parse a period: text, a map with `cron` and optionally `zone`, or a map with `auto`.

        Raises `BadValueError` (a ValueError).
        """
        if isinstance(value, Period):
            return value
        if isinstance(value, Mapping):
            return _from_map(value)
        if isinstance(value, int) and not isinstance(value, bool):
            raise BadValueError(f"{value} has no unit", f"write {value}s, {value}m or {value}h")
        if not isinstance(value, str) or not value.strip():
            raise BadValueError("not a period", FORMS)
        return _from_text(" ".join(value.split()))

    def __str__(self) -> str:
        return self.text

    def next_after(self, moment: datetime) -> datetime:
        """Return the first due time after `moment` (aware), in UTC.

        A fixed period begins at `moment` itself; for `auto` the latest possible due time is returned.
        """
        if (seconds := self.bounds[1] if self.bounds else self.seconds) is not None:
            return moment.astimezone(UTC) + timedelta(seconds=seconds)
        return _next_cron(self.cron or "", self.zone, moment.astimezone(UTC))

    @property
    def seconds_hint(self) -> int:
        """The shortest time between two due times, in seconds; for a cron line, among a few due times."""
        if self.seconds is not None:
            return self.seconds
        if self.bounds is not None:
            return self.bounds[0]
        times = [datetime(2024, 1, 1, tzinfo=UTC)]
        for _ in range(8):
            times.append(self.next_after(times[-1]))
        return min(int((b - a).total_seconds()) for a, b in itertools.pairwise(times[1:]))


@lru_cache(maxsize=1024)  # many tasks have the same period
def _from_text(text: str) -> Period:
    if re.match(r"auto\b", text):
        return _from_auto(text)
    looks_like_cron = len(text.split()) >= 4 or "*" in text
    return _from_cron(text) if looks_like_cron else Period(text, _fixed_seconds(text))


def _fixed_seconds(text: str) -> int:
    found = re.fullmatch(r"(?:[0-9]+ ?[A-Za-z一-鿿]+ ?)+", text)
    if not found:
        raise BadValueError(f"{text!r} is not a period", FORMS)
    pieces = re.findall(r"([0-9]+) ?([A-Za-z一-鿿]+)", text)
    if wrong := next((unit for _, unit in pieces if unit not in SECONDS), None):
        raise BadValueError(f"unknown unit {wrong!r}", _unit_hint(text, pieces))
    if max(len(count) for count, _ in pieces) > 9:
        raise BadValueError(f"{text} is longer than {LONGEST // 86400} days", FORMS)
    seconds = sum(int(count) * SECONDS[unit] for count, unit in pieces)
    if seconds < SHORTEST:
        raise BadValueError(f"{text} is shorter than {SHORTEST} seconds", "choose a longer period")
    if seconds > LONGEST:
        raise BadValueError(
            f"{text} is longer than {LONGEST // 86400} days", "choose a shorter period, or write paused: true"
        )
    return seconds


def _unit_hint(text: str, pieces: list[tuple[str, str]]) -> str:
    units = [UNIT_WORDS.get(unit.lower(), unit.lower()) for _, unit in pieces]
    if all(unit in SECONDS for unit in units):
        return "write " + "".join(count + unit for (count, _), unit in zip(pieces, units, strict=True))
    return "units are s, m, h, d and w"


# Periods by the publishing rate


def _from_auto(text: str) -> Period:
    if text == "auto":
        return Period(text, bounds=(AUTO_SHORTEST, AUTO_LONGEST))
    shortest, dots, longest = text.removeprefix("auto").partition("..")
    if not dots:
        raise BadValueError(f"{text!r} is not a period", AUTO_FORM)
    return _between(shortest.strip(), longest.strip())


def _between(shortest: str, longest: str) -> Period:
    bounds = _fixed_seconds(shortest), _fixed_seconds(longest)
    if bounds[0] > bounds[1]:
        raise BadValueError(f"{shortest} is longer than {longest}", f"write auto {longest}..{shortest}")
    return Period(f"auto {shortest}..{longest}", bounds=bounds)


def _from_auto_map(value: Mapping[Any, Any]) -> Period:
    pair = value["auto"]
    if not (isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(bound, str) for bound in pair)):
        raise BadValueError("must be two periods", "write {auto: [15m, 1d]}", inner=("auto",))
    try:
        return _between(*(" ".join(bound.split()) for bound in pair))
    except BadValueError as fault:
        raise BadValueError(fault.message, fault.hint, inner=("auto",)) from None


# Cron lines


def _from_map(value: Mapping[Any, Any]) -> Period:
    if set(value) == {"auto"}:
        return _from_auto_map(value)
    for key in value:
        if key not in ("cron", "zone"):
            near = nearest(str(key), ("cron", "zone"))
            raise BadValueError("unknown key", f"did you mean {near!r}?" if near else "known: cron, zone", inner=(key,))
    for key in value:
        if not isinstance(value[key], str):
            raise BadValueError("must be text", "write it in quotes", inner=(key,))
    if "cron" not in value:
        raise BadValueError("'cron' is missing", "write {cron: '0 8 * * 1-5', zone: Asia/Shanghai}")
    if len(value["cron"].split()) != 5:
        raise BadValueError("a cron line has 5 fields", CRON_FORM, inner=("cron",))
    try:
        return _from_cron(" ".join([*value["cron"].split(), value.get("zone", "UTC")]))
    except BadValueError as fault:
        at_zone = fault.offset and "zone" in value
        raise BadValueError(fault.message, fault.hint, inner=("zone" if at_zone else "cron",)) from None


def _from_cron(text: str) -> Period:
    words = text.split()
    if len(words) == 6 and re.match(r"[A-Za-z]", words[5]) is None:
        raise BadValueError(
            "a cron line has 5 fields, without seconds", "minute, hour, day, month, weekday: 0 8 * * 1-5"
        )
    if len(words) not in (5, 6):
        raise BadValueError(f"a cron line has 5 fields and optionally a zone; this one has {len(words)}", FORMS)
    cron, zone = " ".join(words[:5]), words[5] if len(words) == 6 else "UTC"
    _check_zone(zone, offset=len(cron) + 1)
    _check_cron(cron, zone)
    return Period(cron if zone == "UTC" else f"{cron} {zone}", None, cron, zone)


def _check_zone(zone: str, offset: int) -> None:
    try:
        zoneinfo.ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        known = zoneinfo.available_timezones()
        near = nearest(zone, known) or nearest(zone, {name.rpartition("/")[2] for name in known})
        full = next((name for name in sorted(known) if near and name.split("/")[-1] == near.split("/")[-1]), None)
        hint = f"did you mean {near if near in known else full!s}?" if near else "write an IANA name: Asia/Shanghai"
        raise BadValueError(f"unknown time zone {zone!r}", hint, offset=offset) from None


def _check_cron(cron: str, zone: str) -> None:
    if re.search(r"[HhRr]\b|[HhRr]\(", re.sub(r"(?i)thu|mar|apr|fri", "", cron)):
        raise BadValueError("not a cron line: H and R (random times) are not supported", CRON_FORM)
    try:
        start = datetime(2024, 1, 1, tzinfo=UTC)
        for _ in range(2):
            start = _next_cron(cron, zone, start)
    except (ValueError, CronSimError):
        if problem := _cron_problem(cron):
            raise BadValueError(f"not a cron line: {problem}", CRON_FORM) from None
        raise BadValueError("this cron line is never due", "no month has that day") from None


def _next_cron(cron: str, zone: str, moment: datetime) -> datetime:
    """Return the first due time after `moment`, both in UTC.

    Raises `ValueError` if there is none within 50 years, `CronSimError` for an invalid line.
    """
    for due in CronSim(_for_cronsim(cron), moment.astimezone(zoneinfo.ZoneInfo(zone))):
        # After the clock was set back, cronsim begins with the first occurrence of an hour that occurs twice.
        if due.astimezone(UTC) > moment:
            return due.astimezone(UTC)
    raise ValueError("never due")


def _for_cronsim(cron: str) -> str:
    """Translate forms that task lists may use and Debian's cron does not support into forms that it supports.

    `?` is `*`; `22-2` and `fri-mon` wrap around; `L5` is the last Friday. If day and weekday are both given, also as a
    step of `*` (`*/2`), a day that matches either of them is due.
    """
    fields = cron.upper().split()
    for index in (2, 4):
        low, high = CRON_RANGES[index]
        fields[index] = re.sub(r"^\*/", f"{low}-{high}/", "*" if fields[index] == "?" else fields[index])
    fields[4] = re.sub(r"\bL([0-7])\b", r"\1L", fields[4])
    return " ".join(",".join(_unwrapped(term, index) for term in text.split(",")) for index, text in enumerate(fields))


def _unwrapped(term: str, index: int) -> str:
    ends = re.fullmatch(r"(\w+)-(\w+)(?:/([1-9]\d*))?", term, re.ASCII)
    low, high = (_cron_number(end, index) for end in (ends[1], ends[2])) if ends else (None, None)
    first, last = CRON_RANGES[index]
    if ends is None or low is None or high is None or not first <= high < low <= last + (index == 4):
        return term
    return ",".join(map(str, [*range(low, last + 1), *range(first, high + 1)][:: int(ends[3] or 1)]))


def _cron_number(text: str, index: int) -> int | None:
    if text in CRON_NAMES[index]:
        return CRON_NAMES[index].index(text) + CRON_RANGES[index][0]
    return int(text) if text.isdecimal() else None


def _cron_problem(cron: str) -> str:
    """Return the mistake in a line that cronsim rejects; empty if each field alone is valid."""
    for index, text in enumerate(cron.split()):
        try:
            CronSim(_for_cronsim(" ".join(text if at == index else "*" for at in range(5))), datetime(2024, 1, 1))
        except CronSimError:
            if step := re.search(r"/(0+)\b", text):
                return f"step {step[1]!r} in field {index + 1} is invalid"
            numbers = [int(number) for number in re.findall(r"[0-9]+", text)]
            numeric = re.fullmatch(r"[0-9*,/-]+", text) is not None
            too_large = numeric and any(number > CRON_RANGES[index][1] for number in numbers)
            return f"{text} is out of range" if too_large or re.fullmatch(r"0+", text) else f"{text} is invalid"
    return ""


@dataclass(frozen=True)
class Age:
    """A length of time, and the text that it was parsed from."""

    text: str
    length: timedelta

    @classmethod
    def parse(cls, value: object, form: str = FORGET_FORM) -> "Age | None":
        """Parse text such as `180d`; None stays None. Raises `BadValueError` with the hint `form`."""
        if value is None or isinstance(value, Age):
            return value
        age = cls(str(value), _length(value, form))
        if age.length < SHORTEST_AGE:
            raise BadValueError(f"{value} is shorter than a day", form)
        return age

    def __str__(self) -> str:
        return self.text


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
    return timedelta(seconds=period.seconds)
