"""Options and helpers that several commands share."""

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

import click

from console.completion import complete_tasks
from console.locale import in_language, word
from console.locale import noun as noun_of
from crawler.logs import LOG_FORMAT, LOG_FORMS, log_message, logs_json, start_logging
from crawler.printing import json_line
from crawler.printing import printable as printable


class _Day(click.DateTime):
    """A day as 2024-12-31; the error message shows this form."""

    def __init__(self) -> None:
        super().__init__(["%Y-%m-%d"])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As in click."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is not a day; write it as 2024-12-31", param, ctx)


DAY = _Day()
TASKS = click.Path(dir_okay=True, path_type=Path)
task_argument = click.argument("task", shell_complete=complete_tasks)
tasks_argument = click.argument("tasks", type=TASKS, required=False, metavar="[TASKS.YAML]")
tasks_option = click.option("--tasks", type=TASKS, help="The task list.  [default: tasks.yaml here]")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
verbose_option = click.option("-v", "--verbose", is_flag=True, help="Log every step.")
log_format_option = click.option(
    "--log-format",
    type=click.Choice(LOG_FORMS),
    envvar=LOG_FORMAT,
    help="Format of the log on standard error: text, or one JSON object per line.",
)

exit_option = click.option(
    "--exit-when-redis-is-away",
    "exits",
    is_flag=True,
    help="End with exit code 3 when Redis is unavailable for some seconds, instead of waiting for it.",
)


def tasks_file(named: Path | None) -> Path:
    """Return the task list, whose folder has the state. A named one must exist, so that no empty state is created."""
    if named is not None and not named.exists():
        raise click.UsageError(f"{named}: no such file")
    return named or Path("tasks.yaml")


def refuse_task_name(file: Path, command: str) -> None:
    """Raise `click.UsageError` if the path of a task list is the name of a task in tasks.yaml of the present folder."""
    if file.suffix or file.exists() or not Path("tasks.yaml").is_file():
        return
    from crawler.task_list.yaml_source import read

    data = read(Path("tasks.yaml")).data
    tasks = data.get("tasks") if isinstance(data, dict) else None
    if isinstance(tasks, dict) and str(file) in tasks:
        raise click.UsageError(
            f"{file} is a task, and `exemplar {command}` takes a task list; exemplar run {file} runs the task"
        )


def examples(*lines: str) -> str:
    """Return the epilog that shows how a command is called."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


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


RUNS = 32  # runs that a crawl worker has at a time, by default


def log_to_stderr(verbose: bool = False, form: str | None = None) -> None:
    """Log to standard error; `form`: that of the option `--log-format` (`crawler.logs`)."""
    start_logging(verbose, form)
