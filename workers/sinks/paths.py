"""Paths of outputs with placeholders, such as `out/{date:%Y/%m}/news.jsonl`.

The root of a path is the folder before its first component with a placeholder. The path of a row is always below the
root, for any content of the row and even if folders below the root are symbolic links.

`{date}` is the day on which the page was fetched, in UTC: a row that is delivered again belongs to the same file.
`{published}` is the day of the article as the row has it; without one, that of `{date}`.
"""

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, date, datetime
from glob import escape
from hashlib import sha256
from pathlib import Path, PurePosixPath

from workers.errors import OutputError, SinkUnavailable
from workers.rows import Row

from .kinds import Target

DIRECTIVES: Mapping[str, int] = {"Y": 4, "y": 2, "m": 2, "d": 2, "j": 3, "G": 4, "V": 2}  # of `{date:…}`, with digits
_DEFAULT_DATE = "%Y-%m-%d"
_PLACEHOLDER = re.compile(r"\{(\w+)(?::([^{}]*))?\}")
PLACEHOLDER_BEGINS = re.compile(r"\{\w+[:}]")  # the format of a date may contain separators
_NO_DAY = date(1970, 1, 1)  # the day of a row without a time


class PathOutside(OutputError, SinkUnavailable):
    """A row's path is outside its root because of a symbolic link: a person has to change that; the page is kept."""


class PathPattern:
    """The path of an output.

    `names`: the placeholders that it may contain besides `{date}` and `{published}`. Raises `OutputError` if it is
    invalid.
    """

    def __init__(self, path: str, folder: Path, *, names: Collection[str] = (), label: str = ""):
        self.text = str(folder / Path(path).expanduser())
        self.label = label or path
        self.placeholders = frozenset(match[1] for match in _PLACEHOLDER.finditer(self.text))
        self.is_fixed = not self.placeholders
        self._known = {*names, *DAYS}
        parts = Path(self.text).parts
        first = next((number for number, part in enumerate(parts) if PLACEHOLDER_BEGINS.search(part)), len(parts))
        self.root = Path(*parts[:first]) if not self.is_fixed else Path(self.text).parent
        self.below = str(PurePosixPath(*parts[first:])) if not self.is_fixed else Path(self.text).name
        if not self.is_fixed:
            self._check()

    def hidden(self, name: str) -> Path:
        """Return the path of an auxiliary file, in a hidden folder of the root that each pattern has for itself."""
        return self.root / f".output-{sha256(self.below.encode()).hexdigest()[:8]}" / name

    def path_of(self, row: Row, values: Mapping[str, str] | None = None) -> Path:
        """Return the path of a row. `values`: those of the other placeholders, without separators.

        Raises `PathOutside`.
        """
        if self.is_fixed:
            return Path(self.text)
        days = {name: day(row) for name, day in DAYS.items()}
        filled = _PLACEHOLDER.sub(
            lambda match: (
                days[match[1]].strftime(match[2] or _DEFAULT_DATE) if match[1] in days else (values or {})[match[1]]
            ),
            self.below,
        )
        if any(part in ("", ".", "..") for part in filled.split("/")):
            raise PathOutside(f"output {self.label}: {filled} is not a path below {self.root}")
        path = self.root / filled
        self.check_inside(path)
        return path

    def check_inside(self, path: Path) -> None:
        """Raise `PathOutside` if a symbolic link leads a path out of the root."""
        root = os.path.realpath(self.root)
        real = os.path.realpath(path)
        if os.path.commonpath([root, real]) != root:
            raise PathOutside(
                f"output {self.label}: {path} leads to {real} outside {self.root}; "
                f"remove the symbolic link, or name the folder that it leads to as output"
            )

    def existing(self) -> Iterator[Path]:
        """Yield the files that rows may have been written to, in any order. Only for paths with dates."""
        yield from (path for path in self.root.glob(self._glob()) if path.is_file())

    def glob(self) -> str:
        """Return a pattern of `glob` that matches all paths of rows."""
        return escape(self.text) if self.is_fixed else f"{escape(str(self.root))}/{self._glob()}"

    def _glob(self) -> str:
        """Return the pattern with a glob for each date, with as many digits as the date has."""
        result, at = "", 0
        for match in _PLACEHOLDER.finditer(self.below):
            pieces = re.split(r"%(.)", match[2] or _DEFAULT_DATE)
            digits = [
                "[0-9]" * DIRECTIVES[piece] if number % 2 else escape(piece) for number, piece in enumerate(pieces)
            ]
            result += escape(self.below[at : match.start()]) + "".join(digits)
            at = match.end()
        return result + escape(self.below[at:])

    def _check(self) -> None:
        known = ", ".join(f"{{{name}}}" for name in ("task", *sorted(self._known)))
        for match in _PLACEHOLDER.finditer(self.text):
            if match[1] not in self._known or (match[2] and match[1] not in DAYS):
                raise OutputError(f"output {self.label}: unknown placeholder {match[0]}; known: {known}")
            _check_directives(match, self.label)
        if not {"", ".", ".."}.isdisjoint(_PLACEHOLDER.sub(lambda match: match[2] or "x", self.below).split("/")):
            raise OutputError(
                f"output {self.label}: a path cannot have . or .. after a placeholder; write the folder without them"
            )


def pattern_of(target: Target, *, names: Collection[str] = ()) -> PathPattern:
    """Return the path of an output; for the arguments see `PathPattern`. Raises `OutputError` if it is invalid."""
    check_task(target.task)
    return PathPattern(target.address, target.folder, names=names, label=target.label)


def check_task(task: str) -> None:
    """Raise `OutputError` if a task's name, which may be part of a path, cannot be part of a file name."""
    if "/" in task or "\0" in task or task.startswith("."):
        raise OutputError(f"task {task!r}: the name cannot be part of a path; rename it")


def day_of(row: Row) -> date:
    """Return the day in UTC on which the row's page was fetched; 1970-01-01 if it has no such time."""
    try:
        moment = datetime.fromisoformat(row["fetched_at"])
        return (moment if moment.tzinfo is None else moment.astimezone(UTC)).date()
    except (KeyError, TypeError, ValueError, OverflowError):
        return _NO_DAY


def _published_day(row: Row) -> date:
    """Return the day of publication as the row has it, in the zone of its time; `day_of` if it has none."""
    try:
        day = date.fromisoformat(row["published"][:10])
    except (KeyError, TypeError, ValueError):
        return day_of(row)
    return day if day.year >= 1000 else day_of(row)  # strftime writes fewer than four digits for earlier years


DAYS: Mapping[str, Callable[[Row], date]] = {"date": day_of, "published": _published_day}


def _check_directives(placeholder: "re.Match[str]", label: str) -> None:
    letters = re.findall(r"%(.?)", placeholder[2] or "")
    unknown: Collection[str] = [letter for letter in letters if letter not in DIRECTIVES]
    if unknown:
        known = " ".join(f"%{letter}" for letter in DIRECTIVES)
        raise OutputError(f"output {label}: {placeholder[0]} may contain only {known}, and characters of file names")
