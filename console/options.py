"""Options and arguments that several commands have, and what they name: a task list, its Redis, the ledger of a task.

The shell completes names of tasks: this reads tasks.yaml and opens no connection.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from console.terminal import say
from crawler.logs import LOG_FORMAT, LOG_FORMS, start_logging
from crawler.task_list.mistakes import BadValueError, TaskError, suggest
from workers.state_folder import state_folder

if TYPE_CHECKING:
    import redis

    from workers.ledger import Ledger


def task_names(file: Path) -> list[str]:
    """Return the names of the tasks in a task list, which may have mistakes; none if it is unreadable."""
    from crawler.task_list.yaml_source import read

    data = read(file).data
    tasks = data.get("tasks") if isinstance(data, dict) else None
    return [str(name) for name in tasks] if isinstance(tasks, dict) else []


def complete_tasks(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a task of the task list that the command names, or of tasks.yaml in the present folder."""
    names = task_names(context.params.get("tasks") or Path("tasks.yaml"))
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _known_method(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    from extractors.registry import METHODS

    if name is not None and name not in METHODS:
        raise TaskError(f"unknown method {name!r}; {suggest(name, [*METHODS])}")
    return name


RUNS = 32  # runs that a crawl worker has at a time, by default

DAY = click.DateTime(["%Y-%m-%d"])
TASKS = click.Path(dir_okay=True, path_type=Path)
task_argument = click.argument("task", shell_complete=complete_tasks)
tasks_argument = click.argument("tasks", type=TASKS, required=False, metavar="[TASKS.YAML]")
tasks_option = click.option("--tasks", type=TASKS, help="The task list.  [default: tasks.yaml here]")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
method_option = click.option(
    "--method", metavar="NAME", callback=_known_method, help="Use this method instead of the task's."
)
exit_option = click.option(
    "--exit-when-redis-is-away",
    "exits",
    is_flag=True,
    help="End with exit code 3 when Redis is unavailable for some seconds, instead of waiting for it.",
)


def runs_option(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the option for the number of runs at a time, under the given names."""
    help_text = "Number of tasks that run at the same time."
    return click.option(*names, type=click.IntRange(min=1), default=RUNS, show_default=True, help=help_text)


def logging_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--verbose` and `--log-format` to a command, whose log starts before it."""

    @click.option("-v", "--verbose", is_flag=True, help="Log every step.")
    @click.option(
        "--log-format",
        type=click.Choice(LOG_FORMS),
        envvar=LOG_FORMAT,
        help="Format of the log on standard error: text, or one JSON object per line.",
    )
    @wraps(command)
    def with_log(*, verbose: bool, log_format: str | None, **others: Any) -> None:
        start_logging(verbose, log_format)
        command(**others)

    return with_log


def explaining_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--report` and `--explain` to a command."""
    report = click.option(
        "--report",
        type=click.Path(path_type=Path),
        metavar="FILE.html",
        help="Also write a page that shows why each line was kept or left out.",
    )
    explain = click.option("--explain", "explained", is_flag=True, help="Print a short explanation here.")
    return report(explain(command))


def check_explaining(path: Path | None, explained: bool, as_json: bool) -> None:
    """Raise `click.UsageError` if the options exclude each other or no report can be written, before any fetch."""
    if explained and as_json:
        raise click.UsageError("--explain prints text after the result and cannot be combined with JSON; use --report")
    if path is not None:
        check_file("--report", path)
        if path.suffix.lower() not in (".html", ".htm"):
            raise click.UsageError(f"--report: {path}: the file name of a report must end in .html")


def check_file(option: str, path: Path) -> None:
    """Raise `click.UsageError` if no file can be written at the path that an option names."""
    if path.is_dir():
        raise click.UsageError(f"{option}: {path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise click.UsageError(f"{option}: {path} cannot be written: no folder {path.parent}")


def tasks_file(named: Path | None) -> Path:
    """Return the task list, whose folder has the state. A named one must exist, so that no empty state is created."""
    if named is not None and not named.exists():
        raise click.UsageError(f"{named}: no such file")
    return named or Path("tasks.yaml")


def examples(*lines: str) -> str:
    """Return the epilog that shows how a command is called."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def check_value(option: str, value: str | None, check: Callable[[str], object]) -> None:
    """Raise `click.UsageError` that names the option if its value is invalid; None is not checked."""
    try:
        if value is not None:
            check(value)
    except BadValueError as error:
        raise click.UsageError(f"{option}: {error}") from None


def redis_url_of(folder: Path | None, *, purpose: str) -> AbstractContextManager[str]:
    """Yield the address of the Redis of a task list in a folder (default: here): `REDIS_URL`, or the embedded one."""
    from workers.redis_access.embedded import redis_for

    return redis_for(state_folder(folder), purpose=purpose, say=say)


@contextmanager
def redis_of(tasks: Path | None, *, purpose: str) -> "Iterator[redis.Redis]":
    """Connect to the Redis of a task file."""
    from workers.redis_access.connection import connect

    with redis_url_of(tasks_file(tasks).absolute().parent, purpose=purpose) as url:
        yield connect(url)


@contextmanager
def ledger_of(task: str, tasks: Path | None, *, purpose: str) -> "Iterator[Ledger]":
    """Connect to the Redis of a task file and yield the task's ledger. Raises `TaskError` if the task never ran."""
    with redis_of(tasks, purpose=purpose) as connection:
        yield known_ledger(connection, task)


def known_ledger(connection: "redis.Redis", task: str) -> "Ledger":
    """Return the ledger of a task. Raises `TaskError` if the task never ran."""
    from crawler.task_list.publication import published_names
    from workers.ledger import Ledger, ledgers

    if task not in (known := ledgers(connection)):
        if task in published_names(connection):
            raise TaskError(f"no run of task {task!r} has found a URL; exemplar try {task} shows its links")
        hint = suggest(task, known) if known else "no task has run yet"
        raise TaskError(f"unknown task {task!r}; {hint}")
    return Ledger(connection, task)
