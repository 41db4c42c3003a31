"""Texts on the terminal: results on standard output, messages on standard error, in the user's language."""

import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

import click

from console.locale import in_language, word
from console.locale import noun as noun_of
from crawler.logs import json_line, log_message, logs_json, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDTH = 140  # characters of a table, if standard output is not a terminal


def say(text: str) -> None:
    """Print a message on standard error, in the user's language: standard output is for results.

    It becomes a line of the log, in English, if this process logs JSON.
    """
    if logs_json():
        log_message(text)
    else:
        say_data(in_language(text))


def show(text: str) -> None:
    """Print a line or lines for a person on standard output, in the user's language."""
    show_data(in_language(text))


def say_data(text: str) -> None:
    """Print text on standard error that must not be translated, such as titles of pages."""
    click.echo(printable(text), err=True)


def show_data(text: str) -> None:
    """Print text on standard output that must not be translated, such as titles of pages."""
    click.echo(printable(text))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: 1 task, 2 tasks."""
    if (measured := noun_of(noun)) is not None:
        return f"{number} {measured}"
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def tallied(counts: Mapping[str, int]) -> str:
    """Return the numbers of several kinds in one line: 5 same, 2 changed."""
    return word(", ").join(f"{number} {noun_of(kind) or kind}" for kind, number in counts.items())


def heading(title: str, width: int = 10) -> str:
    """Return a heading in the user's language, padded to a number of columns of a terminal."""
    text = word(title)
    return text + " " * (width - columns_of(text))


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text has: two for a Chinese character."""
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)


def plain_table(texts: Iterable[str], numbers: Iterable[str], *, folded: str = "") -> "Table":
    """Return an empty table without borders, with columns of texts and of numbers; `folded`: that of long names."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in texts:
        is_folded = title == folded
        table.add_column(word(title), overflow="fold" if is_folded else "ellipsis", no_wrap=not is_folded)
    for title in numbers:
        table.add_column(word(title), justify="right", no_wrap=True)
    return table


def wide_console() -> "Console":
    """Return the console of rich for tables: as wide as the terminal, else `WIDTH` characters."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else WIDTH)


def moment(seconds: float) -> str:
    """Return a time (Unix seconds) in ISO 8601, UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def local_time(moment: str) -> str:
    """Return a time in ISO 8601 as month, day and time of this machine's zone."""
    return datetime.fromisoformat(moment).astimezone().strftime("%m-%d %H:%M:%S")


def print_json(value: Any) -> None:
    """Print a value as one line of JSON and flush it; control characters are escaped."""
    sys.stdout.write(json_line(value) + "\n")
    sys.stdout.flush()
