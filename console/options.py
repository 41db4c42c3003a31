"""Options and helpers that several commands share."""

import json
import logging
import sys
from pathlib import Path
from typing import Any

import click

TASKS = click.Path(dir_okay=True, path_type=Path)
tasks_argument = click.argument("tasks", type=TASKS, required=False, metavar="[TASKS.YAML]")
tasks_option = click.option("--tasks", type=TASKS, help="The task list.  [default: tasks.yaml here]")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
verbose_option = click.option("-v", "--verbose", is_flag=True, help="Log every step.")


def tasks_file(named: Path | None) -> Path:
    """Return the task list; its folder has the state. A named one must exist, else an empty state would be created."""
    if named is not None and not named.exists():
        raise click.UsageError(f"{named}: no such file")
    return named or Path("tasks.yaml")


def examples(*lines: str) -> str:
    """Return the epilog that shows how a command is called."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def say(text: str) -> None:
    """Print a message on standard error: standard output is for results."""
    click.echo(text, err=True)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: 1 task, 2 tasks."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def print_json(value: Any) -> None:
    """Print a value as one line of JSON and flush it."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, default=str) + "\n")
    sys.stdout.flush()


def log_to_stderr(verbose: bool = False) -> None:
    """Log warnings and errors to standard error as plain lines; with `verbose` everything."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.DEBUG if verbose else logging.WARNING)
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    logging.getLogger().addHandler(handler)
