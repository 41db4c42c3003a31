"""Dates and times as pages write them → aware datetime, naive datetime or date, as precise as the page is."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache

from ..expressions import expression

EARLIEST_YEAR, LATEST_YEAR = 1990, 2100  # other years are prices, phone numbers and wrong epochs
CLOCK_SKEW = timedelta(days=2)  # the date of a page may be this far ahead of its fetching: time zones, wrong clocks
CHINA = timezone(timedelta(hours=8))  # the zone in which Chinese words such as 昨天 count days
LONGEST = 1_000  # characters of a text that are read
BEFORE = 40  # characters before a day that are searched for its time

_MONTHS = {  # by their first three letters: in English, then in German, French, Spanish, Italian and others
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11,
    "dec": 12,
    "gen": 1, "ene": 1, "fev": 2, "fév": 2, "maa": 3, "mrt": 3, "mär": 3, "abr": 4, "avr": 4, "mai": 5, "mag": 5,
    "mei": 5, "giu": 6, "lug": 7, "ago": 8, "aoû": 8, "aou": 8, "set": 9, "okt": 10, "ott": 10, "out": 10, "dez": 12,
    "déc": 12, "dic": 12, "juin": 6, "juil": 7,
}  # fmt: skip
_WORD_START = r"(?:\b|(?<=[^\W_])(?-i:(?=[A-Z])))"  # on some pages without a space before it: CorrespondentDec 22
_ENGLISH_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_ZONES = {  # hours; CST is also used in China, IST in three countries
    "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
    "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "SGT": 8, "HKT": 8, "AWST": 8,
    "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13,
}  # fmt: skip
_AMERICAN_ZONES = {"ET": -5, "CT": -6, "MT": -7, "PT": -8}  # hours in winter
_ZONE_NAMES = "|".join(name for name in (*_ZONES, *_AMERICAN_ZONES) if not re.fullmatch("[ECMP][SD]T", name))
_CLOCK = r"""(?P<half>上午|下午|晚上|凌晨|中午)?\s*
    (?P<hour>[01]?\d|2[0-4])\s?[:：时点]\s?(?P<minute>[0-5]\d)分?(?:[:：]?(?P<second>[0-5]\d)(?:[.,]\d+)?秒?)?
    \s*(?P<meridiem>[ap]\.?m\b\.?)?
    (?:\s*\(?(?P<zone>(?:UTC|GMT)?[+-]\d\d:?\d\d\b|(?:UTC|GMT)\ ?[+-]\d\d?\b|Z\b|UTC\b|GMT\b|[ECMP][SD]T\b
    |(?-i:"""
_CLOCK += rf"""{_ZONE_NAMES})\b))?"""
_TIME = rf"(?:\s*(?:T|,|at|-|–|—|\||·|[(（]?(?:周|星期)[一二三四五六日天][)）]?)?\s*{_CLOCK})?"
_FLAGS = re.VERBOSE | re.IGNORECASE | re.ASCII
_ABSOLUTE = (  # each with a sign that every match contains, if there is one: the search for it is faster
    # 2024-03-05T08:30:00+08:00 · 2024/3/5 08:30 · 2024年03月05日 08:30
    (
        "",
        rf"(?<!\d)(?P<year>\d{{4}})\s?[-/.年]\s?(?P<month>\d\d?)\s?[-/.月]\s?(?P<day>\d\d?)(?!\d)\s?日?{_TIME}",
    ),
    # March 5, 2024 8:30 am · Mar. 5th 2024
    ("", rf"{_WORD_START}{_ENGLISH_MONTH}\s+(?P<day>\d\d?)(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})(?!\d){_TIME}"),
    # Tue, 05 Mar 2024 08:30:00 GMT · 5. März 2024 · 5 de marzo de 2024
    (
        "",
        rf"""(?<!\d)(?P<day>\d\d?)(?:st|nd|rd|th|er|\.|º)?(?:\s+|-)(?:de\s+)?(?P<month>[a-zà-ÿ]{{3,10}})\.?,?
        (?:\s+|-)(?:de\s+)?(?P<year>\d{{4}})\b{_TIME}""",
    ),
    # 05.03.2024: with dots the day comes first everywhere
    (".", rf"(?<![\d.])(?P<day>\d\d?)\.\s?(?P<month>\d\d?)\.\s?(?P<year>\d{{4}})(?![\d.]\d){_TIME}"),
    # 13/03/2024 · 3/13/2024: only where one of the numbers cannot be a month
    ("/", rf"(?<![\d/])(?P<day>1[3-9]|2\d|3[01])/(?P<month>\d\d?)/(?P<year>\d{{4}})(?![\d/]){_TIME}"),
    ("/", rf"(?<![\d/])(?P<month>\d\d?)/(?P<day>1[3-9]|2\d|3[01])/(?P<year>\d{{4}})(?![\d/]){_TIME}"),
)
_FORMS = tuple((sign, expression(form, _FLAGS)) for sign, form in _ABSOLUTE)
_TIME_BEFORE = expression(rf"(?<!\d){_CLOCK}\s*(?:,|·|\||-|–|on)?\s*(?:[a-z]{{3,9}}day,?|[a-z]{{3}},)?\s*$", _FLAGS)
_ISO = expression(r"\s*\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.+Z-]*)?\s*$", re.ASCII)
_COMPACT = expression(
    r"\s*(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?:T?(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d))?(?P<zone>Z)?\s*$",
    re.ASCII,
)
_EPOCH = expression(r"\s*(\d{10})(?:\d{3})?\s*$", re.ASCII)
_FULL_WIDTH = str.maketrans("０１２３４５６７８９", "0123456789")
_HAN_DIGITS = "〇○零一二三四五六七八九"
_HAN_VALUES = {"〇": 0, "○": 0, "零": 0, **{digit: value for value, digit in enumerate("一二三四五六七八九", 1)}}
_HAN_DATE = expression(
    rf"([{_HAN_DIGITS}]{{4}})年(?:\s?([{_HAN_DIGITS}十]{{1,3}})月(?:\s?([{_HAN_DIGITS}十]{{1,3}})日)?)?"
)
_FOUR_DIGITS = expression(r"\d{4}", re.ASCII)
# The signs of a date, in expressions that begin with few characters, which `re` finds quickly
_NUMBERS = expression(r"\d(?:\d{3}|[月/-]\s?\d)", re.ASCII)
_HAN_SIGN = expression(r"[天前刚０-９]")
_HAN_DAY = expression(rf"[昨今]日|[{_HAN_DIGITS}]年")
_AGO_WORD = expression(r"\bago", re.ASCII)

_AGO = expression(
    r"(?P<count>\d{1,3}|\ban?\b)\s*(?P<unit>分钟|小时|天|周|星期|minutes?|mins?|hours?|hrs?|days?|weeks?)\s*(?:以?前|ago)",
    re.IGNORECASE,
)
_STEPS = {
    **dict.fromkeys(("分", "mi"), timedelta(minutes=1)),
    **dict.fromkeys(("小", "ho", "hr"), timedelta(hours=1)),
    **dict.fromkeys(("天", "da"), timedelta(days=1)),
    **dict.fromkeys(("周", "星", "we"), timedelta(weeks=1)),
}
_NOW = expression(r"刚刚\W*$|\bjust now\b", re.IGNORECASE)
_DAY_WORD = expression(rf"(?P<word>今[天日]|昨[天日]|前天|\btoday\b|\byesterday\b){_TIME}", _FLAGS)
_DAYS_BACK = {"今天": 0, "今日": 0, "today": 0, "昨天": 1, "昨日": 1, "yesterday": 1, "前天": 2}
_LABEL = expression(r"\W*(?:发布|发表|更新|时间|日期|于|posted|published|updated|on|\W)*", re.IGNORECASE)
_YEARLESS = expression(
    rf"(?<![\d年/.-])(?<!年\s)(?P<month>\d\d?)(?:\s?月\s?(?P<day>\d\d?)\s?日{_TIME}|[-/](?P<day2>\d\d)\s+(?P<hm>\d\d:\d\d)(?!\d))",
    _FLAGS,
)

_IN_URL = expression(
    r"""[/_=-][a-z]?(?P<year>(?:19|20)\d\d)
    (?: /(?P<m1>\d\d?)/(?P<d1>\d\d?) | -(?P<m2>\d\d?)[-/](?P<d2>\d\d?) | _(?P<m3>\d\d)_(?P<d3>\d\d)
      | /?(?P<m4>\d\d)/?(?P<d4>\d\d) | /(?P<m5>[a-z]{3,9})/(?P<d5>\d\d?) )(?!\d)""",
    _FLAGS,
)


@lru_cache(maxsize=64)  # several fields of a page read the same few lines
def find_date(text: str, fetched_at: datetime | None = None, *, relative: bool = True) -> date | None:
    """Return the first date in `text`: aware if its zone is written there, naive with a time, else a date.

    Relative dates (昨天, 3 hours ago, 3月5日) count only if `relative`, and with `fetched_at`. Dates outside the
    plausible years, or ahead of `fetched_at`, are passed over, and so is text after the first `LONGEST` characters.
    """
    for found in _candidates(_in_plain_digits(text[:LONGEST]), fetched_at if relative else None):
        if found is not None and is_plausible(found, fetched_at):
            return found
    return None


def find_url_date(url: str, fetched_at: datetime | None = None) -> date | None:
    """Return the day that an address names in full (/2024/03/05/, /20240305/, /2024-03/05/), if it is plausible."""
    for match in _IN_URL.finditer(url):
        parts = match.groupdict()
        month, day = next((parts[f"m{form}"], parts[f"d{form}"]) for form in "12345" if parts[f"m{form}"])
        found = _day(parts["year"], month, day)
        if found and is_plausible(found, fetched_at):
            return found
    return None


def is_plausible(found: date, fetched_at: datetime | None) -> bool:
    """Whether a page fetched at `fetched_at` may have been published at `found`."""
    if not EARLIEST_YEAR <= found.year <= LATEST_YEAR:
        return False
    return fetched_at is None or day_of(found) <= (fetched_at + CLOCK_SKEW).date()


def day_of(found: date) -> date:
    """Return the day of a date or of a datetime, as written."""
    return found.date() if isinstance(found, datetime) else found


def may_hold_date(text: str) -> bool:
    """Whether `text` may contain a date."""
    if _NUMBERS.search(text) or "day" in text or "now" in text or ("ago" in text and _AGO_WORD.search(text)):
        return True
    if text.isascii():
        return False
    return bool(_HAN_SIGN.search(text) or (("日" in text or "年" in text) and _HAN_DAY.search(text)))


def _in_plain_digits(text: str) -> str:
    """Return `text` with white space as single spaces, and full-width or Chinese digits of days as ASCII digits."""
    text = " ".join(text.split())
    return text if text.isascii() else _HAN_DATE.sub(_digits_of_date, text.translate(_FULL_WIDTH))


def _digits_of_date(match: re.Match[str]) -> str:
    year = "".join(str(_HAN_VALUES[digit]) for digit in match[1])
    parts = (f"{_han_number(part)}{unit}" for part, unit in ((match[2], "月"), (match[3], "日")) if part)
    return "".join((year, "年", *parts))


def _han_number(text: str) -> int:
    """Return the value of 三, 十, 十二, 二十 or 三十一, or of digits in a row (一二)."""
    tens, ten, ones = text.rpartition("十")
    value = 0
    for digit in ones:
        value = 10 * value + _HAN_VALUES[digit]
    return value + (10 * _HAN_VALUES.get(tens, 1) if ten else 0)


def _candidates(text: str, fetched_at: datetime | None) -> Iterator[date | None]:
    if _FOUR_DIGITS.search(text):
        if _ISO.match(text):
            yield _iso(text.strip())
        if _EPOCH.match(text):
            yield datetime.fromtimestamp(int(text.strip()[:10]), UTC)
        elif compact := _COMPACT.match(text):
            yield _from_parts(compact.groupdict())
        else:
            yield from _absolute(text)
    if fetched_at:
        yield _relative(text, fetched_at)


def _absolute(text: str) -> Iterator[date | None]:
    matches = [match for sign, form in _FORMS if sign in text for match in form.finditer(text)]
    for match in sorted(matches, key=re.Match.start):
        parts = match.groupdict()
        before = None if parts["hour"] else _TIME_BEFORE.search(text[: match.start()][-BEFORE:])
        yield _from_parts(parts | before.groupdict() if before else parts)


def _iso(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text).replace(microsecond=0)
    except ValueError:
        return None


def _from_parts(parts: dict[str, str | None]) -> date | None:
    day = _day(parts["year"], parts["month"], parts["day"])
    return _with_time(day, parts) if day else None


def _day(year: str | None, month: str | None, day: str | None) -> date | None:
    try:
        return date(int(year or 0), _month(month or ""), int(day or 0))
    except ValueError:
        return None


def _month(text: str) -> int:
    """Return 1 to 12, or 0 for a word that is not a month."""
    if text.isdigit():
        return int(text)
    name = text.lower()
    return _MONTHS.get(name[:4]) or _MONTHS.get(name[:3], 0)


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
    zone = zone_of((parts.get("zone") or "").upper(), day)
    return datetime(
        day.year, day.month, day.day, hour, int(parts["minute"] or 0), int(parts["second"] or 0), tzinfo=zone
    )


def zone_of(text: str, day: date) -> timezone | None:
    """Return the zone of a day that an abbreviation in capitals or an offset means (CET, PT, +0800, GMT+8), or None."""
    text = text.replace(" ", "")
    name = text.rstrip("+-:0123456789")
    if text in _ZONES:
        return timezone(timedelta(hours=_ZONES[text]))
    if text in _AMERICAN_ZONES:
        return timezone(timedelta(hours=_AMERICAN_ZONES[text] + _is_american_summer(day)))
    if text in ("Z", "UTC", "GMT"):
        return UTC
    digits = text[len(name) + 1 :].replace(":", "")
    if name not in ("", "UTC", "GMT") or not digits.isdigit():
        return None
    hours, minutes = (digits, "0") if len(digits) <= 2 else (digits[:2], digits[2:])
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-offset if text[len(name)] == "-" else offset) if offset < timedelta(hours=24) else None


def _is_american_summer(day: date) -> bool:
    """Whether clocks in the United States are an hour ahead: from the second Sunday of March to November's first."""
    begin, end = date(day.year, 3, 8), date(day.year, 11, 1)
    return begin + timedelta(days=6 - begin.weekday()) <= day_of(day) < end + timedelta(days=6 - end.weekday())


def _relative(text: str, fetched_at: datetime) -> date | None:
    """Return the time that relative words mean, counted from `fetched_at`; Chinese words count days in China."""
    now = fetched_at if text.isascii() else fetched_at.astimezone(CHINA)
    if ago := _AGO.search(text):
        count = int(ago["count"]) if ago["count"].isdigit() else 1
        step = _STEPS[ago["unit"][:2].lower() if ago["unit"].isascii() else ago["unit"][0]]
        moment = (now - count * step).replace(second=0, microsecond=0)
        return moment if step < timedelta(days=1) else moment.date()
    if _NOW.search(text):
        return now.replace(second=0, microsecond=0)
    word = _DAY_WORD.search(text)
    if word and (word["hour"] or _is_alone(text, word)):
        return _with_time((now - timedelta(days=_DAYS_BACK[word["word"].lower()])).date(), word.groupdict())
    return _yearless(text, now)


def _is_alone(text: str, word: re.Match[str]) -> bool:
    """Whether a line consists of a day only: 今天天气 is not a date."""
    return not text[word.end() :].strip(" |·,，") and _LABEL.fullmatch(text, 0, word.start()) is not None


def _yearless(text: str, now: datetime) -> date | None:
    """Return the last day before `now` that a line names by month and day."""
    match = _YEARLESS.search(text)
    if not match:
        return None
    parts = match.groupdict()
    if parts["hm"]:
        parts["hour"], parts["minute"] = parts["hm"].split(":")
    for year in (now.year, now.year - 1):
        day = _day(str(year), parts["month"], parts["day"] or parts["day2"])
        if day and day <= (now + CLOCK_SKEW).date():
            return _with_time(day, parts)
    return None
