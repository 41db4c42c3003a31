"""`exemplar check`: validates tasks.yaml. Reads the file only; nothing is fetched."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from console.options import counted, examples, json_option, print_json, say, show, tasks_argument

if TYPE_CHECKING:
    from crawler.task_list.models import Task


@click.command(epilog=examples("exemplar check", "exemplar check sections/tasks.yaml --json"))
@tasks_argument
@json_option
def command(tasks: Path | None, as_json: bool) -> None:
    """Check a task list: show every mistake with line and column, or what each task does."""
    from crawler.session import contact_of
    from crawler.task_list.file import load
    from crawler.task_list.mistakes import TaskFileError
    from crawler.task_list.publication import environment_problems

    file = tasks or Path("tasks.yaml")
    try:
        loaded = load(file)
    except TaskFileError as error:
        if not as_json:
            raise
        print_json({"ok": False, "mistakes": [vars(mistake) | {"text": str(mistake)} for mistake in error.mistakes]})
        raise click.exceptions.Exit(2) from None
    warnings = environment_problems(loaded.tasks)
    if not contact_of(loaded.settings):
        warnings.append("settings.contact is not set: public sites are not crawled until it is")
    rows = [_row(task) for task in loaded.tasks.values()]
    if as_json:
        print_json({"ok": True, "tasks": rows, "warnings": warnings})
        return
    for row in rows:
        show(f"{row['task']}: every {row['every']}{'  (paused)' if row['paused'] else ''}")
        show(f"  articles  {row['pattern']}")
        show(f"  lists     {', '.join(row['start'])}{'' if row['start_named'] else '  (derived; first that works)'}")
        show(f"  output    {', '.join(row['output'])}")
    for warning in warnings:
        say(f"note: {warning}")
    show(f"{file}: {counted(len(rows), 'task')}, no mistakes")


def _row(task: "Task") -> dict[str, Any]:
    from datetime import UTC, datetime

    named = task.start_urls(datetime.now(UTC).date())
    return {
        "task": task.name,
        "example": task.example,
        "pattern": str(task.pattern),
        "every": str(task.every),
        "paused": task.paused,
        "start": named or task.pattern.prefixes(),
        "start_named": bool(named),
        "output": list(task.outputs()),
    }
