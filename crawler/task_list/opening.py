"""Opens Redis for a crawl that a person starts, with the task list published there."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from crawler.task_list.file import load
from crawler.task_list.mistakes import TaskError
from crawler.task_list.models import TaskFile
from crawler.task_list.publication import publish
from workers.redis_access.connection import connect
from workers.redis_access.embedded import redis_for
from workers.state_folder import state_folder

TASKS_FILE = "tasks.yaml"

log = logging.getLogger(__name__)


@contextmanager
def open_redis(file: Path | None) -> "Iterator[redis.Redis]":
    """Open Redis for a crawl. `file` is the task list, which is published.

    None: tasks.yaml in the working directory, or, with REDIS_URL and without that file, the list that is published.
    Raises `ExemplarError` and `TaskError`.
    """
    file, tasks = _task_list(file)
    state = state_folder(file.parent if file else None)
    with redis_for(state, purpose="crawl", say=log.warning) as url, connect(url) as connection:
        if tasks is not None and file is not None:
            publish(connection, tasks, file, take_over="REDIS_URL" not in os.environ)
        yield connection


def _task_list(file: Path | None) -> tuple[Path | None, TaskFile | None]:
    if file is None:
        file = Path(TASKS_FILE)
        if not file.exists():
            if "REDIS_URL" in os.environ:
                return None, None
            raise TaskError(
                f"no {TASKS_FILE} in {Path.cwd()}; write one with `exemplar init`, or give another with --tasks"
            )
    return file, load(file)
