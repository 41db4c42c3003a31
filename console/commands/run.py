"""`exemplar run`: all parts of the system on this machine."""

import os
from collections.abc import Sequence
from pathlib import Path

import click

from console.options import (
    complete_tasks,
    examples,
    exit_option,
    logging_options,
    redis_url_of,
    runs_option,
    tasks_option,
)
from console.terminal import counted, say
from crawler.task_list.file import load
from crawler.task_list.identity import contact_of
from crawler.task_list.models import TaskFile
from workers.addresses import shown
from workers.processes import stop_by_signal
from workers.sinks.kinds import scheme_of


@click.command(
    epilog=examples(
        "exemplar run",
        "exemplar run --once",
        "exemplar run kuaibao hexo --once",
        "exemplar run news/tasks.yaml --workers 4",
        "exemplar run --once --json | tail -1",
    )
)
@click.argument("names", nargs=-1, metavar="[TASKS.YAML] [TASK]…", shell_complete=complete_tasks)
@tasks_option
@click.option("--once", is_flag=True, help="Run every task once, wait until all is written, then stop.")
@click.option(
    "--workers", type=click.IntRange(min=1), help="Extraction processes.  [default: one per processor, at most 4]"
)
@runs_option("--runs")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines instead of text.")
@exit_option
@logging_options
def command(
    names: tuple[str, ...], tasks: Path | None, once: bool, workers: int | None, runs: int, as_json: bool, exits: bool
) -> None:
    """Schedule, crawl, extract and write, for the tasks of TASKS.YAML (default: tasks.yaml here), or only for TASKs.

    Uses the Redis of REDIS_URL, or starts an embedded one in .exemplar/ beside the file. Ctrl-C stops the run; nothing
    is lost. Progress is shown as lines of text; --json prints JSON lines, of which the last one is the accounting. A
    new task starts at once.
    """
    from console.progress import JsonLines, TextLines
    from console.runner import Runner

    file, loaded, chosen = _chosen(names, tasks)
    if not contact_of(loaded.settings):
        say("note: settings.contact is not set: public sites are not crawled until it is")
    count = workers or min(4, os.cpu_count() or 2)
    progress = JsonLines() if as_json else TextLines()
    with redis_url_of(file.parent, purpose="run") as url:
        runner = Runner(
            url, file, workers=count, runs=runs, only=chosen or None, on_event=progress.event, exits_without_redis=exits
        )
        stop_by_signal(runner.stop)
        named = ", ".join(chosen) if chosen else counted(len(loaded.tasks), "task")
        if once:
            say(f"{named} of {file}; each that is not paused runs once")
        else:
            say(f"{named} of {file}; they run on schedule; press Ctrl-C to stop")
        accounting = runner.run(once=once, on_look=progress.look)
        progress.end(accounting, _outputs(loaded, chosen))
    if accounting.gave_up or (once and not accounting.ok):
        raise click.exceptions.Exit(1)


def _chosen(names: Sequence[str], tasks: Path | None) -> tuple[Path, TaskFile, list[str]]:
    """Return the task list, its content, and the tasks that are named. Raises `TaskError` and `click.UsageError`."""

    files = [name for name in names if Path(name).suffix in (".yaml", ".yml") or os.sep in name]
    if len(files) + (tasks is not None) > 1:
        raise click.UsageError("several task lists are given; give only one, and the names of its tasks")
    file = (tasks or Path(files[0] if files else "tasks.yaml")).absolute()
    chosen = list(dict.fromkeys(name for name in names if name not in files))
    loaded = load(file)
    if not loaded.tasks:
        raise click.UsageError(f"{file} has no tasks; add one, or see `exemplar init`")
    paused = [name for name in chosen if loaded[name].paused]
    if paused:
        raise click.UsageError(f"task {paused[0]} is paused; remove `paused: true` to run it")
    return file, loaded, chosen


def _outputs(loaded: TaskFile, chosen: Sequence[str]) -> list[str]:
    """Return the outputs of the tasks without secrets; paths are relative to the working directory."""

    outputs = dict.fromkeys(output for name in chosen or loaded.tasks for output in loaded[name].outputs())
    return [shown(output) if scheme_of(output) else os.path.relpath(loaded.folder / output) for output in outputs]
