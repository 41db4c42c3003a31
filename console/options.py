"""Options and arguments that several commands have."""

from pathlib import Path
from typing import Any

import click

from console.completion import complete_tasks
from crawler.logs import LOG_FORMAT, LOG_FORMS, start_logging


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


RUNS = 32  # runs that a crawl worker has at a time, by default

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


def log_to_stderr(verbose: bool = False, form: str | None = None) -> None:
    """Log to standard error; `form`: that of the option `--log-format` (`crawler.logs`)."""
    start_logging(verbose, form)
