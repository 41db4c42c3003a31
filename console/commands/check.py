"""`exemplar check`: validates tasks.yaml and tries its outputs. Nothing is fetched from sites, no row is written."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from console.options import counted, examples, json_option, print_json, say, show, tasks_argument

if TYPE_CHECKING:
    from console.output_checks import TriedOutput
    from crawler.task_list.models import Task, TaskFile

EXIT_INVALID, EXIT_UNAVAILABLE = 2, 3


@click.command(
    epilog=examples("exemplar check", "exemplar check sections/tasks.yaml --json", "exemplar check --no-outputs")
)
@tasks_argument
@click.option("--no-outputs", is_flag=True, help="Read the file only; do not try the outputs.")
@json_option
def command(tasks: Path | None, no_outputs: bool, as_json: bool) -> None:
    """Check a task list: show every mistake with line and column, or what each task does.

    If the file has no mistake, each output of a task that is not paused is tried: it is opened or connected to, a
    missing file, table or folder is created, and no row is written.

    Exit codes: 0 all is well, 2 a mistake in the file or an output that can't work as written, 3 an output that is
    unavailable.
    """
    from crawler.task_list.file import load
    from crawler.task_list.mistakes import TaskFileError

    file = tasks or Path("tasks.yaml")
    try:
        loaded = load(file)
    except TaskFileError as error:
        if not as_json:
            raise
        print_json({"ok": False, "mistakes": [vars(mistake) | {"text": str(mistake)} for mistake in error.mistakes]})
        raise click.exceptions.Exit(2) from None
    tried = [] if no_outputs else _tried(loaded)
    failed = [result for result in tried if result.outcome in ("invalid", "unavailable")]
    warnings = _warnings(loaded, tried)
    rows = [_row(task) for task in loaded.tasks.values()]
    if as_json:
        print_json({"ok": not failed, "tasks": rows, "outputs": [_output_row(r) for r in tried], "warnings": warnings})
    else:
        _print_rows(rows)
        for warning in warnings:
            say(f"note: {warning}")
        for result in failed:
            say(f"{result.outcome}: {result.of.name}: {result.problem}")
        outputs = f", {counted(len(tried), 'output')} tried" if tried else ""
        faults = f", {len(failed)} of them {'fails' if len(failed) == 1 else 'fail'}" if failed else ""
        show(f"{file}: {counted(len(rows), 'task')}, no mistakes{outputs}{faults}")
    if failed:
        is_invalid = any(result.outcome == "invalid" for result in failed)
        raise click.exceptions.Exit(EXIT_INVALID if is_invalid else EXIT_UNAVAILABLE)


def _tried(tasks: "TaskFile") -> "list[TriedOutput]":
    from console.output_checks import outputs_to_try, try_outputs

    return try_outputs(outputs_to_try(tasks))


def _warnings(tasks: "TaskFile", tried: "Sequence[TriedOutput]") -> list[str]:
    """Return what is not a mistake, but probably not meant either."""
    from crawler.session import contact_of
    from crawler.task_list.publication import environment_problems
    from workers.addresses import has_secret, shown

    failures = "\n".join(result.problem for result in tried if result.outcome == "invalid")
    warnings = [text for text in environment_problems(tasks.tasks) if text.partition(": ")[2] not in failures]
    literal = {output: task.name for task in tasks.tasks.values() for output in task.outputs() if has_secret(output)}
    warnings += [
        f"task {name}: output {shown(output)} contains a password, token or key; write ${{NAME}} in its place, and set "
        "the environment variable NAME"
        for output, name in literal.items()
    ]
    warnings += [f"{result.of.name}: {result.problem}" for result in tried if result.outcome == "not tried"]
    if not contact_of(tasks.settings):
        warnings.append("settings.contact is not set: public sites are not crawled until it is")
    return warnings


def _print_rows(rows: Sequence[dict[str, Any]]) -> None:
    for row in rows:
        show(f"{row['task']}: every {row['every']}{'  (paused)' if row['paused'] else ''}")
        show(f"  articles  {row['pattern']}")
        show(f"  lists     {', '.join(row['start'])}{'' if row['start_named'] else '  (derived; first that works)'}")
        show(f"  output    {', '.join(row['output'])}")


def _output_row(result: "TriedOutput") -> dict[str, Any]:
    from workers.addresses import shown

    output = {"output": shown(result.of.output), "tasks": list(result.of.tasks)}
    return output | {"outcome": result.outcome, "problem": result.problem}


def _row(task: "Task") -> dict[str, Any]:
    from datetime import UTC, datetime

    from workers.addresses import shown

    named = task.start_urls(datetime.now(UTC).date())
    return {
        "task": task.name,
        "example": task.example,
        "pattern": str(task.pattern),
        "every": str(task.every),
        "paused": task.paused,
        "start": named or task.pattern.prefixes(),
        "start_named": bool(named),
        "output": [shown(output) for output in task.outputs()],
    }
