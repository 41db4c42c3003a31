"""Times in feeds, sitemaps and headers: RFC 822, ISO 8601 and W3C-DTF, and common deviations from them."""

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

from extractors.metadata.dates import EARLIEST_YEAR, LATEST_YEAR, find_date, zone_of

LONGEST = 100  # characters
_MONTH_OR_YEAR = re.compile(r"(\d{4})(?:-(\d\d))?$", re.ASCII)
_WRITTEN_ZONE = re.compile(  # RFC 822 has +0800; JavaScript writes GMT+0800 (CST), others +8:00 or GMT+8
    r"(?<=:\d\d) ?(?:GMT|UTC?)? ?([+-])(\d\d?)(?::?(\d\d))?(?: \([^()]*\))?$", re.ASCII
)
_HALF_OF_DAY = re.compile(r"\d ?[ap]\.?m\b", re.IGNORECASE)
_NAMED_ZONE = re.compile(r"(?:\d ?(?![AP]M$)([A-Z]{2,5}|[A-Z][A-Za-z]+/[\w/+-]+)|:\d\d ?([+-]\d\d?))$", re.ASCII)


def moment_of(text: str | None) -> datetime | None:
    """Return the time in `text`, aware (UTC if it has no zone; a day is its midnight); None if there is none.

    A time in a zone of unknown name counts as none, and so do years in which no article can have been published.
    """
    text = (text or "").strip()
    if not text or len(text) > LONGEST:
        return None
    for read in (datetime.fromisoformat, _mail, _month_or_year, _loose):
        try:
            moment = read(text)
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
        if moment is not None:
            return _aware(moment, text)
    return None


def header_time(text: str) -> datetime | None:
    """Return the time of an HTTP header, aware; None if it is not a date. One without a zone is in UTC (RFC 9110)."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _mail(text: str) -> datetime | None:
    if _HALF_OF_DAY.search(text):
        return None  # the library would read 8:30 pm as 8:30
    return parsedate_to_datetime(_WRITTEN_ZONE.sub(lambda zone: f" {zone[1]}{zone[2]:0>2}{zone[3] or '00'}", text))


def _month_or_year(text: str) -> date | None:
    match = _MONTH_OR_YEAR.match(text)
    return date(int(match[1]), int(match[2] or 1), 1) if match else None


def _loose(text: str) -> date | None:
    return find_date(text, relative=False)


def _aware(day: date, text: str) -> datetime | None:
    moment = day if isinstance(day, datetime) else datetime(day.year, day.month, day.day, tzinfo=UTC)
    if moment.tzinfo is None:
        named = _NAMED_ZONE.search(text)
        zone = zone_of(named[1] or named[2], moment) if named else UTC
        if zone is None:
            return None
        moment = moment.replace(tzinfo=zone)
    try:
        moment = moment.astimezone(UTC)
    except OverflowError:
        return None
    return moment if EARLIEST_YEAR <= moment.year <= LATEST_YEAR else None
