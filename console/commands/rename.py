"""`exemplar rename OLD NEW`: gives a task another name, under which it keeps its ledger."""

from pathlib import Path

import click
import redis

from console.options import complete_tasks, examples, known_ledger, redis_of, tasks_file, tasks_option
from console.terminal import counted, say
from crawler.task_list.edit import renamed_task, replace_text
from crawler.task_list.file import load
from crawler.task_list.mistakes import TaskError
from crawler.task_list.models import Task
from crawler.task_list.publication import DivergentCopy, edition, publish
from workers.addresses import shown
from workers.ledger import ledgers
from workers.task_state.renaming import check_rename, rename_kept_pages, rename_task


@click.command(epilog=examples("exemplar rename kuaibao city-news"))
@click.argument("old", shell_complete=complete_tasks)
@click.argument("new")
@tasks_option
def command(old: str, new: str, tasks: Path | None) -> None:
    """Rename task OLD to NEW, in tasks.yaml and in the ledger: the next run continues where the last one ended.

    If tasks.yaml already has the new name, only the ledger and the kept pages are renamed. Written rows keep the old
    name; tasks.yaml notes it (`formerly`), so that they still count as rows of the task. Stop `exemplar run` first. A
    rename that was interrupted can be repeated.
    """

    file = tasks_file(tasks)
    before = _named(file, old, new)
    task = before or load(file)[new]
    with redis_of(tasks, purpose="rename") as connection:
        has_run = old in ledgers(connection)
        if before is None and not has_run and old not in task.formerly:
            known_ledger(connection, old)  # raises the error that names the nearest task
        counts = None
        outputs = [output.to for output in task.output if "{task}" in output.to] if has_run else []
        if has_run:
            check_rename(connection, old, new)
            counts = known_ledger(connection, old).counts()
        content = renamed_task(file, old, new, has_run=has_run, keeps_outputs=bool(outputs))
        if has_run:
            rename_kept_pages(connection, old, new)
        replace_text(file, content)
        if has_run:
            rename_task(connection, old, new)
        problem = _publish(connection, file)
    urls = counted(counts.seen if counts else 0, "URL")
    say(f"{old} is now {new}: {urls} known" + ("; tasks.yaml was changed" if before else ""))
    if outputs:
        names = ", ".join(shown(output.replace("{task}", old)) for output in outputs)
        say(f"note: the outputs stay where they are: {names}; tasks.yaml names them now")
    if counts and counts.states["written"]:
        say(f"note: rows written before keep the name {old}; later rows have the name {new}")
    if problem:
        say(f"note: the task list in force has the former name: {problem}")


def _publish(connection: redis.Redis, file: Path) -> str:
    """Put the list with the new name in force if one is in force; return why it cannot be, empty if it was."""

    if edition(connection) is None:
        return ""
    try:
        publish(connection, load(file), file)
    except DivergentCopy as error:
        return str(error)
    return ""


def _named(file: Path, old: str, new: str) -> Task | None:
    """Return the task `old` of the file; None if the file already has `new`. Raises `TaskError`."""

    loaded = load(file)
    if old not in loaded.tasks and new in loaded.tasks:
        return None
    if new in loaded.tasks:
        raise TaskError(f"{file} already has a task {new}; give another name")
    return loaded[old]
