"""Lengths of time, as in `forget: 180d`, `keep_pages: 30d` and `revisit: 1d for 3d`, in the syntax of fixed periods."""

import re
from dataclasses import dataclass
from datetime import timedelta

from crawler.task_list.mistakes import BadValueError
from crawler.task_list.periods import Period

FORGET_FORM = "write 180d, or leave it out: then nothing is forgotten"
KEEP_FORM = "write 30d, or leave it out: then no page is kept"
REVISIT_FORM = "write 1d for 3d: every day, for three days"
SHORTEST_AGE = timedelta(days=1)  # a URL that was first seen today is usually still on its list page
MOST_RECHECKS = 1000


@dataclass(frozen=True)
class Age:
    """A length of time, and the text that it was parsed from."""

    text: str
    length: timedelta

    @classmethod
    def parse(cls, value: object) -> "Age | None":
        """Parse text such as `180d`; None stays None. Raises `BadValueError`."""
        return cls._of(value, FORGET_FORM)

    @classmethod
    def parse_kept(cls, value: object) -> "Age | None":
        """Parse the time for which pages are kept, like `parse`."""
        return cls._of(value, KEEP_FORM)

    @classmethod
    def _of(cls, value: object, form: str) -> "Age | None":
        if value is None or isinstance(value, Age):
            return value
        age = cls(str(value), _length(value, form))
        if age.length < SHORTEST_AGE:
            raise BadValueError(f"{value} is shorter than a day", form)
        return age

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Revisit:
    """The rechecks of recent articles: every `every`, until they are older than `during`."""

    text: str
    every: timedelta
    during: timedelta

    @classmethod
    def parse(cls, value: object) -> "Revisit | None":
        """Parse text such as `1d for 3d`; None stays None. Raises `BadValueError`."""
        if value is None or isinstance(value, Revisit):
            return value
        if not isinstance(value, str):
            raise BadValueError("must be text", REVISIT_FORM)
        parts = re.fullmatch(r"\s*(?:every\s+)?(\S.*?)\s+for\s+(\S.*?)\s*", value)
        if not parts:
            raise BadValueError(f"{value!r} does not give an interval and a duration", REVISIT_FORM)
        every, during = (_length(text, REVISIT_FORM) for text in parts.groups())
        if during < every:
            raise BadValueError(
                f"the interval {parts[1]} is longer than the duration {parts[2]}", f"write {parts[2]} for {parts[1]}"
            )
        if during / every > MOST_RECHECKS:
            raise BadValueError(f"more than {MOST_RECHECKS} rechecks of each article", REVISIT_FORM)
        return cls(" ".join(value.split()), every, during)

    def __str__(self) -> str:
        return self.text

    @property
    def seconds(self) -> tuple[float, float]:
        """Return `every` and `during` in seconds."""
        return self.every.total_seconds(), self.during.total_seconds()


def _length(value: object, form: str) -> timedelta:
    try:
        period = Period.parse(value)
    except BadValueError as error:
        raise BadValueError(error.message, error.hint if "unit" in error.message else form) from None
    if period.seconds is None:
        raise BadValueError(f"{value} is not a length of time", form)
    return timedelta(seconds=period.seconds)
