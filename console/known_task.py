"""The ledger of a task that has run, for commands that change the states of its URLs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from console.options import tasks_file
from console.terminal import say

if TYPE_CHECKING:
    import redis

    from workers.ledger import Ledger


@contextmanager
def redis_of(tasks: Path | None, *, purpose: str) -> "Iterator[redis.Redis]":
    """Connect to the Redis of a task file."""
    from workers.redis_access.connection import connect
    from workers.redis_access.embedded import redis_for
    from workers.state_folder import state_folder

    folder = state_folder(tasks_file(tasks).absolute().parent)
    with redis_for(folder, purpose=purpose, say=say) as url:
        yield connect(url)


@contextmanager
def ledger_of(task: str, tasks: Path | None, *, purpose: str) -> "Iterator[Ledger]":
    """Connect to the Redis of a task file and yield the task's ledger. Raises `TaskError` if the task never ran."""
    with redis_of(tasks, purpose=purpose) as connection:
        yield known_ledger(connection, task)


def known_ledger(connection: "redis.Redis", task: str) -> "Ledger":
    """Return the ledger of a task. Raises `TaskError` if the task never ran."""
    from crawler.task_list.mistakes import TaskError, suggest
    from workers.ledger import Ledger, ledgers

    if task not in (known := ledgers(connection)):
        hint = suggest(task, known) if known else "no task has run yet"
        raise TaskError(f"unknown task {task!r}; {hint}")
    return Ledger(connection, task)
