"""Dates and times as pages write them → aware datetime, naive datetime or date, as much as was really said."""

import re
from datetime import UTC, date, datetime, timedelta, timezone

EARLIEST_YEAR, LATEST_YEAR = 1990, 2100  # other years are prices, phone numbers and epochs gone wrong
CLOCK_SKEW = timedelta(days=2)  # a page may be this far ahead of its fetching: time zones, wrong clocks

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_TIME = r"""(?:\s*(?:T|,|at|\||·|(?:周|星期)[一二三四五六日天])?\s*
    (?P<half>上午|下午|晚上|凌晨|中午)?\s*
    (?P<hour>[01]?\d|2[0-4])\s?[:：时点]\s?(?P<minute>[0-5]\d)分?(?:[:：]?(?P<second>[0-5]\d)(?:[.,]\d+)?秒?)?
    \s*(?P<meridiem>[ap]\.?m\b\.?)?\s*
    (?P<zone>Z\b|UTC\b|GMT\b|[+-]\d\d:?\d\d\b)?)?"""
_FLAGS = re.VERBOSE | re.IGNORECASE | re.ASCII
_ABSOLUTE = (
    # 2024-03-05T08:30:00+08:00 · 2024/3/5 08:30 · 2024年03月05日 08:30
    re.compile(
        rf"(?<!\d)(?P<year>\d{{4}})\s?[-/.年]\s?(?P<month>\d\d?)\s?[-/.月]\s?(?P<day>\d\d?)(?!\d)日?{_TIME}", _FLAGS
    ),
    # March 5, 2024 8:30 am · Mar. 5th 2024
    re.compile(rf"\b{_MONTH}\s+(?P<day>\d\d?)(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})\b{_TIME}", _FLAGS),
    # Tue, 05 Mar 2024 08:30:00 GMT · 5 March 2024
    re.compile(rf"\b(?P<day>\d\d?)(?:st|nd|rd|th)?(?:\s+|-){_MONTH},?(?:\s+|-)(?P<year>\d{{4}})\b{_TIME}", _FLAGS),
)
_COMPACT = re.compile(
    r"^\s*(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?:T?(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d))?Z?\s*$"
)
_DIGIT = re.compile(r"\d")
_EPOCH = re.compile(r"^\s*(\d{10})(?:\d{3})?\s*$")
_AGO = re.compile(
    r"(?P<count>\d{1,3})\s*(?P<unit>分钟|小时|天|minutes?|mins?|hours?|hrs?|days?)\s*(?:前|ago)", re.IGNORECASE
)
_DAY_WORD = re.compile(rf"(?P<word>今天|昨天|前天|\btoday\b|\byesterday\b){_TIME}", _FLAGS)
_DAYS_BACK = {"今天": 0, "today": 0, "昨天": 1, "yesterday": 1, "前天": 2}


def find_date(text: str, fetched_at: datetime | None = None, *, relative: bool = True) -> date | None:
    """Return the first date in `text`: aware if its zone is written there, naive with a time, else a date.

    Relative dates (昨天, 3 hours ago) count only if `relative`, and with `fetched_at`. Dates outside the
    plausible years, or ahead of `fetched_at`, are passed over.
    """
    for found in _candidates(text, fetched_at if relative else None):
        if found is not None and is_plausible(found, fetched_at):
            return found
    return None


def is_plausible(found: date, fetched_at: datetime | None) -> bool:
    """Whether a page fetched at `fetched_at` may have been published at `found`."""
    if not EARLIEST_YEAR <= found.year <= LATEST_YEAR:
        return False
    day = found.date() if isinstance(found, datetime) else found
    return fetched_at is None or day <= (fetched_at + CLOCK_SKEW).date()


def _candidates(text: str, fetched_at: datetime | None) -> list[date | None]:
    if not _DIGIT.search(text):
        return [_relative(text, fetched_at)] if fetched_at else []
    epoch = _EPOCH.match(text)
    if epoch:
        return [datetime.fromtimestamp(int(epoch[1]), UTC)]
    compact = _COMPACT.match(text)
    if compact:
        return [_from_parts(compact.groupdict())]
    matches = sorted((match for form in _ABSOLUTE for match in form.finditer(text)), key=re.Match.start)
    return [_from_parts(match.groupdict()) for match in matches] + ([_relative(text, fetched_at)] if fetched_at else [])


def _from_parts(parts: dict[str, str | None]) -> date | None:
    try:
        month = parts.get("month") or _MONTHS.index((parts.get("name") or "").lower()[:3]) + 1
        day = date(int(parts["year"] or 0), int(month), int(parts["day"] or 0))
        return _with_time(day, parts)
    except ValueError:
        return None


def _with_time(day: date, parts: dict[str, str | None]) -> date:
    """Return `day` with the time of `parts`; the day alone if there is none or it is not a time."""
    if not parts["hour"]:
        return day
    hour = int(parts["hour"])
    meridiem = (parts.get("meridiem") or "")[:1].lower()
    if (meridiem == "p" or parts.get("half") in ("下午", "晚上")) and hour < 12:
        hour += 12
    elif meridiem == "a" and hour == 12:
        hour = 0
    if hour > 23:
        return day
    zone = _zone(parts.get("zone"))
    return datetime(
        day.year, day.month, day.day, hour, int(parts["minute"] or 0), int(parts["second"] or 0), tzinfo=zone
    )


def _zone(text: str | None) -> timezone | None:
    if not text:
        return None
    if text[0] not in "+-":
        return UTC
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return timezone(offset if text[0] == "+" else -offset) if offset < timedelta(hours=24) else None


def _relative(text: str, fetched_at: datetime) -> date | None:
    ago = _AGO.search(text)
    if ago:
        count, unit = int(ago["count"]), ago["unit"].lower()
        if unit == "天" or unit.startswith("day"):
            return (fetched_at - timedelta(days=count)).date()
        step = timedelta(minutes=count) if unit == "分钟" or unit.startswith("min") else timedelta(hours=count)
        return (fetched_at - step).replace(second=0, microsecond=0)
    word = _DAY_WORD.search(text)
    if word:
        day = (fetched_at - timedelta(days=_DAYS_BACK[word["word"].lower()])).date()
        return _with_time(day, word.groupdict())
    return None
