"""The ledger of a task that has run, for commands that change the states of its URLs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from console.options import say, tasks_file

if TYPE_CHECKING:
    from workers.ledger import Ledger


@contextmanager
def ledger_of(task: str, tasks: Path | None, *, purpose: str) -> "Iterator[Ledger]":
    """Connect to the Redis of a task file and yield the task's ledger. Raises `TaskError` if the task never ran."""
    from crawler.task_list.mistakes import TaskError, suggest
    from workers.embedded import redis_for
    from workers.ledger import Ledger, ledgers
    from workers.quarantine import state_folder
    from workers.servers import RedisServers

    folder = state_folder(tasks_file(tasks).absolute().parent)
    with redis_for(folder, purpose=purpose, say=say) as address:
        connection = RedisServers(address).of_task(task).connection
        if task not in (known := ledgers(connection)):
            hint = suggest(task, known) if known else "no task has run yet"
            raise TaskError(f"unknown task {task!r}; {hint}")
        yield Ledger(connection, task)
