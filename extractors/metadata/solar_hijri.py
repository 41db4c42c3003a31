"""Dates of the Solar Hijri calendar of Iran → ISO dates. Babel does not have this calendar.

Source: Iran's law of 1925 (the first six months have 31 days, the next five 30, Esfand 29 or 30), and the leap years of
the arithmetic form, eight in 33 years, which agree with the observed ones in the years that are read here.
"""

import re
from datetime import date, timedelta

from ..expressions import expression

FIRST_YEAR, LAST_YEAR = 1369, 1409  # 1990 to 2031: no year of the lunar calendar, which has these numbers until 1989
NEW_YEAR = date(1990, 3, 21)  # the first day of FIRST_YEAR
_LEAP = frozenset((1, 5, 9, 13, 17, 22, 26, 30))  # of each 33 years
_MONTHS = ["فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور", "مهر", "آبان", "آذر", "دی", "بهمن", "اسفند"]
_NUMBER = {name: number for number, name in enumerate(_MONTHS, 1)}
_NAMES = "|".join(_MONTHS).replace("ی", "[یيى]")  # pages also write the Arabic letters
_YEAR = r"(?P<year>1[34]\d\d)(?!\d)"
_NAMED = expression(
    rf"(?<!\d)(?P<day>\d\d?)(?:\s?ام)?\s(?P<month>{_NAMES})(?:\s?ماه)?[\s،,]{{1,3}}(?:سال\s)?{_YEAR}", re.ASCII
)
_IN_NUMBERS = expression(
    r"(?<!\d)(?<!\d[-/.])(?P<year>1[34]\d\d)(?P<dash>[-/])(?P<month>\d\d?)(?P=dash)(?P<day>\d\d?)(?!\d|[-/.]\d)",
    re.ASCII,
)


def with_common_dates(text: str, numbers: bool) -> str:
    """Return `text`, with ASCII digits, with its Solar Hijri dates in the common calendar: 2024-03-05.

    `numbers`: whether dates in numbers (1402/12/15) are read, too, beside those with the name of a month.
    """
    text = _NAMED.sub(_common, text)
    return _IN_NUMBERS.sub(_common, text) if numbers else text


def common_date(year: int, month: int, day: int) -> date | None:
    """Return the day of the common calendar; None if there is none, or its year is not in FIRST_YEAR to LAST_YEAR."""
    if not (FIRST_YEAR <= year <= LAST_YEAR and 1 <= month <= 12):
        return None
    longest = 31 if month <= 6 else 30 if month < 12 else 29 + _is_leap(year)
    if not 1 <= day <= longest:
        return None
    days = 365 * (year - FIRST_YEAR) + sum(map(_is_leap, range(FIRST_YEAR, year)))
    return NEW_YEAR + timedelta(days + 30 * (month - 1) + min(month - 1, 6) + day - 1)


def _is_leap(year: int) -> bool:
    return year % 33 in _LEAP


def _common(match: re.Match[str]) -> str:
    month = match["month"]
    number = int(month) if month.isdecimal() else _NUMBER[re.sub("[يى]", "ی", month)]
    found = common_date(int(match["year"]), number, int(match["day"]))
    return found.isoformat() if found else match[0]
