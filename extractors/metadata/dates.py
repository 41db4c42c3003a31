"""Dates and times as pages write them → aware datetime, naive datetime or date, as precise as the page is.

Strategy: digits of all scripts, Chinese numbers and years of eras become ASCII digits; words that mean something in
dates become marks (`date_words`); then a few expressions read the parts, whatever the language. The order of 05/03/2024
is that of the page's language. Without a language, and in English without a territory, which pages of all countries
declare, such a date is passed over unless one of its numbers cannot be a month or both are the same.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from itertools import islice
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ..expressions import expression
from .date_words import (
    AGO,
    FILL,
    FOREIGN,
    HALVES,
    TODAY,
    WEEKDAY,
    WORD,
    date_words,
    fold,
    mark,
    meaning_of,
)

EARLIEST_YEAR, LATEST_YEAR = 1990, 2100  # other years are prices, phone numbers and wrong epochs
CLOCK_SKEW = timedelta(days=2)  # the date of a page may be this far ahead of its fetching: time zones, wrong clocks
CHINA = timezone(timedelta(hours=8))  # the zone in which Chinese words such as 昨天 count days …
JAPAN = timezone(timedelta(hours=9))  # … and Japanese and Korean ones
LONGEST = 1_000  # characters of a text that are read
BEFORE = 40  # characters before a day that are searched for its time
SHORT_LINE = 40  # characters of a line in which words without a number may be a date
MOST_COUNTS = 8  # numbers of a line that may belong to such words
AROUND_COUNT = 30  # characters on each side of a number that "3 hours ago" may have

_WEST, _EAST = timedelta(hours=-12), timedelta(hours=14)
_WESTERN_HALVES = (-570, -210, -150)  # minutes of the only western offsets that are not whole hours
# The expressions read texts in which `marked` has put marks in the place of words
_HOURS = ("uhr", "uur")
_WEEKDAY, _FILL = mark(WEEKDAY), mark(FILL)
_HALF = f"[{mark(HALVES)}-{mark(HALVES + 23)}]"
_ANY_MONTH = f"[{mark(1)}-{mark(12)}{mark(FOREIGN + 1)}-{mark(FOREIGN + 12)}]"
_MONTH, _OWN_MONTH = f"(?P<month>{_ANY_MONTH})", f"(?P<month>[{mark(1)}-{mark(12)}])"
_DAY = r"(?P<day>\d\d?)(?:st|nd|rd|th|er|re|[aeº°ª])?"
_GAP = rf"(?:[\s.,،/'’()-]|{_FILL})"  # between the parts of a day
_CLOCK = rf"""(?:(?P<half>{_HALF})\s?)?(?P<hour>2[0-4]|[01]?\d)
    (?:(?P<sign>\s?[:：]\s?|\s?[时時点點시]\s?|\.|\s?h\s?(?![^\W\d])|\s(?:Uhr|uur)\b\s?)(?P<minute>[0-5]\d(?!\d)|\d(?=\s?[分분])|半)?
       (?:(?:\s?[分분]\s?|[:：])(?P<second>[0-5]\d(?!\d)|\d(?=\s?[秒초]))(?:[.,]\d+)?\s?[秒초]?|\s?[分분])?)?
    (?:(?:\s|{_FILL}){{0,5}}(?P<meridiem>{_HALF}))?(?P<after>\s?(?:{_FILL}|Uhr\b|uur\b))?
    (?:[\s.]{{0,3}}\(?(?P<zone>(?:UTC|GMT)?\s?[+−-]\d\d?:?\d\d(?!\d)|(?:UTC|GMT)\s?[+−-]\d\d?(?!\d)|[+-]\d\d(?![\d:])
    |(?-i:[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_]+){{1,2}}(?:[+-]\d\d?)?|[A-Z]{{1,5}}|МСК)(?!\w)|(?:[ecmp][sd]t|utc|gmt|z)(?!\w)))?"""
_BETWEEN = rf"(?:[\s,،.|·•@()（）\[\]–—-]|T(?=\d)|[日일號号]|{_WEEKDAY}|{_FILL})"  # a day and its time
_TIME = rf"(?:(?P<before>{_BETWEEN}{{0,8}}){_CLOCK})?"
_FLAGS = re.VERBOSE | re.IGNORECASE | re.ASCII
_ABSOLUTE = (
    # 2024-03-05T08:30:00+08:00 · 2024/3/5 08:30 · 2024年03月05日 08:30, but not within a longer row of numbers
    rf"""(?<!\d)(?<!\d[-/.])(?P<year>\d{{4}})\s?[-/.年년]\s?(?P<month>\d\d?)\s?[-/.月월]\s?(?P<day>\d\d?)
    (?!\d|[-.]\d(?!\d?[:：])){_TIME}""",
    # 05.03.2024 · 13/03/2024 · 3/13/2024 · 25-03-2024 · 05.03.24
    rf"""(?<!\d)(?<!\d[-/.])(?P<one>\d\d?)(?P<dash>\s?[./]|-)\s?(?P<two>\d\d?)(?P=dash)\s?(?P<year>\d{{4}}|\d\d)
    (?![\d/]|\.\d|-\d(?!\d?[.:])){_TIME}""",
    # March 5, 2024 8:30 am · Mar. 5th 2024
    rf"{_OWN_MONTH}{_GAP}{{0,5}}{_DAY}{_GAP}{{1,5}}(?P<year>\d{{4}})(?!\d){_TIME}",
    # Tue Mar  5 08:30:00 UTC 2024
    rf"{_OWN_MONTH}\s(?P<day>\d\d?),?\s{_CLOCK}\s(?P<year>\d{{4}})(?!\d)",
    # Tue, 05 Mar 2024 08:30:00 GMT · 5. März 2024 · 5 de marzo de 2024 · 05-Mar-24
    rf"""(?<!\d){_DAY}{_GAP}{{0,8}}{_MONTH}{_GAP}{{0,8}}(?P<year>\d{{4}}|(?<=['’/-])\d\d)
    (?!\d|\s?{_ANY_MONTH}){_TIME}""",
    # 2024. március 5. · 2024 m. kovo 5 d. · 2024. gada 5. marts
    rf"(?<!\d)(?P<year>\d{{4}}){_GAP}{{0,8}}{_MONTH}{_GAP}{{0,8}}{_DAY}(?![\d:])(?!{_GAP}{{1,5}}\d{{4}}){_TIME}",
    rf"""(?<!\d)(?P<year>\d{{4}})[\s.]{{0,2}}{_FILL}[\s.]{{0,2}}(?P<day>\d\d?)[\s.]{{1,2}}{_MONTH}
    (?!{_GAP}{{0,5}}\d{{4}}){_TIME}""",
)
# 5 มี.ค. 67, but not 5 มี.ค. 67 คน (67 people) or 5 มี.ค. 10:30
_THAI_DATE = expression(
    rf"""(?<![\d.,/-])(?P<day>\d\d?)\s?{_OWN_MONTH}\s?(?P<short>\d\d)
    (?=$|\s?[,|·()–-](?!\d)|\s(?:{_FILL}\s?)?\d\d?[:.]\d\d(?!\d))
    {_TIME}""",
    _FLAGS,
)
_THAI_CENTURY = 2500  # of years of two digits
_FORMS = tuple(expression(form, _FLAGS) for form in _ABSOLUTE)
_IN_NUMBERS = 2  # of the forms; the others have the name of a month
_HAS_MONTH = expression(_ANY_MONTH)
_TIME_BEFORE = expression(rf"(?<![\d:.,/-]){_CLOCK}(?:[\s,·|–-]|{_WEEKDAY}|{_FILL}){{0,6}}$", _FLAGS)
_NO_DATE = expression(r"(?:\b(?:v|ver|version|release|build|isbn|issn|tel|phone|fax)|版本|电话)\W{0,3}$", re.IGNORECASE)
_AFTER_WORD = expression(r"[^\W\d_][\s(]*$")
_ISO = expression(r"\s*\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.+Z-]*)?\s*$", re.ASCII)
_COMPACT = expression(
    r"\s*(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)"
    r"(?:T?(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)(?P<second>[0-5]\d)?(?P<zone>Z|[+-]\d{4})?)?\s*$",
    re.ASCII,
)
_EPOCH = expression(r"\s*(\d{10})(?:\d{3})?\s*$", re.ASCII)
_OFFSET = expression(r"(?:UTC|GMT)?([+-])(\d\d?)(?::?(\d\d))?$", re.ASCII)
# Digits of other scripts, and marks of direction, which are dropped
_OTHER_DIGIT = expression("[０-９٠-٩۰-۹०-९০-৯௦-௯๐-๙\u200b-\u200f\u202a-\u202e]")
_IN_ASCII = dict.fromkeys((*range(0x200B, 0x2010), *range(0x202A, 0x202F))) | {
    ord(zero) + value: str(value) for zero in "０٠۰०০௦๐" for value in range(10)
}
_HAN_VALUES = dict(zip("〇○零一二三四五六七八九两兩", (0, 0, *range(10), 2, 2), strict=True))
_HAN_NUMBER = expression(
    rf"(?<![周週期拜])[{''.join(_HAN_VALUES)}十]{{1,4}}(?=\s?[个個]?\s?(?:[年月日号號时時点點分天周週]|小[时時]|星期))"
)
_ERA = expression(r"(民[國国]|令和|平成)\s?(\d{1,3}|元)\s?年")
_ERA_BEGINS = {"民": 1911, "令": 2018, "平": 1988}  # the year before its first
BUDDHIST = 543  # years that the Thai count is ahead
_THAI, _HAN, _EASTERN = map(expression, ("[\u0e00-\u0e7f]", "[\u4e00-\u9fff]", "[\u3040-\u30ff\uac00-\ud7af]"))
_YEAR = expression(r"\d{4}|['’/.-]\d\d", re.ASCII)
# The signs of a date, in expressions that begin with few characters, which `re` finds quickly
_NUMBERS = expression(r"\d(?:\d{3}|[月월/-]\s?\d|\.\s?\d\d?\.)", re.ASCII)
_HAN_SIGN = expression(r"[天前刚전]|[昨今]日|[〇○零一二三四五六七八九]年")
_CUT = expression(r"^|$|\b|(?<=[\u3000-\u9fff])")  # where a word may begin or end
_ONLY_DAY = expression(r"(?:(?<=\d)(?:st|nd|rd|th)|[^\w:]|[\d年月日])+")  # without a clock's time and other words
_STEPS = dict(zip(AGO, (timedelta(minutes=1), timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)), strict=True))
_NOW = expression(r"刚刚\W*$|\bjust now\b", re.IGNORECASE)
_DAY_WORD = expression(rf"(?P<word>[{mark(TODAY)}-{mark(TODAY + 2)}]){_TIME}", _FLAGS)
_LABEL = expression(r"(?:发布|发表|更新|时间|日期|于|posted|published|updated|on|\W)*", re.IGNORECASE)
_YEARLESS = expression(
    rf"""(?<![\d年/.-])(?<!年\s)(?P<month>\d\d?)
    (?:\s?[月월]\s?(?P<day>\d\d?)\s?[日号號일]{_TIME}|[-/](?P<day2>\d\d)\s+(?P<hm>\d\d:\d\d)(?!\d))""",
    _FLAGS,
)
_DAY_AND_MONTH = expression(rf"(?<!\d){_DAY}{_GAP}{{0,5}}{_OWN_MONTH}[.,]?{_TIME}", _FLAGS)
_MONTH_AND_DAY = expression(rf"{_OWN_MONTH}{_GAP}{{0,5}}{_DAY}(?![\d:]){_TIME}", _FLAGS)

_IN_URL = expression(
    r"""[/_=-][a-z]?(?P<year>(?:19|20)\d\d)
    (?: /(?P<m1>\d\d?)/(?P<d1>\d\d?) | -(?P<m2>\d\d?)[-/](?P<d2>\d\d?) | _(?P<m3>\d\d)_(?P<d3>\d\d)
      | /?(?P<m4>\d\d)/?(?P<d4>\d\d) | /(?P<m5>[a-z]{3,9})/(?P<d5>\d\d?) )(?!\d)""",
    _FLAGS,
)


@lru_cache(maxsize=64)  # several fields of a page read the same few lines
def find_date(
    text: str, fetched_at: datetime | None = None, *, relative: bool = True, language: str = ""
) -> date | None:
    """Return the first date in `text`: aware if its zone is written there, naive with a time, else a date.

    Relative dates (昨天, 3 hours ago, 3月5日) count only if `relative`, and with `fetched_at`. Dates outside the
    plausible years, or ahead of `fetched_at`, are passed over, and so is text after the first `LONGEST` characters.
    `language`: the page's, as a tag (pt-BR); it decides between words of several languages and orders of numbers.
    """
    if not may_hold_date(text):
        return None
    language = language.strip().lower().replace("_", "-")
    plain = _in_plain_digits(text[:LONGEST])
    for found in _candidates(plain, fetched_at if relative else None, language):
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


def is_day_with_weekday(text: str) -> bool:
    """Whether `text` consists of a day and its weekday: Sunday, November 29, 2026."""
    if len(text) > SHORT_LINE or not _YEAR.search(text):
        return False
    marked = date_words().marked(_in_plain_digits(text), "")
    return _WEEKDAY in marked and _ONLY_DAY.fullmatch(marked) is not None


@lru_cache(4_096)  # the pages of a section have the same menus
def may_hold_date(text: str) -> bool:
    """Whether `text` may contain a date."""
    if _NUMBERS.search(text) or "day" in text or "now" in text:
        return True
    if not text.isascii() and (_HAN_SIGN.search(text) or _OTHER_DIGIT.search(text)):
        return True
    return len(text) <= SHORT_LINE and not date_words().signs.isdisjoint(WORD.findall(fold(text)))


def _in_plain_digits(text: str) -> str:
    """Return `text` with white space as single spaces, ASCII digits, and years of the common era."""
    text = " ".join(text.split())
    if text.isascii():
        return text
    if _OTHER_DIGIT.search(text):
        text = text.translate(_IN_ASCII)
    return _ERA.sub(_common_year, _HAN_NUMBER.sub(_han_number, text))


def _han_number(match: re.Match[str]) -> str:
    """Return the value of 三, 十, 十二, 二十 or 三十一, or of digits in a row (一二)."""
    tens, ten, ones = match[0].rpartition("十")
    value = 0
    for digit in ones.replace("十", ""):
        value = 10 * value + _HAN_VALUES[digit]
    return str(value + (10 * _HAN_VALUES.get(tens, 1) if ten else 0))


def _common_year(match: re.Match[str]) -> str:
    return f"{_ERA_BEGINS[match[1][0]] + (1 if match[2] == '元' else int(match[2]))}年"


def _candidates(text: str, fetched_at: datetime | None, language: str) -> Iterator[date | None]:
    marked = ""
    if _YEAR.search(text) or _THAI.search(text):
        if _ISO.match(text):
            yield _iso(text.strip())
        if _EPOCH.match(text):
            yield datetime.fromtimestamp(int(text.strip()[:10]), UTC)
        elif compact := _COMPACT.match(text):
            yield _from_parts(compact.groupdict(), language)
        else:
            marked = date_words().marked(text, language)
            yield from _absolute(marked, fetched_at, language, _THAI.search(text) is not None)
    if fetched_at:
        yield _relative(text, fetched_at, language)


def _absolute(text: str, fetched_at: datetime | None, language: str, thai: bool) -> Iterator[date | None]:
    forms = _FORMS if _HAS_MONTH.search(text) else _FORMS[:_IN_NUMBERS]
    if thai:
        forms = (*forms, _THAI_DATE)
    for match in sorted((match for form in forms for match in form.finditer(text)), key=re.Match.start):
        parts, before = match.groupdict(), text[: match.start()][-BEFORE:]
        if "short" in parts:
            parts["year"] = str(_THAI_CENTURY + int(parts["short"]))
        if int(parts["year"]) > LATEST_YEAR and (thai or language[:2] == "th"):
            parts["year"] = str(int(parts["year"]) - BUDDHIST)
        if "one" in parts:
            parts["day"], parts["month"] = _in_order(parts, before, language) or _nearest(parts, fetched_at)
        found = None if _NO_DATE.search(before) else _from_parts(parts, language)
        if found and not isinstance(found, datetime) and (time := _TIME_BEFORE.search(before)):
            found = _with_time(found, time.groupdict(), language)
        yield found


def _in_order(parts: dict[str, str], before: str, language: str) -> tuple[str, str] | None:
    """Return day and month of a date in numbers whose year is last; None if their order is not known.

    With dots the day is first everywhere. A year of two digits counts after slashes in languages with the day first
    (en-US, the only other, is also what templates declare by default), and after dots in languages that write it so,
    or where all numbers have two digits and no word is just before them.
    """
    one, two, dots, style = parts["one"], parts["two"], "." in parts["dash"], date_words().style(language)
    if len(parts["year"]) == 2:
        padded = len(one) == len(two) == 2 and not _AFTER_WORD.search(before)
        if not ("." in style or padded if dots else parts["dash"] != "-" and style[:3] == "dmy"):
            return None
    if dots or int(one) > 12 or one == two or (style[:3] == "dmy" and int(two) <= 12):
        return one, two
    return (two, one) if int(two) > 12 or style[:3] == "mdy" else None


def _nearest(parts: dict[str, str], fetched_at: datetime | None) -> tuple[str, str]:
    """Return day and month in the order that gives a day close to the fetch; "" and "" if there is none."""
    for day, month in ((parts["one"], parts["two"]), (parts["two"], parts["one"])):
        found = _day(parts["year"], month, day)
        if fetched_at and found and abs(found - fetched_at.date()) <= CLOCK_SKEW:
            return day, month
    return "", ""


def _iso(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text).replace(microsecond=0)
    except ValueError:
        return None


def _from_parts(parts: dict[str, str], language: str) -> date | None:
    day = _day(parts["year"], parts["month"], parts["day"])
    return _with_time(day, parts, language) if day else None


def _day(year: str, month: str, day: str) -> date | None:
    """Return a day; `month`: a number, a mark or the name in an address; a year of two digits is of this century."""
    number = int(month) if month.isdigit() else date_words().month(month)
    try:
        return date(int(year) + 2000 * (len(year) == 2), number, int(day or 0))
    except ValueError:
        return None


def _with_time(day: date, parts: dict[str, str], language: str) -> date:
    """Return `day` with the time of `parts`; the day alone if there is none or it is not a time."""
    if not parts["hour"]:
        return day
    minute, second = 30 if parts["minute"] == "半" else int(parts["minute"] or 0), int(parts["second"] or 0)
    zone = zone_of(parts["zone"] or "", day)
    hour = int(parts["hour"]) if "sign" not in parts else _hour(parts, zone, language)
    if hour is None or (hour == 24 and (minute or second)):
        return day
    moment = datetime(day.year, day.month, day.day, hour % 24, minute, second, tzinfo=zone)
    return moment + timedelta(days=hour // 24)


def _hour(parts: dict[str, str], zone: timezone | None, language: str) -> int | None:
    """Return 0 to 24, or None if the numbers are no time of that day: 5 comments, 14.05 €, 晚上12点."""
    hour, sign, half = int(parts["hour"]), (parts["sign"] or "").strip(), parts["half"] or parts["meridiem"]
    led = _FILL in (parts.get("before") or "")  # um 14.05, à 8 h
    known: object
    if half:
        earliest = meaning_of(half) - HALVES - 6  # of the two hours that the number may mean, the one in that part
        hour = hour if hour > 12 else earliest + (hour - earliest) % 12
        known = 0 <= hour <= 23 and (sign not in (":", "：", ".") or parts["minute"])
    elif sign == ".":
        known = parts["minute"] and (led or parts["after"] or zone or "h" in date_words().style(language))
    else:
        known = sign and (parts["minute"] or sign in "时時点點시" or sign.lower() in _HOURS or (led and sign in "hH"))
    return hour if known else None


def zone_of(text: str, day: date) -> timezone | None:
    """Return the zone that an abbreviation, an offset or a name of IANA means on a day: CET, PT, GMT+8, Asia/Shanghai.

    None if it is not known or there is no such zone.
    """
    if "/" in text:
        try:
            offset = ZoneInfo(text).utcoffset(datetime(day.year, day.month, day.day, 12))
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return None
        return timezone(offset) if offset is not None else None
    text = text.upper().replace(" ", "").replace("−", "-")
    if text in ("Z", "UTC", "GMT"):
        return UTC
    if written := _OFFSET.match(text):
        minutes = int(f"{written[1]}1") * (60 * int(written[2]) + int(written[3] or 0))
        exists = minutes >= 0 or minutes % 60 == 0 or minutes in _WESTERN_HALVES
        offset = timedelta(minutes=minutes)
        return timezone(offset) if exists and _WEST <= offset <= _EAST else None
    named = date_words().zones.get(text)
    return zone_of(named, day) if named else None


def _relative(text: str, fetched_at: datetime, language: str) -> date | None:
    """Return the time that relative words mean, counted from `fetched_at`; days are those of the words' country."""
    now = fetched_at
    if not text.isascii():
        eastern = language[:2] in ("ja", "ko") or _EASTERN.search(text)
        now = now.astimezone(JAPAN) if eastern else now.astimezone(CHINA) if _HAN.search(text) else now
    if ago := _ago(text, now):
        return ago
    if _NOW.search(text):
        return now.replace(second=0, microsecond=0)
    marked = date_words().marked(date_words().days_marked(text, language), language)
    if word := _DAY_WORD.search(marked):
        day = (now - timedelta(days=meaning_of(word["word"]) - TODAY)).date()
        found = _with_time(day, word.groupdict(), language)
        if isinstance(found, datetime) or _is_alone(marked, word):
            return found
    return _yearless(marked, now, language)


def _ago(text: str, now: datetime) -> date | None:
    """Return the time that a number and the words around it mean: 3 hours ago, vor 3 Stunden."""
    words, text = date_words(), fold(text)
    unit, count = words.ago.get(text.strip(" .…")), 1.0
    for number in islice(words.count.finditer(text), MOST_COUNTS):
        left = text[: number.start()][-AROUND_COUNT:].strip().replace(".", "")
        right = text[number.end() :][:AROUND_COUNT].strip().replace(".", "")
        ends = [
            right[: cut.start()] for cut in _CUT.finditer(right) if right[cut.start() :][:1] not in tuple("后後线線台")
        ]
        forms = (f"{left[cut.start() :]}#{end}" for cut in _CUT.finditer(left) for end in ends)
        if unit := next(filter(None, map(words.ago.get, forms)), unit):
            count = 0.5 if number[0] == "半" else int(words.counts.get(number[0], number[0]))
            break
    if not unit:
        return None
    moment = (now - count * len(unit) * _STEPS[unit[-1]]).replace(second=0, microsecond=0)
    return moment if unit[-1] in "mh" or count < 1 else moment.date()


def _is_alone(text: str, word: re.Match[str]) -> bool:
    """Whether a line consists of a day only: 今天天气 is not a date."""
    return not text[word.end() :].strip(" |·,，") and _LABEL.fullmatch(text, 0, word.start()) is not None


def _yearless(text: str, now: datetime, language: str) -> date | None:
    """Return the last day before `now` that a line names by month and day; a line with a month's name only that."""
    match = _YEARLESS.search(text) or _DAY_AND_MONTH.search(text) or _MONTH_AND_DAY.search(text)
    if not match or not (match.re.pattern == _YEARLESS.pattern or _is_alone(text, match)):
        return None
    parts = match.groupdict()
    if parts.get("hm"):
        (parts["hour"], parts["minute"]), parts["sign"] = parts["hm"].split(":"), ":"
    for year in (now.year, now.year - 1):
        day = _day(str(year), parts["month"], parts.get("day2") or parts["day"])
        if day and day <= (now + CLOCK_SKEW).date():
            found = _with_time(day, parts, language)
            names_year = _HAS_MONTH.search(match[0]) and parts["hour"] and not isinstance(found, datetime)
            return None if names_year else found  # 5 Mar 15
    return None
