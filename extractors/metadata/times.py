"""The times at which an article was published and last changed: the choice among a page's many dates.

Strategy for `published`: JSON-LD, meta elements, marked <time> elements and microdata; then the lines around the title
and before the body; then other <time> elements, labelled lines after the body, and declarations for Baidu; then the
address; then what is marked as an update; last the variables of scripts. The first date counts unless no other place
agrees with it, and either two others agree on another date, which is not that of the last change, or the first is the
last change and the second is earlier. A day without a time is completed by a later place that gives its time. Strategy
for `modified`: the same places if they give the time of an update, without a last resort.

Declared times are often in UTC where the page shows local ones. The reader's day counts: the zone is found from the
time that the page shows.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from itertools import chain, islice
from typing import cast

from ..expressions import expression
from ..page import Page
from . import json_ld
from .dates import day_of, find_date, find_url_date
from .declared_metadata import MODIFIED, PUBLISHED, URL, Head

MAX_TEXT = 200  # characters of a value that are read
MAX_RELATIVE = 40  # characters of a line in which 昨天 or "3 hours ago" is a date
DAYS_OF_LIST = 3  # different days, from which a place is a list of articles
ALONE_WITHIN = 2  # lines after the body, one of which may consist of the time
WEST, EAST = timedelta(hours=-12), timedelta(hours=14)  # all existing zones …
WEST_LIVED, EAST_LIVED = timedelta(hours=-9), timedelta(hours=13)  # … and those of places with newspapers
ZONE_STEP = timedelta(minutes=30)  # nearly all offsets are multiples of it
SHOWN_STEP = timedelta(minutes=1)  # pages show no seconds

_USER = expression(r"\b(?:joined|registered|member since)\s*[:：]|注册(?:时间|日期)", re.IGNORECASE)  # not the article
_UPDATED = expression(r"(?i)(?:更新|修改)(?:于|时间|日期|[:：\s])|编辑于|\b(?:updated|modified|edited|revised)\b")
_PUBLISHED = expression(
    r"(?:发布|发表|刊发)(?:于|时间|日期|[:：\s])|(?:时间|日期)\s*[:：]|\b(?:published|posted)\b", re.IGNORECASE
)
_PUBLICATIONS = ("datePublished", "dateCreated", "datePosted")  # in JSON-LD; the last is that of a job offer
_SCRIPTED = expression(  # a variable of the page's scripts, which write it into the page: WeChat
    r"""(?i)\b(?:var\s|window\.)\s*(?:\w{0,12}(?:create|publish|pub)_?(?:time|date)|ct)\s*=\s*["'](\d{4}[^"'\n]{4,20})["']"""
)
_ALONE = expression(r"\d{4}\S{3,6}\s+\d\d:\d\d(?::\d\d)?$", re.ASCII)


@dataclass(frozen=True, slots=True)
class Nearby:
    """Short lines around the body. `before`: title and body's beginning; `after`: those that follow the body.

    `language`: the page's, as a tag, which decides how its dates are read.
    """

    before: list[str]
    after: list[str]
    language: str = ""


def find_published(head: Head, nearby: Nearby, page: Page, others: Sequence[Set[str]] = ()) -> date | None:
    """Return when the article was published: aware where the page names a zone, else naive, else a date.

    A declared time that all `others` (pages of its section) declare, too, is that of the template if the page shows
    another day.
    """
    found = _find_published(head, nearby, page)
    shared = {text for text in declared_times(head) if ":" in text and others and all(text in each for each in others)}
    if not shared or found is None:
        return found
    meta = {name: values for name, values in head.meta.items() if not shared.intersection(values)}
    article = {name: value for name, value in head.article.items() if shared.isdisjoint(json_ld.texts(value))}
    shown = _find_published(replace(head, meta=meta, article=article), nearby, page)
    return shown if shown and day_of(shown) != day_of(found) else found


def declared_times(head: Head) -> list[str]:
    """Return the times of publication that the page declares in JSON-LD and meta elements, as written."""
    declared = (text for name in _PUBLICATIONS for text in json_ld.texts(head.article.get(name)))
    return [*declared, *head.values(PUBLISHED)]


def _find_published(head: Head, nearby: Nearby, page: Page) -> date | None:
    dates = _published(head, nearby, page)
    first = next(dates, None)
    if first is None:
        return _address_or_update(head, nearby, page)
    first = _as_shown(first, nearby, head, page)
    found = _outvoted(first, dates, head, nearby, page)
    if not isinstance(found, datetime):
        every = chain.from_iterable(
            dates_in(place, nearby, page) for _, place in publication_places(head, nearby, page)
        )
        found = next((other for other in every if isinstance(other, datetime) and other.date() == found), found)
    return _in_zone_of_page(found, nearby, head, page)


def find_modified(head: Head, nearby: Nearby, page: Page) -> date | None:
    """Return when the article was last changed, if the page declares it, in the forms of `find_published`."""
    places = modification_places(head, nearby)
    return next(dates_in(chain.from_iterable(texts for _, texts in places), nearby, page), None)


def in_zone_of(other: date | None, moment: date | None) -> date | None:
    """Return `moment`, if it is in UTC, in the zone of another time of the same page."""
    if not isinstance(other, datetime) or not isinstance(moment, datetime) or moment.utcoffset() != timedelta(0):
        return moment
    return moment.astimezone(other.tzinfo) if other.tzinfo else moment


def _published(head: Head, nearby: Nearby, page: Page) -> Iterator[date]:
    """Yield the date of publication in each place, most reliable first, but after the first none from a list."""
    told = False
    for _, place in publication_places(head, nearby, page):
        dates = list(islice(dates_in(place, nearby, page), DAYS_OF_LIST if told else 1))
        if dates and len(set(map(day_of, dates))) < DAYS_OF_LIST:
            told = True
            yield dates[0]


def publication_places(head: Head, nearby: Nearby, page: Page) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield each place of the page that may have the time of publication, and its texts; most reliable first."""
    article = head.article
    yield "JSON-LD", [text for name in _PUBLICATIONS for text in json_ld.texts(article.get(name))]
    yield "meta elements", head.values(PUBLISHED)
    yield "JSON-LD of the page", json_ld.texts(head.declared_page.get("datePublished"))
    yield "marked <time>", head.published
    items = head.items(page)
    yield "microdata", [*items.get("datepublished", ()), *items.get("datecreated", ())]
    labelled_first = sorted(nearby.before, key=lambda line: _PUBLISHED.search(line) is None)
    yield "lines before the body", map(_published_part, labelled_first)
    yield "<time>", [] if head.products and not article else head.times  # of a product: those of its reviews
    yield "lines after the body", (_published_part(line) for line in nearby.after if _PUBLISHED.search(line))
    yield "pubDate of JSON-LD", json_ld.texts(head.declared_page.get("pubDate"))


def _outvoted(first: date, others: Iterator[date], head: Head, nearby: Nearby, page: Page) -> date:
    """Return `first`, unless two other places agree with each other before one agrees with `first`; then their date.

    Of the dates that agree, one with the readers' time zone is preferred.
    """
    seen = [first]
    for found in others:
        alike = [other for other in seen if _agree(other, found)]
        if alike:
            if first not in alike and _is_update(found, head, nearby, page):
                return first
            timed = [*alike, found] if isinstance(found, datetime) else []
            return next(filter(_has_local_zone, timed), alike[0])
        seen.append(found)
    return _before_stamp(seen, head, nearby, page)


def _before_stamp(seen: list[date], head: Head, nearby: Nearby, page: Page) -> date:
    """Return the first of several dates that all differ; the second if it is earlier, and the first is not before the
    last change: site builders stamp pages with the time of their generation, as publication and as change.
    """
    first, second = (*seen, seen[0])[:2]
    if day_of(second) < day_of(first):
        updated = find_modified(head, nearby, page)
        return second if updated and day_of(updated) <= day_of(first) else first
    return first


def _agree(one: date, other: date) -> bool:
    """Whether two dates are the same moment, or the same clock time of a day; or the same day if one is only a day.

    To the minute: pages do not show seconds. A time without zone may be UTC in another zone, but the same clock time in
    UTC is as often a local time marked as UTC.
    """
    if not isinstance(one, datetime) or not isinstance(other, datetime):
        return _is_day_of(one, day_of(other)) or _is_day_of(other, day_of(one))
    same_clock = abs(one.replace(tzinfo=None) - other.replace(tzinfo=None)) < SHOWN_STEP
    if one.tzinfo and other.tzinfo:
        return same_clock or abs(one - other) < SHOWN_STEP
    aware, naive = (one, other) if one.tzinfo else (other, one)
    return same_clock if aware.utcoffset() != timedelta(0) else _zone_between(aware, naive) is not None


def _is_day_of(found: date, day: date) -> bool:
    in_utc = isinstance(found, datetime) and found.utcoffset() == timedelta(0)
    return day_of(found) == day or (in_utc and _may_be_day(cast(datetime, found), day))


def _has_local_zone(found: date) -> bool:
    return isinstance(found, datetime) and bool(found.utcoffset())


def _is_update(found: date, head: Head, nearby: Nearby, page: Page) -> bool:
    updated = find_modified(head, nearby, page)
    return updated is not None and day_of(updated) == day_of(found)


def modification_places(head: Head, nearby: Nearby) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield each place of the page that may have the time of the last change, and its texts; most reliable first."""
    page = head.declared_page
    yield "JSON-LD", json_ld.texts(head.article.get("dateModified"))
    yield "meta elements", head.values(MODIFIED)
    yield "JSON-LD of the page", json_ld.texts(page.get("dateModified") or page.get("upDate"))
    yield "marked <time>", head.modified
    yield "microdata", (head.microdata or {}).get("datemodified", ())  # not worth a search of its own
    yield "lines around the body", (_updated_part(line) for line in (*nearby.before, *nearby.after))


def dates_in(values: Iterable[str], nearby: Nearby, page: Page) -> Iterator[date]:
    """Yield the dates in the texts of a place, in order.

    Words such as "yesterday" count only in short lines: in longer ones they belong to prose.
    """
    for value in values:
        relative = len(value) <= MAX_RELATIVE
        if found := find_date(value[:MAX_TEXT], page.fetched_at, relative=relative, language=nearby.language):
            yield found


def _published_part(line: str) -> str:
    return _parts(line)[0]


def _updated_part(line: str) -> str:
    return _parts(line)[1]


@lru_cache(maxsize=64)  # the same few lines of a page are read several times
def _parts(line: str) -> tuple[str, str]:
    """Return the part of a line about the publication, and the part about updates."""
    line = _USER.split(line, 1)[0]
    label = _UPDATED.search(line)
    if not label:
        return line, ""
    again = _PUBLISHED.search(line, label.end())
    published = line[: label.start()] + (line[again.start() :] if again else "")
    return published, line[label.end() : again.start() if again else None]


def _address_or_update(head: Head, nearby: Nearby, page: Page) -> date | None:
    """Return the address's day, or what is marked as an update, with its time if it is of that day.

    A time alone below the body counts before one in a script, which counts last.
    """
    address, updated = address_day(head, page), find_modified(head, nearby, page)
    if address:
        return updated if updated and day_of(updated) == address else address
    alone, scripted = filter(_ALONE.match, nearby.after[:ALONE_WITHIN]), _SCRIPTED.findall(page.html)
    return updated or next(dates_in((*alone, *sorted(scripted, key=str.isdigit)), nearby, page), None)


def address_day(head: Head, page: Page) -> date | None:
    """Return the day that one of the page's addresses names."""
    addresses = dict.fromkeys(filter(None, (page.url, head.canonical, head.first(URL))))
    return next((day for address in addresses if (day := find_url_date(address, page.fetched_at))), None)


def _in_zone_of_page(found: date, nearby: Nearby, head: Head, page: Page) -> date:
    """Return a time in UTC as the page shows it: in its zone where a time is shown, as a day where the address has one.

    The same moment, but on the reader's day: 2024-03-06T03:00Z is March 5 on a page that shows "March 5, 2024 10 pm".
    """
    if not isinstance(found, datetime) or found.utcoffset() != timedelta(0):
        return found
    shown = list(dates_in(map(_published_part, nearby.before), nearby, page))
    for other in shown:
        if isinstance(other, datetime) and (zone := _zone_between(found, other)):
            return found.astimezone(zone)
    days = (address_day(head, page), next((day_of(other) for other in shown), None))
    return next((day for day in days if day and _may_be_day(found, day)), found)


def _as_shown(found: date, nearby: Nearby, head: Head, page: Page) -> date:
    """Return a time as the page shows it if both differ by exactly the zone's offset; then the declared one is wrong.

    23:56:46+08:00 beside a shown 07:56:46 is a time in UTC that was marked as local: the moment is 07:56:46+08:00.
    """
    if not isinstance(found, datetime) or not (offset := found.utcoffset()):
        return found
    shown = chain(map(_published_part, nearby.before), head.published, head.times)
    for other in dates_in(shown, nearby, page):
        if isinstance(other, datetime):
            clock = other.replace(tzinfo=None)
            for moment in (found + offset, found - offset):
                if abs(moment.replace(tzinfo=None) - clock) < SHOWN_STEP:
                    return moment
    return found


def _zone_between(moment: datetime, shown: datetime) -> timezone | None:
    """Return the zone in which `moment` (UTC) has the clock time `shown`; None for UTC itself or if there is none."""
    offset = shown.replace(tzinfo=None) - moment.replace(tzinfo=None)
    offset += -offset % ZONE_STEP if -offset % ZONE_STEP < SHOWN_STEP else timedelta()
    return timezone(offset) if offset and not offset % ZONE_STEP and WEST <= offset <= EAST else None


def _may_be_day(moment: datetime, day: date) -> bool:
    """Whether `day` is not the day of `moment` (UTC), but is its day somewhere on Earth."""
    return day != moment.date() and (moment + WEST_LIVED).date() <= day <= (moment + EAST_LIVED).date()
