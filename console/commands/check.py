"""`exemplar check`: validates tasks.yaml and tries its outputs. No row is written."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from console.options import examples, json_option, redis_of, tasks_argument
from console.output_checks import TriedOutput, emptied_outputs, outputs_to_try, try_outputs
from console.terminal import counted, print_json, say, show
from crawler.notifying import target_problem
from crawler.task_list.file import load
from crawler.task_list.identity import contact_of
from crawler.task_list.mistakes import TaskFileError
from crawler.task_list.models import TaskFile
from crawler.task_list.publication import environment_problems
from workers.addresses import has_secret, shown
from workers.errors import ExemplarError
from workers.state_folder import state_folder

EXIT_INVALID, EXIT_UNAVAILABLE = 2, 3


@click.command(
    epilog=examples("exemplar check", "exemplar check sections/tasks.yaml --json", "exemplar check --no-outputs")
)
@tasks_argument
@click.option("--no-outputs", is_flag=True, help="Read the file only; do not try the outputs.")
@json_option
def command(tasks: Path | None, no_outputs: bool, as_json: bool) -> None:
    """Check a task list: show every mistake with line and column.

    If the file has no mistake, each output of a task that is not paused is tried: it is opened or connected to, a
    missing file, table or folder is created, and no row is written. No site is contacted.

    Exit codes: 0 no mistakes, 2 a mistake in the file or an output whose configuration is invalid, 3 an output that is
    unavailable.
    """
    file = tasks or Path("tasks.yaml")
    try:
        loaded = load(file)
    except TaskFileError as error:
        if not as_json:
            raise
        print_json({"ok": False, "mistakes": [vars(mistake) | {"text": str(mistake)} for mistake in error.mistakes]})
        raise click.exceptions.Exit(2) from None
    emptied = [] if no_outputs else _emptied(file, loaded)  # before outputs are tried, which creates missing files
    tried = [] if no_outputs else try_outputs(outputs_to_try(loaded))
    failed = [result for result in tried if result.outcome != "ok"]
    notices = notice_problems(loaded)
    warnings = _warnings(loaded, tried) + emptied + notices
    if as_json:
        print_json(
            {
                "ok": not failed,
                "tasks": [*loaded.tasks],
                "outputs": [_output_row(r) for r in tried],
                "warnings": warnings,
            }
        )
    else:
        for warning in warnings:
            say(f"note: {warning}")
        for result in failed:
            say(f"{result.outcome}: {result.of.name}: {result.problem}")
        outputs = f", {counted(len(tried), 'output')} tried" if tried else ""
        faults = f", {len(failed)} of them failed" if failed else ""
        show(f"{file}: {counted(len(loaded.tasks), 'task')}, no mistakes{outputs}{faults}")
    if failed:
        is_invalid = any(result.outcome == "invalid" for result in failed)
        raise click.exceptions.Exit(EXIT_INVALID if is_invalid else EXIT_UNAVAILABLE)


def notice_problems(tasks: TaskFile) -> list[str]:
    """Return a warning for each address of notices that apprise does not accept; nothing is sent."""
    first = {address: task.name for task in reversed(tasks.tasks.values()) for address in task.notify}
    problems = {address: target_problem(address) for address in first}
    return [f"task {name}: notify: {problems[address]}" for address, name in first.items() if problems[address]]


def _emptied(file: Path, tasks: TaskFile) -> list[str]:
    """Return a warning for each output that has lost its rows; none if Redis is unavailable or was never used."""
    if "REDIS_URL" not in os.environ and not state_folder(file.absolute().parent).exists():
        return []
    try:
        with redis_of(file, purpose="check") as connection:
            return emptied_outputs(tasks, connection)
    except ExemplarError as error:
        return [f"whether outputs have lost rows is unknown: {error}"]


def _warnings(tasks: TaskFile, tried: Sequence[TriedOutput]) -> list[str]:
    """Return warnings about valid settings that are probably not intended."""
    failures = "\n".join(result.problem for result in tried if result.outcome == "invalid")
    warnings = [text for text in environment_problems(tasks.tasks) if text.partition(": ")[2] not in failures]
    literal = {output: task.name for task in tasks.tasks.values() for output in task.outputs() if has_secret(output)}
    warnings += [
        f"task {name}: output {shown(output)} contains a password, token or key; write ${{NAME}} in its place, and set "
        "the environment variable NAME"
        for output, name in literal.items()
    ]
    if not contact_of(tasks.settings):
        warnings.append("settings.contact is not set: public sites are not crawled until it is")
    return warnings


def _output_row(result: TriedOutput) -> dict[str, Any]:
    output = {"output": shown(result.of.output), "tasks": list(result.of.tasks)}
    return output | {"outcome": result.outcome, "problem": result.problem}
