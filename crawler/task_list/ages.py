"""How long things count: `forget: 180d`, and `revisit: 1d for 3d`. Lengths are written as fixed periods are."""

import re
from dataclasses import dataclass
from datetime import timedelta

from crawler.task_list.mistakes import BadValueError
from crawler.task_list.periods import Period

FORGET_FORM = "write 180d, or leave it out: then nothing is forgotten"
REVISIT_FORM = "write 1d for 3d: every day, for three days"
SHORTEST_MEMORY = timedelta(days=1)  # what was seen today is on the lists still
MOST_VISITS = 1000


@dataclass(frozen=True)
class Age:
    """A length of time, and how it was written."""

    text: str
    length: timedelta

    @classmethod
    def parse(cls, value: object) -> "Age | None":
        """Return the age that `value` names. Raises `BadValueError`."""
        if value is None or isinstance(value, Age):
            return value
        found = cls(str(value), _length(value, FORGET_FORM))
        if found.length < SHORTEST_MEMORY:
            raise BadValueError(f"{value} is shorter than a day", FORGET_FORM)
        return found

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Revisit:
    """Young articles are looked at again: `every` so often, as long as they are younger than `during`."""

    text: str
    every: timedelta
    during: timedelta

    @classmethod
    def parse(cls, value: object) -> "Revisit | None":
        """Return what `value` names: `1d for 3d`. Raises `BadValueError`."""
        if value is None or isinstance(value, Revisit):
            return value
        if not isinstance(value, str):
            raise BadValueError("wants text", REVISIT_FORM)
        found = re.fullmatch(r"\s*(?:every\s+)?(\S.*?)\s+for\s+(\S.*?)\s*", value)
        if not found:
            raise BadValueError(f"{value!r} does not say how often and how long", REVISIT_FORM)
        every, during = (_length(text, REVISIT_FORM) for text in found.groups())
        if during < every:
            raise BadValueError(f"no visit falls within {found[2]}", f"write {found[2]} for {found[1]}")
        if during / every > MOST_VISITS:
            raise BadValueError(f"more than {MOST_VISITS} visits to each article", REVISIT_FORM)
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
