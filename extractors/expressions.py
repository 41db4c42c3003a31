"""Regular expressions that are compiled when they are first used.

The expressions on words and dates are long: compiling all of them takes a sixth of the time until the first
extractor of a process is ready, and most pages need only some.
"""

import re
from collections.abc import Iterable
from typing import Any, cast

NESTED = 20  # parts within each other that are left out


def expression(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return the expression that `re.compile` would return, compiled at its first use."""
    return cast("re.Pattern[str]", _Expression(text, flags))


def closed(opening: str, closing: str) -> re.Pattern[str]:
    """Return the expression of an opening and all up to the next closing, or up to the end: see `without`."""
    return expression(rf"{opening}.*?(?:{closing}|(\Z))", re.DOTALL | re.IGNORECASE)


def without(text: str, parts: Iterable[re.Pattern[str]]) -> str:
    """Return `text` without its `closed` parts, one kind after the other; what is never closed stays.

    Linear: the first part that is never closed reaches to the end, so that no further one is searched for.
    """
    for part in parts:
        text = part.sub(lambda found: found[0] if found.lastindex else "", text)
    return text


def without_nested(text: str, part: re.Pattern[str]) -> str:
    """Return `text` without a part, and without those that arise when parts within them are gone, `NESTED` times."""
    for _ in range(NESTED):
        text, count = part.subn("", text)
        if not count:
            break
    return text


class _Expression:
    """Stands for a compiled expression, and keeps its attributes once they were used, so that they cost no more."""

    def __init__(self, text: str, flags: int):
        self._source = text, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._source), name)
        setattr(self, name, value)
        return value
