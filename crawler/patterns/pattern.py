r"""URL patterns: which URLs belong to a task, in a notation simpler than regular expressions.

    {date:%Y/%m%d}  a date in strptime codes (%-m: without leading zero)   {id}   digits
    {n:1..50}       a bounded number, {n:01..50} with leading zeros        {slug} one readable word of a path segment
    *  anything within a path segment    **  across segments    […]  optional    \  before a special character
    re:…  a regular expression (RE2) over the whole URL; groups named year, month, day and id are read

URLs are matched in their normal form (`extractors.html.urls.normalise`), http and https alike. If all parts can be
enumerated (dates and bounded numbers), the pattern also generates its URLs.

The engine is RE2, so matching takes linear time in the URL's length for any pattern.
"""

import calendar
import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from typing import Any
from urllib.parse import urljoin

import re2

from crawler.patterns import syntax as syntax
from crawler.patterns.syntax import Field, Literal, Maybe, Node, PatternError
from extractors.html.urls import normalise

__all__ = ["Match", "Pattern", "PatternError"]

UNENUMERABLE = frozenset({"id", "slug", "*", "**"})
DAY_CODES = frozenset({"%d", "%-d"})
MONTH_CODES = frozenset({"%m", "%-m", "%b"})
SURELY_COMPILED = 200  # characters of a pattern up to which its expression is never too large for RE2
_REPEATED_SLASHES = re.compile(r"(?<!:)/{2,}")
_FOLDERS = re.compile(r"(https?://[^/]+/)([^?]*/)?")
REGEX_GROUPS = {"year": "%Y", "month": "%-m", "day": "%-d", "id": "id"}


@dataclass(frozen=True)
class Match:
    """The values that a pattern reads from a URL.

    `url` is the normal form, as far as it matches. `span` has the first and the last day of the date: the same day
    for `{date:%Y-%m-%d}`, a month for `{date:%Y/%m}`; None without a year. Several `{id}` are in the order of the URL.
    """

    url: str
    span: tuple[dt.date, dt.date] | None = None
    ids: tuple[str, ...] = ()

    @property
    def date(self) -> dt.date | None:
        """The day in the URL; None if it has no date, or only a month or a year."""
        return self.span[0] if self.span and self.span[0] == self.span[1] else None

    @property
    def recency(self) -> tuple[dt.date, tuple[tuple[int, str], ...]]:
        """A sort key: a greater key is probably newer (by date, then by the values of the ids)."""
        significant = [id_.lstrip("0") for id_ in self.ids]
        return (self.span[1] if self.span else dt.date.min, tuple((len(digits), digits) for digits in significant))


@dataclass(frozen=True)
class Pattern:
    """A compiled URL pattern, made by `Pattern.parse`. Two patterns are equal if text and base are equal."""

    text: str
    base: str | None = None
    scheme: str = field(default="http", compare=False, repr=False)
    nodes: tuple[Node, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def parse(cls, text: str, base: str | None = None) -> "Pattern":
        """Return the pattern that `text` describes; one that starts with `/` is on the host of `base` (a URL).

        Raises `PatternError` with the offset of the mistake in `text`.
        """
        if text == "re:":
            raise PatternError("no expression after re:", len(text), "write a regular expression for the whole URL")
        pattern = cls(text, base) if text.startswith("re:") else cls(text, base, *syntax.parse(text, base))
        if pattern.is_regex or len(text) > SURELY_COMPILED:
            assert pattern._compiled is not None  # compiled now, since it may be invalid
        return pattern

    @cached_property
    def _compiled(self) -> Any:
        return _compile(self.regex, shift=len("re:") if self.is_regex else 0)

    def __str__(self) -> str:
        return self.text

    @property
    def is_regex(self) -> bool:
        """Whether the pattern was written as `re:…`."""
        return self.text.startswith("re:")

    @property
    def regex(self) -> str:
        """The regular expression (RE2 syntax) that a URL in its normal form must match as a whole."""
        return self.text.removeprefix("re:") if self.is_regex else "https?://" + _regex_of(self.nodes)

    def match(self, url: str) -> Match | None:
        """Return the values that the pattern reads from `url`, or None if `url` does not match.

        A date that is not in the calendar, contradictory dates and a number out of bounds do not match. A query that
        the pattern does not have (`?from=home`) and repeated slashes are left out if a date or an id names the page.
        """
        url = normalise(url)
        if self.is_regex:
            matched = self._compiled.fullmatch(url) or self._compiled.fullmatch(other_scheme(url))
            return _regex_match(url, matched.groupdict()) if matched else None
        if match := self._match_whole(url):
            return match
        plain = _REPEATED_SLASHES.sub("/", url.partition("?")[0])
        match = self._match_whole(plain) if plain != url and "?" not in self.text else None
        return match if match and (match.ids or match.span) else None

    def _match_whole(self, url: str) -> Match | None:
        if not url.partition("://")[2].startswith(_literal_start(self.nodes)):
            return None  # most links: no expression is compiled for them
        matched = self._compiled.fullmatch(url)
        return _field_match(url, self._fields, matched.groups()) if matched else None

    def difference(self, url: str) -> str | None:
        """Return one sentence on the first difference of `url` from the pattern; None if it matches as a whole."""
        url = normalise(url)
        if (match := self.match(url)) and match.url == url:
            return None
        return f"{url} does not match the regular expression" if self.is_regex else _difference(self.nodes, url)

    @cached_property
    def enumerable(self) -> bool:
        """Whether `enumerate` can generate the URLs: outside of […] there are only text, dates and bounded numbers."""
        return not self.is_regex and _can_enumerate(self.nodes)

    def enumerate(self, since: date, until: date) -> Iterator[str]:
        """Yield the URLs of the days from `until` back to `since` (both included), newest first, none twice.

        Numbers are in the order written (`{n:1..50}` or `{n:50..1}`). Optional parts are generated in both forms, the
        longer first; one that contains an `{id}`, `{slug}` or `*` is left out. Without a date each URL comes once.
        The pattern must be `enumerable`.
        """
        seen: set[str] = set()
        for day in _days(self.nodes, since, until):
            for rest in _expand(self.nodes, day):
                url = normalise(f"{self.scheme}://{rest}")
                if url not in seen:
                    seen.add(url)
                    yield url

    def prefixes(self) -> list[str]:
        """Return the folders above the first part that varies, the deepest first, the site's root last.

        `http://h/a/b/{id}.html` gives `http://h/a/b/`, `http://h/a/`, `http://h/`. A host that varies, or cannot be
        determined, is that of `base`.
        """
        start = _regex_start(self.regex) if self.is_regex else f"{self.scheme}://" + _literal_start(self.nodes)
        if self.base and not _FOLDERS.match(start):
            texts = (node.text for node in self.nodes if isinstance(node, Literal) and "/" in node.text)
            start = urljoin(self.base, "/" + next(texts, "/").partition("/")[2])
        start_parts = _FOLDERS.match(start)
        if not start_parts:
            return []
        segments = (start_parts[2] or "").split("/")[:-1]
        return [
            start_parts[1] + "".join(f"{segment}/" for segment in segments[:n]) for n in range(len(segments), -1, -1)
        ]

    @cached_property
    def _fields(self) -> tuple[Field, ...]:
        return tuple(_fields_of(self.nodes))


def _compile(regex: str, shift: int = 0) -> Any:
    """Compile `regex` with RE2. `shift`: its offset in the pattern's text. Raises `PatternError`."""
    options = re2.Options()
    options.log_errors = False
    options.never_nl = True
    try:
        return re2.compile(regex, options)
    except re2.error as error:
        problem = error.args[0].decode("utf-8", "replace") if error.args else "unusable"
        _, _, fragment = problem.partition(": ")
        at = regex.rfind(fragment) if fragment and fragment != regex else 0
        hint = "RE2 has no look-around and no back-references" if "(?" in fragment or "\\" in fragment else ""
        raise PatternError(f"not a regular expression: {problem}", shift + max(at, 0), hint) from None


def _regex_of(nodes: Sequence[Node]) -> str:
    return "".join(map(_regex_of_node, nodes))


def _regex_of_node(node: Node) -> str:
    match node:
        case Literal():
            return str(re2.escape(node.text))
        case Field():
            return f"({node.regex})"
        case Maybe():
            return f"(?:{_regex_of(node.parts)})?"


def _fields_of(nodes: Sequence[Node]) -> Iterator[Field]:
    for node in nodes:
        if isinstance(node, Field):
            yield node
        elif isinstance(node, Maybe):
            yield from _fields_of(node.parts)


# Reading a URL


def _field_match(url: str, fields: Sequence[Field], texts: Sequence[str | None]) -> Match | None:
    read = [(field, text) for field, text in zip(fields, texts, strict=True) if text is not None]
    if any(field.numbers and not field.numbers.matches(text) for field, text in read):
        return None
    return _match(url, [(field.kind, text) for field, text in read])


def _regex_match(url: str, groups: Mapping[str, str | None]) -> Match | None:
    read = [(REGEX_GROUPS[name], text) for name, text in groups.items() if name in REGEX_GROUPS and text]
    digits = all(text.isascii() and text.isdigit() for kind, text in read if kind != "id")
    return _match(url, read) if digits else Match(url)


def _match(url: str, read: Sequence[tuple[str, str]]) -> Match | None:
    parts = _date_parts([(kind, text) for kind, text in read if kind.startswith("%")])
    if parts is None:
        return None
    try:
        span = _span(parts)
    except ValueError:  # 30 February
        return None
    return Match(url, span, tuple(text for kind, text in read if kind == "id"))


def _date_parts(read: Sequence[tuple[str, str]]) -> dict[str, int] | None:
    """Return those of year, month and day that are present; None if two of them contradict each other."""
    parts: dict[str, int] = {}
    for code, text in read:
        name, value = _date_part(code, text)
        if parts.setdefault(name, value) != value:
            return None
    return parts


def _date_part(code: str, text: str) -> tuple[str, int]:
    match code.replace("-", ""):
        case "%y":
            return "year", int(text) + (2000 if int(text) < 69 else 1900)  # the rule of POSIX and strptime
        case "%b":
            return "month", 1 + syntax.MONTHS.index(text.lower())
        case plain:
            return {"%Y": "year", "%m": "month", "%d": "day"}[plain], int(text)


def _span(parts: Mapping[str, int]) -> tuple[date, date] | None:
    """Return the first and last day that `parts` allow. Raises `ValueError` for a day outside the calendar."""
    year, month, day = parts.get("year"), parts.get("month"), parts.get("day")
    if year is None:
        date(2000, month or 1, day or 1)  # any leap year: 30 February is invalid in all
        return None
    if month is None:
        return date(year, 1, 1), date(year, 12, 31)
    if day is None:
        return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])
    return date(year, month, day), date(year, month, day)


def other_origins(url: str) -> tuple[str, str, str]:
    """Return a URL with the other scheme, with or without `www.`, and both: nearly always the same page."""
    scheme, _, rest = url.partition("://")
    bare = rest.removeprefix("www.")
    other = f"{scheme}://{bare if bare != rest else 'www.' + rest}"
    return other_scheme(url), other, other_scheme(other)


def other_scheme(url: str) -> str:
    """Return a URL with https instead of http, or the reverse."""
    return "https" + url.removeprefix("http") if url.startswith("http:") else "http" + url.removeprefix("https")


# The first difference of a URL from a pattern


def _difference(nodes: Sequence[Node], url: str) -> str:
    for count in range(len(nodes), -1, -1):
        compiled = _compile("(https?://" + _regex_of(nodes[:count]) + ")")
        if fits := compiled.match(url):
            return _difference_at(nodes, count, fits.end(1), url)
    return f"invalid URL {url}"


def _difference_at(nodes: Sequence[Node], count: int, end: int, url: str) -> str:
    """Describe the difference after the URL's first `end` characters, which match the first `count` nodes."""
    if count == len(nodes):
        rest = url[end:]
        return (
            f"the URL continues with {rest!r} where the pattern ends" if rest else "the date or number is out of range"
        )
    node = nodes[count]
    if isinstance(node, Literal):
        same = next((i for i, (a, b) in enumerate(zip(node.text, url[end:], strict=False)) if a != b), None)
        same = min(len(node.text), len(url) - end) if same is None else same
        expected, end = repr(node.text[same : same + 40]), end + same
    else:
        expected = f"{node.source} ({node.expected})" if isinstance(node, Field) else node.source
    rest = repr(url[end : end + 40]) if url[end:] else "nothing more"
    return f"after {url[:end]!r} the pattern has {expected}, the URL has {rest}"


# Generating URLs


def _can_enumerate(nodes: Sequence[Node]) -> bool:
    return not any(isinstance(node, Field) and node.kind in UNENUMERABLE for node in nodes)


def _days(nodes: Sequence[Node], since: date, until: date) -> Iterator[date]:
    """Yield days, newest first, each at most once for the precision of the pattern's date."""
    kinds = {field.kind for field in _fields_of(nodes) if field.kind.startswith("%")}
    for days in range((until - since).days + 1):
        day = until - timedelta(days=days)
        tomorrow = day + timedelta(days=1) if days else None
        if not kinds and days:
            return
        if tomorrow and not kinds & DAY_CODES and (tomorrow.year, tomorrow.month) == (day.year, day.month):
            continue
        if tomorrow and not kinds & (DAY_CODES | MONTH_CODES) and tomorrow.year == day.year:
            continue
        yield day


def _expand(nodes: Sequence[Node], day: date) -> Iterator[str]:
    if not nodes:
        yield ""
        return
    for tail_first in _spellings(nodes[0], day):
        for rest in _expand(nodes[1:], day):
            yield tail_first + rest


def _spellings(node: Node, day: date) -> Iterator[str]:
    match node:
        case Literal():
            yield node.text
        case Maybe():
            if _can_enumerate(node.parts):
                yield from _expand(node.parts, day)
            yield ""
        case Field(numbers=syntax.NumberRange() as numbers):
            step = 1 if numbers.first <= numbers.last else -1
            yield from map(numbers.format, range(numbers.first, numbers.last + step, step))
        case Field():
            yield _spell_date(node.kind, day)


def _spell_date(code: str, day: date) -> str:
    """Return `day` by one strptime code; not by strftime, which spells months in the machine's language."""
    if code == "%b":
        return syntax.MONTHS[day.month - 1]
    value = {"Y": day.year, "y": day.year % 100, "m": day.month, "d": day.day}[code[-1]]
    return str(value) if "-" in code else f"{value:02d}"


# Where the literal part ends


def _literal_start(nodes: Sequence[Node]) -> str:
    return nodes[0].text if nodes and isinstance(nodes[0], Literal) else ""


def _regex_start(regex: str) -> str:
    """Return a text with which every match of `regex` begins; empty if it cannot be determined easily."""
    if "|" in regex.replace("\\|", ""):
        return ""
    rest = re.sub(r"^\^?https\?", "http", regex.removeprefix("^"))
    literal = re.match(r"(?:[A-Za-z0-9/:_~%=&,!@-]|\\[^A-Za-z0-9])*", rest)
    text = literal[0] if literal else ""
    if rest[len(text) : len(text) + 1] in ("?", "*", "{"):  # the character before these signs varies
        text = re.sub(r"(?:\\.|.)$", "", text)
    return re.sub(r"\\(.)", r"\1", text)
