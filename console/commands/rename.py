"""`exemplar rename OLD NEW`: gives a task another name, under which it keeps its ledger."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from console.completion import complete_tasks
from console.known_task import known_ledger, servers_of
from console.options import counted, examples, json_option, print_json, say, tasks_file, tasks_option

if TYPE_CHECKING:
    from crawler.task_list.models import Task
    from workers.redis_access.servers import RedisServer, RedisServers


@click.command(epilog=examples("exemplar rename kuaibao city-news", "exemplar rename kuaibao city-news --json"))
@click.argument("old", shell_complete=complete_tasks)
@click.argument("new")
@tasks_option
@json_option
def command(old: str, new: str, tasks: Path | None, as_json: bool) -> None:
    """Rename task OLD to NEW, in tasks.yaml and in the ledger: the next run continues where the last one ended.

    If tasks.yaml already has the new name, only the ledger and the kept pages are renamed. Written rows keep the old
    name, and a file named after the task keeps its name; later rows have the new name. Stop `exemplar run` first.
    """
    from crawler.task_list.edit import rename_task as rename_in_file
    from workers.ledger import ledgers
    from workers.task_state.renaming import check_rename, rename_kept_pages, rename_task, rows_of_names

    file = tasks_file(tasks)
    before = _named(file, old, new)
    with servers_of(tasks, purpose="rename") as servers:
        server = servers.of_task(old)
        connection = server.connection
        has_run = old in ledgers(connection)
        if before is None and not has_run:
            known_ledger(connection, old)  # raises the error that names the nearest task
        counts, pages = None, None
        if has_run:
            check_rename(connection, old, new)
            counts = known_ledger(connection, old).counts()
            pages = rename_kept_pages(connection, old, new)
        if before is not None:
            rename_in_file(file, old, new)
        rows: dict[str, int] = {}
        if has_run:
            rename_task(connection, old, new)
            rows = rows_of_names(connection, new)
        problem = _publish(servers, server, file)
    urls = counts.seen if counts else 0
    if as_json:
        print_json({"task": new, "was": old, "urls": urls, "kept_pages": str(pages) if pages else None})
        return
    say(f"{old} is now {new}: {counted(urls, 'URL')} known" + ("; tasks.yaml was changed" if before else ""))
    for name, number in rows.items():
        if name != new:
            written = counted(number, "row")
            say(f"note: {written} written before keep the name {name} in their outputs; later rows have the name {new}")
    if problem:
        say(f"note: the task list in force has the former name: {problem}")


def _publish(servers: "RedisServers", server: "RedisServer", file: Path) -> str:
    """Put the list with the new name in force if one is in force; return why it cannot be, empty if it was."""
    from crawler.task_list.file import load
    from crawler.task_list.placement import part_of
    from crawler.task_list.publication import DivergentCopy, edition, publish

    if edition(server.connection) is None:
        return ""
    try:
        publish(server.connection, part_of(load(file), servers, server).tasks, file)
    except DivergentCopy as error:
        return str(error)
    return ""


def _named(file: Path, old: str, new: str) -> "Task | None":
    """Return the task `old` of the file; None if the file already has `new`. Raises `TaskError`."""
    from crawler.task_list.file import load
    from crawler.task_list.mistakes import TaskError

    loaded = load(file)
    if old not in loaded.tasks and new in loaded.tasks:
        return None
    if new in loaded.tasks:
        raise TaskError(f"{file} already has a task {new}; give another name")
    return loaded[old]
