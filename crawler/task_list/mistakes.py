"""Mistakes in a task list, with messages that name the place and a correction."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

NEAR = 0.6  # difflib's ratio; suggestions of less similar words mislead more often than they help


class TaskError(ValueError):
    """A task that cannot be run as written, or an unknown one. Nothing was started."""


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
    """A file with mistakes: `mistakes` has all of them, in the order of the file."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes: list[Mistake] = sorted(set(mistakes))
        super().__init__("\n".join(map(str, self.mistakes)))


class BadValueError(ValueError):
    """An invalid value, raised by code that has no information on its place in the file.

    `offset` counts characters within the value's text; `inner` is the path below the value to the wrong part.
    """

    def __init__(self, message: str, hint: str = "", offset: int = 0, inner: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.message, self.hint, self.offset, self.inner = message, hint, offset, inner


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the word of `known` that is most similar to `word`, or None if none is similar enough."""
    by_lower = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.strip().lower(), by_lower, 1, cutoff=NEAR)
    return by_lower[close[0]] if close else None


def suggest(word: str, known: Sequence[str]) -> str:
    """Return a hint: the nearest known word, or a list of all."""
    near = nearest(word, known)
    return f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"


def unknown_task(name: str, known: Sequence[str]) -> TaskError:
    """Return the error for a name that no task has."""
    return TaskError(f"unknown task {name!r}; {suggest(name, known) if known else 'the list is empty'}")


def show(value: object, length: int = 60) -> str:
    """Return `value` in its written form, truncated to `length` characters."""
    if value is None:
        text = "no value"
    elif isinstance(value, bool):
        text = "true" if value else "false"
    else:
        text = "a map" if isinstance(value, dict) else "a list" if isinstance(value, list) else repr(value)
    return text if len(text) <= length else text[: length - 1] + "…"
