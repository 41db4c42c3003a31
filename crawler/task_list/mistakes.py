"""What can be wrong with a task list, said so that a person can put it right at once."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

NEAR = 0.6  # difflib's similarity from which a suggestion helps more than it misleads


class TaskError(ValueError):
    """A task that can't be run as it is written. Nothing of it has been started."""


@dataclass(frozen=True, order=True)
class Mistake:
    """One mistake in a file. Lines and columns count from 1; `key_path` is `tasks.news.start[1]` or a column's name."""

    file: str
    line: int
    column: int
    key_path: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}: "
        subject = f"{self.key_path}: " if self.key_path else ""
        return where + subject + self.message + (f"; {self.hint}" if self.hint else "")


class TaskFileError(TaskError):
    """A file with mistakes: all of them, in the order of the file."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes: list[Mistake] = sorted(set(mistakes))
        super().__init__("\n".join(map(str, self.mistakes)))


class BadValueError(ValueError):
    """A value that can't be used, before it is known where it stands.

    `offset` counts characters inside the value's text; `inner` are the keys below the value that the fault is at.
    """

    def __init__(self, message: str, hint: str = "", offset: int = 0, inner: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.message, self.hint, self.offset, self.inner = message, hint, offset, inner


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the word of `known` that `word` was probably meant to be, or None if none is near."""
    by_lower = {each.lower(): each for each in known}
    close = difflib.get_close_matches(word.strip().lower(), by_lower, 1, cutoff=NEAR)
    return by_lower[close[0]] if close else None


def suggest(word: str, known: Sequence[str]) -> str:
    """Return a hint: the nearest known word, or all of them."""
    near = nearest(word, known)
    return f"did you mean {near!r}?" if near else f"known are {', '.join(known)}"


def show(value: object, length: int = 60) -> str:
    """Return `value` as a person wrote it, cut to `length` characters."""
    if value is None:
        text = "nothing"
    elif isinstance(value, bool):
        text = "true" if value else "false"
    else:
        text = "a map" if isinstance(value, dict) else "a list" if isinstance(value, list) else repr(value)
    return text if len(text) <= length else text[: length - 1] + "…"
