"""Dates and times as pages write them → aware datetime, naive datetime or date, as precise as the page is.

Strategy: digits of all scripts, Chinese numbers and years of eras become ASCII digits; words that mean something in
dates become marks (`date_words`); then a few expressions read the parts, whatever the language. The order of
05/03/2024 is that of the page's language. Without a language, and in English without a territory, which pages of all
countries declare, such a date is passed over unless one of its numbers cannot be a month or both are the same.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ..expressions import expression
from .date_words import FILL, FOREIGN, HALVES, WEEKDAY, WORD, date_words, fold, mark, meaning_of

EARLIEST_YEAR, LATEST_YEAR = 1990, 2100  # other years are prices, phone numbers and wrong epochs
CLOCK_SKEW = timedelta(days=2)  # the date of a page may be this far ahead of its fetching: time zones, wrong clocks
CHINA = timezone(timedelta(hours=8))  # the zone in which Chinese words such as 昨天 count days …
JAPAN = timezone(timedelta(hours=9))  # … and Japanese and Korean ones
LONGEST = 1_000  # characters of a text that are read
BEFORE = 40  # characters before a day that are searched for its time
SHORT_LINE = 40  # characters of a line in which words without a number may be a date
AROUND_COUNT = 30  # characters on each side of a number that "3 hours ago" may have

_ZONES = {  # hours; CST is also used in China, IST in three countries
    "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
    "BRT": -3, "ART": -3, "COT": -5, "PET": -5, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2,
    "MET": 1, "MEST": 2, "EET": 2, "EEST": 3, "SAST": 2, "EAT": 3, "TRT": 3, "MSK": 3, "МСК": 3, "PKT": 5, "ICT": 7,
    "WIB": 7, "WITA": 8, "WIT": 9, "PHT": 8, "SGT": 8, "HKT": 8, "AWST": 8, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11,
    "NZST": 12, "NZDT": 13,
}  # fmt: skip
_AMERICAN_ZONES = {"ET": -5, "CT": -6, "MT": -7, "PT": -8}  # hours in winter
_ZONE_NAMES = "|".join(name for name in (*_ZONES, *_AMERICAN_ZONES) if not re.fullmatch("[ECMP][SD]T", name))
_WEST, _EAST = timedelta(hours=-12), timedelta(hours=14)
_WESTERN_HALVES = (-570, -210, -150)  # minutes of the only western offsets that are not whole hours
# The expressions read texts in which `marked` has put marks in the place of words
_ANY_MONTH = f"[{mark(1)}-{mark(12)}{mark(FOREIGN + 1)}-{mark(FOREIGN + 12)}]"
_MONTH, _KNOWN_MONTH = f"(?P<month>{_ANY_MONTH})", f"(?P<month>[{mark(1)}-{mark(12)}])"
_WEEKDAY, _FILL = mark(WEEKDAY), mark(FILL)
_HALF = f"[{mark(HALVES)}-{mark(HALVES + 23)}]"
_CLOCK = rf"""(?:(?P<half>{_HALF})\s?)?(?P<hour>2[0-4]|[01]?\d)
    (?:(?P<sign>\s?[:：]\s?|\s?[时時点點시]\s?|\.|\s?h\s?(?![^\W\d]))(?P<minute>[0-5]\d(?!\d)|\d(?=\s?[分분])|半)?
       (?:\s?[分분]\s?(?:(?P<second1>[0-5]?\d)\s?[秒초])?|[:：.](?P<second>[0-5]\d)(?!\d)(?:[.,]\d+)?\s?[秒초]?)?)?
    (?:(?:\s|{_FILL}){{0,5}}(?P<meridiem>{_HALF}))?(?P<after>\s?{_FILL})?
    (?:[\s.]*\(?(?P<zone>(?:UTC|GMT)?\s?[+−-]\d\d?:?\d\d(?!\d)|(?:UTC|GMT)\s?[+−-]\d\d?(?!\d)|[+-]\d\d(?![\d:])
    |Z\b|UTC\b|GMT\b|(?-i:[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?)|[ECMP][SD]T\b|(?-i:"""
_CLOCK += rf"""{_ZONE_NAMES})(?!\w)))?"""
_BETWEEN = rf"(?:[\s,،.|·•()（）\[\]–—-]|T(?=\d)|[日일號号]|{_WEEKDAY}|{_FILL})"  # a day and its time
_TIME = rf"(?:(?P<before>{_BETWEEN}{{0,8}}){_CLOCK})?"
_GAP = rf"(?:[\s.,،/'’()-]|{_FILL})"  # between the parts of a day
_DAY = r"(?P<day>\d\d?)(?:st|nd|rd|th|er|re|[aeº°ª])?"
_FLAGS = re.VERBOSE | re.IGNORECASE | re.ASCII
_SLASHED = rf"""(?<!\d)(?<!\d[-/.])(?P<one>\d\d?)(?P<dash>\s?[./]|-)\s?(?P<two>\d\d?)(?P=dash)\s?(?P<year>\d{{4}}|\d\d)
    (?![\d/]|\.\d|-\d(?!\d?[.:])){_TIME}"""
_NUMERIC = tuple(
    expression(form, _FLAGS)
    for form in (
        # 2024-03-05T08:30:00+08:00 · 2024/3/5 08:30 · 2024年03月05日 08:30, but not within a longer row of numbers
        rf"""(?<!\d)(?<!\d[-/.])(?P<year>\d{{4}})\s?[-/.年년]\s?(?P<month>\d\d?)\s?[-/.月월]\s?(?P<day>\d\d?)
        (?!\d|[-.]\d(?!\d?[:：])){_TIME}""",
        # 05.03.2024 · 13/03/2024 · 3/13/2024 · 25-03-2024 · 05.03.24
        _SLASHED,
    )
)
_NAMED = tuple(
    expression(form, _FLAGS)
    for form in (
        # March 5, 2024 8:30 am · Mar. 5th 2024
        rf"{_KNOWN_MONTH}{_GAP}{{0,5}}{_DAY}{_GAP}{{1,5}}(?P<year>\d{{4}})(?!\d){_TIME}",
        # Tue Mar  5 08:30:00 UTC 2024
        rf"{_KNOWN_MONTH}\s(?P<day>\d\d?),?\s{_CLOCK}(?:\s[A-Z]{{2,5}})?\s(?P<year>\d{{4}})(?!\d)",
        # Tue, 05 Mar 2024 08:30:00 GMT · 5. März 2024 · 5 de marzo de 2024 · 05-Mar-24
        rf"""(?<!\d){_DAY}{_GAP}{{0,8}}{_MONTH}{_GAP}{{0,8}}(?P<year>\d{{4}}|(?<=['’/-])\d\d)
        (?!\d|\s?{_ANY_MONTH}){_TIME}""",
        # 2024. március 5. · 2024 m. kovo 5 d. · 2024. gada 5. marts
        rf"(?<!\d)(?P<year>\d{{4}}){_GAP}{{0,8}}{_MONTH}{_GAP}{{0,8}}{_DAY}(?![\d:])(?!{_GAP}{{1,5}}\d{{4}}){_TIME}",
        rf"""(?<!\d)(?P<year>\d{{4}})[\s.]{{0,2}}{_FILL}[\s.]{{0,2}}(?P<day>\d\d?)[\s.]{{1,2}}{_MONTH}
        (?!{_GAP}{{0,5}}\d{{4}}){_TIME}""",
    )
)
_HAS_MONTH = expression(_ANY_MONTH)
_TIME_BEFORE = expression(rf"(?<![\d:.,/-]){_CLOCK}(?:[\s,·|–-]|{_WEEKDAY}|{_FILL}){{0,6}}$", _FLAGS)
_NO_DATE = expression(r"(?:\b(?:v|ver|version|release|build|isbn|issn|tel|phone|fax)|版本|电话)\W{0,3}$", re.IGNORECASE)
_AFTER_WORD = expression(r"[^\W\d_][\s(]*$")
_ISO = expression(r"\s*\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.+Z-]*)?\s*$", re.ASCII)
_COMPACT = expression(
    r"\s*(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?:T?(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d))?(?P<zone>Z)?\s*$",
    re.ASCII,
)
_EPOCH = expression(r"\s*(\d{10})(?:\d{3})?\s*$", re.ASCII)
_OFFSET = expression(r"(?:UTC|GMT)?([+-])(\d\d?)(?::?(\d\d))?$", re.ASCII)
# Digits of other scripts, and marks of direction, which are dropped
_OTHER_DIGIT = expression("[０-９٠-٩۰-۹०-९০-৯௦-௯๐-๙\u200b-\u200f\u202a-\u202e]")
_IN_ASCII = dict.fromkeys((*range(0x200B, 0x2010), *range(0x202A, 0x202F))) | {
    ord(zero) + value: str(value) for zero in "０٠۰०০௦๐" for value in range(10)
}
_HAN_VALUES = {
    "〇": 0,
    "○": 0,
    "零": 0,
    "两": 2,
    "兩": 2,
    **{digit: n for n, digit in enumerate("一二三四五六七八九", 1)},
}
_HAN_NUMBER = expression(
    rf"(?<![周週期拜])[{''.join(_HAN_VALUES)}十]{{1,4}}(?=\s?[个個]?\s?(?:[年月日号號时時点點分天周週]|小[时時]|星期))"
)
_ERA = expression(r"(民[國国]|令和|平成)\s?(\d{1,3}|元)\s?年")
_ERA_BEGINS = {"民": 1911, "令": 2018, "平": 1988}  # the year before its first
BUDDHIST = 543  # years that the Thai count is ahead
_THAI = expression("[\u0e00-\u0e7f]")
_HAN, _EASTERN = expression("[\u4e00-\u9fff]"), expression("[\u3040-\u30ff\uac00-\ud7af]")
_VIETNAMESE_MONTH = expression(r"\b(?:tháng|thg\.?)\s?(1[0-2]|0?[1-9])(?!\d)", re.IGNORECASE)
_FOUR_DIGITS = expression(r"\d{4}|\d\d[./-]\d\d?[./-]\d\d|\d\d?[./]\d\d?[./]\d\d|['’/-]\d\d", re.ASCII)
# The signs of a date, in expressions that begin with few characters, which `re` finds quickly
_NUMBERS = expression(r"\d(?:\d{3}|[月월/-]\s?\d|\.\s?\d\d?\.)", re.ASCII)
_DIGIT = expression(r"\d")
_HAN_SIGN = expression(r"[天前刚전]")
_HAN_DAY = expression(r"[昨今]日|[〇○零一二三四五六七八九]年")

_COUNTER = expression(r"(?<=[\d半])\s?[个個]\s?")
_BEFORE_NOW = expression(r"[以之]前")
_STEPS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_NOW = expression(r"刚刚\W*$|\bjust now\b", re.IGNORECASE)
_TODAY = HALVES + 24  # the mark of today, before those of the days before
_DAY_WORD = expression(rf"(?P<word>[{mark(_TODAY)}-{mark(_TODAY + 2)}]){_TIME}", _FLAGS)
_LABEL = expression(r"\W*(?:发布|发表|更新|时间|日期|于|posted|published|updated|on|\W)*", re.IGNORECASE)
_YEARLESS = expression(
    rf"(?<![\d年/.-])(?<!年\s)(?P<month>\d\d?)(?:\s?[月월]\s?(?P<day>\d\d?)\s?[日号號일]{_TIME}|[-/](?P<day2>\d\d)\s+(?P<hm>\d\d:\d\d)(?!\d))",
    _FLAGS,
)
_NAMED_YEARLESS = tuple(
    expression(form, _FLAGS)
    for form in (
        rf"(?<!\d){_DAY}{_GAP}{{0,5}}{_KNOWN_MONTH}[.,]?{_TIME}",
        rf"{_KNOWN_MONTH}{_GAP}{{0,5}}{_DAY}(?![\d:]){_TIME}",
    )
)

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
    for found in _candidates(_in_plain_digits(text[:LONGEST]), fetched_at if relative else None, language.lower()):
        if found is not None and is_plausible(found, fetched_at):
            return found
    return None


def find_url_date(url: str, fetched_at: datetime | None = None) -> date | None:
    """Return the day that an address names in full (/2024/03/05/, /20240305/, /2024-03/05/), if it is plausible."""
    for match in _IN_URL.finditer(url):
        parts = match.groupdict()
        month, day = next((parts[f"m{form}"], parts[f"d{form}"]) for form in "12345" if parts[f"m{form}"])
        found = _day(parts["year"], month if month.isdigit() else date_words().month(month), day)
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
    if _NUMBERS.search(text) or "day" in text or "now" in text:
        return True
    if not text.isascii() and (
        _HAN_SIGN.search(text)
        or (("日" in text or "年" in text) and _HAN_DAY.search(text))
        or _OTHER_DIGIT.search(text)
    ):
        return True
    if len(text) > SHORT_LINE and not _DIGIT.search(text):
        return False
    return not date_words().signs.isdisjoint(WORD.findall(fold(text)))


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
    if _FOUR_DIGITS.search(text):
        if _ISO.match(text):
            yield _iso(text.strip())
        if _EPOCH.match(text):
            yield datetime.fromtimestamp(int(text.strip()[:10]), UTC)
            return
        if compact := _COMPACT.match(text):
            yield _with_time(_day(compact["year"], compact["month"], compact["day"]), compact.groupdict(), language)
            return
        yield from _absolute(text, language)
    if fetched_at:
        yield _relative(text, fetched_at, language)


def _marked(text: str, language: str) -> str:
    """Return `text` with marks in the place of words that have a meaning in dates."""
    if "th" in text and not text.isascii():
        text = _VIETNAMESE_MONTH.sub(lambda month: mark(int(month[1])), text)
    return date_words().marked(text, language.partition("-")[0])


def _absolute(text: str, language: str) -> Iterator[date | None]:
    marked = _marked(text, language)
    forms = _NUMERIC + (_NAMED if _HAS_MONTH.search(marked) else ())
    for match in sorted((match for form in forms for match in form.finditer(marked)), key=re.Match.start):
        parts, before = match.groupdict(), marked[: match.start()][-BEFORE:]
        if int(parts["year"]) > LATEST_YEAR and (language[:2] == "th" or _THAI.search(text)):
            parts["year"] = str(int(parts["year"]) - BUDDHIST)
        if "one" in parts:
            parts["day"], parts["month"] = _in_order(parts, before, language)
        day = None if _NO_DATE.search(before) else _day(parts["year"], parts["month"], parts["day"])
        found = _with_time(day, parts, language)
        if not isinstance(found, datetime) and (time := _TIME_BEFORE.search(before)):
            found = _with_time(day, time.groupdict(), language)
        yield found


def _in_order(parts: dict[str, str | None], before: str, language: str) -> tuple[str | None, str | None]:
    """Return day and month of a date in numbers whose year is last; None and None if their order is not known.

    With dots the day is first everywhere. A year of two digits counts after slashes if the language's order is known,
    and after dots in languages that write it so, or where all numbers have two digits and no word is just before them.
    """
    one, two, order = parts["one"] or "", parts["two"] or "", date_words().order(language)
    dots, short = "." in (parts["dash"] or ""), len(parts["year"] or "") == 2
    if (
        short
        and dots
        and not (date_words().dotted(language) or (len(one) == len(two) == 2 and not _AFTER_WORD.search(before)))
    ):
        return None, None
    if short and not dots and (order not in ("dmy", "mdy") or parts["dash"] == "-"):
        return None, None
    if dots or int(one) > 12 or one == two or (order == "dmy" and int(two) <= 12):
        return one, two
    return (two, one) if int(two) > 12 or order == "mdy" else (None, None)


def _iso(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text).replace(microsecond=0)
    except ValueError:
        return None


def _day(year: str | None, month: str | int | None, day: str | None) -> date | None:
    """Return a day; `month`: a number or a mark; a year of two digits is of this century."""
    if isinstance(month, str) and not month.isdigit():
        month = meaning_of(month) % FOREIGN
    try:
        return date(int(year or 0) + 2000 * (len(year or "") == 2), int(month or 0), int(day or 0))
    except ValueError:
        return None


def _with_time(day: date | None, parts: dict[str, str | None], language: str) -> date | None:
    """Return `day` with the time of `parts`; the day alone if there is none or it is not a time."""
    hour = _hour(parts, language) if parts["hour"] else None
    if day is None or hour is None:
        return day
    minute = 30 if parts["minute"] == "半" else int(parts["minute"] or 0)
    second = int(parts["second"] or parts.get("second1") or 0)
    if hour == 24 and (minute or second):
        return day
    moment = datetime(day.year, day.month, day.day, hour % 24, minute, second) + timedelta(days=hour // 24)
    return moment.replace(tzinfo=zone_of(parts["zone"] or "", moment))


def _hour(parts: dict[str, str | None], language: str) -> int | None:
    """Return 0 to 24, or None if the numbers are no time of that day: 5 comments, 14.05 €, 晚上12点."""
    hour, half = int(parts["hour"] or 0), parts.get("half") or parts.get("meridiem")
    sign, filled = (parts.get("sign") or "").strip(), _FILL in (parts.get("before") or "")
    if "sign" not in parts:
        return hour  # 20240305T083015
    if half:
        earliest = meaning_of(half) - HALVES - 6  # of the two hours that the number may mean, the one in that part
        hour = hour if hour > 12 else earliest + (hour - earliest) % 12
        return hour if 0 <= hour <= 23 and (parts["minute"] or sign not in (":", "：", ".")) else None
    if sign in ("", ":", "：") and not (sign and parts["minute"]):
        return None
    written = filled or bool(parts["after"] or parts["zone"])  # um 14.05 · 14.05 Uhr · 14.05 WIB
    if sign == "." and not (parts["minute"] and (written or date_words().pointed(language))):
        return None
    return None if sign == "h" and not (parts["minute"] or filled) else hour


def zone_of(text: str, moment: datetime) -> timezone | None:
    """Return the zone that an abbreviation, an offset or a name of the IANA means: CET, PT, GMT+8, Asia/Shanghai.

    None if it is not known or there is no such zone.
    """
    if "/" in text:
        try:
            offset = ZoneInfo(text).utcoffset(moment.replace(tzinfo=None))
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return None
        return None if offset is None else timezone(offset)
    text = text.upper().replace(" ", "").replace("−", "-")
    if text in _ZONES:
        return timezone(timedelta(hours=_ZONES[text]))
    if text in _AMERICAN_ZONES:
        return timezone(timedelta(hours=_AMERICAN_ZONES[text] + _is_american_summer(moment)))
    if text in ("Z", "UTC", "GMT"):
        return UTC
    written = _OFFSET.match(text)
    if not written:
        return None
    minutes = int(f"{written[1]}1") * (60 * int(written[2]) + int(written[3] or 0))
    exists = minutes % 60 == 0 or minutes in _WESTERN_HALVES or (minutes > 0 and minutes % 15 == 0)
    return timezone(timedelta(minutes=minutes)) if exists and _WEST <= timedelta(minutes=minutes) <= _EAST else None


def _is_american_summer(day: date) -> bool:
    """Whether clocks in the United States are an hour ahead: from the second Sunday of March to November's first."""
    begin, end = date(day.year, 3, 8), date(day.year, 11, 1)
    return begin + timedelta(days=6 - begin.weekday()) <= day_of(day) < end + timedelta(days=6 - end.weekday())


def _relative(text: str, fetched_at: datetime, language: str) -> date | None:
    """Return the time that relative words mean, counted from `fetched_at`; days are those of the words' country."""
    now = fetched_at
    if not text.isascii():
        eastern = language[:2] in ("ja", "ko") or _EASTERN.search(text)
        now = fetched_at.astimezone(JAPAN) if eastern else fetched_at.astimezone(CHINA) if _HAN.search(text) else now
    if ago := _ago(text, now):
        return ago
    if _NOW.search(text):
        return now.replace(second=0, microsecond=0)
    marked = _marked(date_words().days_marked(text, language, _TODAY), language)
    if word := _DAY_WORD.search(marked):
        day = (now - timedelta(days=meaning_of(word["word"]) - _TODAY)).date()
        found = _with_time(day, word.groupdict(), language)
        if isinstance(found, datetime) or _is_alone(marked, word):
            return found
    return _yearless(marked, now, language)


def _ago(text: str, now: datetime) -> date | None:
    """Return the time that a number and the words around it mean: 3 hours ago, vor 3 Stunden."""
    words = date_words()
    text = _BEFORE_NOW.sub("前", _COUNTER.sub("", fold(text)))
    for number in words.count.finditer(text):
        left, right = text[: number.start()][-AROUND_COUNT:].strip(), text[number.end() :][:AROUND_COUNT].strip()
        beginnings = [right[:end] for end in _cuts(right)]
        for begin in _cuts(left):
            for end in beginnings:
                if unit := words.ago.get(f"{left[begin:]}#{end}".replace(".", "").replace(" #", "#")):
                    return _before(
                        now, 0.5 if number[0] == "半" else int(number[0]) if number[0].isdigit() else 1, unit
                    )
    unit = words.ago.get(text.strip(" .…"))
    return _before(now, 2 if unit[0] == "2" else 1, unit[-1]) if unit else None


def _cuts(text: str) -> list[int]:
    """Return the positions in `text` at which a word may begin or end."""
    inside = (before.isalpha() and after.isalpha() and before < "⺀" for before, after in pairwise(text))
    return [0, *(at for at, within in enumerate(inside, 1) if not within), *([len(text)] if text else [])]


def _before(now: datetime, count: float, unit: str) -> date:
    moment = (now - count * _STEPS[unit]).replace(second=0, microsecond=0)
    return moment if unit in "mh" or count < 1 else moment.date()


def _is_alone(text: str, word: re.Match[str]) -> bool:
    """Whether a line consists of a day only: 今天天气 is not a date."""
    return not text[word.end() :].strip(" |·,，") and _LABEL.fullmatch(text, 0, word.start()) is not None


def _yearless(text: str, now: datetime, language: str) -> date | None:
    """Return the last day before `now` that a line names by month and day; by a month's name, if it is alone there."""
    match = _YEARLESS.search(text)
    if not match and _HAS_MONTH.search(text):
        match = next(
            (named for form in _NAMED_YEARLESS if (named := form.search(text)) and _is_alone(text, named)), None
        )
    if not match:
        return None
    parts = match.groupdict()
    if parts.get("hm"):
        (parts["hour"], parts["minute"]), parts["sign"] = parts["hm"].split(":"), ":"
    for year in (now.year, now.year - 1):
        day = _day(str(year), parts["month"], parts["day"] or parts["day2"])
        if day and day <= (now + CLOCK_SKEW).date():
            return _with_time(day, parts, language)
    return None
