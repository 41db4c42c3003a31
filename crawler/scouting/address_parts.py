r"""A URL in parts, for comparison with its siblings: host, segments, dates in any place, query.

    /c/2020-06-10/doc-iabc12.shtml   →   c · ⟨date⟩ · doc-iabc12 .shtml

A date may extend over several segments (`2015/0207`), so it is replaced by one mark before the path is split.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from string import ascii_letters
from typing import Literal
from urllib.parse import urlsplit

from crawler.patterns.syntax import MONTHS
from extractors.html.urls import normalise

MARK = "\ue000"  # replaces a date; no normalised URL contains it
Dates = Literal["all", "folders", "none"]

_MONTH = "|".join(MONTHS)
_YEAR = r"(?P<Y>(?:19|20)\d\d)"
_AFTER = r"(?![0-9])"
_DATES = (
    # 2020/06/10, 2020-6-1, 2015/0207, 202006/10, 20200610, t20200610_12; with month names 2020/jun/10
    re.compile(rf"(?<!\d){_YEAR}(?P<s>[/_-]?)(?P<m>0[1-9]|1[0-2])(?P<t>[/_-]?)(?P<d>0[1-9]|[12]\d|3[01]){_AFTER}"),
    re.compile(rf"(?<!\d){_YEAR}(?P<s>[/_-])(?P<m>1[0-2]|0?[1-9])(?P<t>[/_-])(?P<d>[12]\d|3[01]|0?[1-9]){_AFTER}"),
    re.compile(rf"(?<!\d){_YEAR}(?P<s>[/_-])(?P<b>{_MONTH})(?P<t>[/_-])(?P<d>[12]\d|3[01]|0?[1-9]){_AFTER}", re.I),
)
_FOLDER_DATES = (
    # 2020/06, 2020-06, 202006, 2020, and 20/0610: in a last segment they may be anything
    re.compile(rf"(?<=/){_YEAR}(?P<s>[/_-]?)(?P<m>0[1-9]|1[0-2])(?=/)"),
    re.compile(rf"(?<=/){_YEAR}(?P<s>[/_-])(?P<m>[1-9])(?=/)"),
    re.compile(rf"(?<=/){_YEAR}(?=/)"),
    re.compile(r"(?<=/)(?P<y>[0-3]\d)(?P<s>/)(?P<m>0[1-9]|1[0-2])(?P<t>)(?P<d>0[1-9]|[12]\d|3[01])(?=/)"),
)  # fmt: skip
WORD = re.compile(r"(?:[0-9A-Za-z]|%[0-9A-F]{2})+")
YEAR = re.compile(r"199\d|20\d\d")  # years that a title may contain
_SUFFIX = re.compile(
    r"(?<=[^/])(?:\.[A-Za-z][A-Za-z0-9]{1,5}|/(?:index|default)\.(?:s?html?|php|aspx?))$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class DateForm:
    """The form of a date, leading zeros left open: `codes` are those of year, month and day that it has."""

    codes: tuple[str, ...]
    separators: tuple[str, ...]

    def text(self, raws: Sequence[str]) -> str:
        """Return the form in strptime codes; without leading zeros only if one of the dates in `raws` shows that."""
        loose = any(len(part) == 1 for raw in raws for part in re.split(r"[/_-]", raw))
        codes = [code.replace("%", "%-") if loose and code in ("%m", "%d") else code for code in self.codes]
        return "".join(code + mark for code, mark in zip(codes, (*self.separators, ""), strict=True))


@dataclass(frozen=True, slots=True)
class Address:
    """A URL in parts. `folders` and `stem` have a `MARK` in place of each date; `dates` and `raws` are these dates."""

    url: str
    scheme: str
    host: str  # including its port
    folders: tuple[str, ...]
    stem: str
    suffix: str  # such as .html; /index.html for a folder, empty for a folder without it
    slash: bool  # whether the path ends with /
    query: tuple[tuple[str, str], ...]
    dates: tuple[DateForm, ...]
    raws: tuple[str, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the names of the query's parameters."""
        return tuple(name for name, _ in self.query)

    @property
    def bare_host(self) -> str:
        """Return the host without `www.`."""
        return self.host.removeprefix("www.")


def address_of(url: str, dates: Dates = "all") -> Address:
    """Return a URL in parts; `dates`: recognise dates everywhere, in the folders only, or not at all."""
    url = normalise(url)
    parts = urlsplit(url)
    path = parts.path or "/"
    slash = path.endswith("/")
    suffix = found[0] if not slash and (found := _SUFFIX.search(path)) else ""
    bare = path.removesuffix("/") if slash else path.removesuffix(suffix)
    marked, forms, raws = _mark_dates(bare + "/", dates)
    *folders, stem = marked.removesuffix("/").split("/")[1:] or [""]
    pairs = (pair.partition("=") for pair in parts.query.split("&") if pair)
    query = tuple((name, value) for name, _, value in pairs)
    return Address(url, parts.scheme, parts.netloc, tuple(folders), stem, suffix, slash, query, forms, raws)


def leading_letters(text: str) -> str:
    """Return the ASCII letters at the beginning of a text."""
    return text[: len(text) - len(text.lstrip(ascii_letters))]


def year_in_title(stem: str) -> str | None:
    """Return the year that follows the words of a last segment (`review-2022`), if it has no other number."""
    words = WORD.findall(stem)
    numbers = [word for word in words if word.isdigit()]
    is_one = len(numbers) == 1 < len(words) and YEAR.fullmatch(numbers[0])
    return numbers[0] if is_one else None


def _mark_dates(path: str, where: Dates) -> tuple[str, tuple[DateForm, ...], tuple[str, ...]]:
    """Replace the dates of a path that ends with `/`; the first form that matches at a place counts."""
    if where == "none":
        return path, (), ()
    folders = path.removesuffix("/").rfind("/") + 1
    ends = [(form, len(path) if where == "all" else folders) for form in _DATES]
    taken: list[tuple[int, int, DateForm]] = []
    for form, end in (*ends, *((form, folders) for form in _FOLDER_DATES)):
        for match in form.finditer(path):
            if match.end() > end or any(match.start() < b and a < match.end() for a, b, _ in taken):
                continue
            if _is_day(match.groupdict()) and _fills_segment(match, path):
                taken.append((match.start(), match.end(), _form_of(match)))
    taken.sort(key=lambda place: place[0])
    marked, at = "", 0
    for start, stop, _ in taken:
        marked, at = marked + path[at:start] + MARK, stop
    return marked + path[at:], tuple(form for _, _, form in taken), tuple(path[a:b] for a, b, _ in taken)


def _fills_segment(match: re.Match[str], path: str) -> bool:
    """Return whether a day in a segment of its own fills it: 2020/10/12aa90f7 is not a date."""
    return match.groupdict().get("t") != "/" or path[match.end() : match.end() + 1] in ("/", "")


def _is_day(groups: dict[str, str | None]) -> bool:
    if not groups.get("d"):
        return True
    month = groups.get("m") or str(MONTHS.index((groups.get("b") or "").lower()) + 1)
    try:
        date(int(groups.get("Y") or 2000), int(month), int(groups["d"] or 1))
    except ValueError:
        return False
    return True


def _form_of(match: re.Match[str]) -> DateForm:
    groups = match.groupdict()
    codes = tuple(f"%{name}" for name in ("Y", "y", "m", "b", "d") if groups.get(name))
    separators = tuple(groups[name] or "" for name in ("s", "t") if groups.get(name) is not None)
    return DateForm(codes, separators[: len(codes) - 1])
