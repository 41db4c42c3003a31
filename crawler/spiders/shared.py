"""What the runs of one process share: the connection to Redis, the pace, the addresses of hosts, the browsers."""

import logging
import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import redis

from crawler.politeness.pace import AddressBook, Pace
from crawler.run.section_run import SectionRun
from crawler.task_list.file import TASKS_FILE, load
from crawler.task_list.mistakes import TaskError
from crawler.task_list.models import TaskFile
from crawler.task_list.publication import publish
from workers.redis_access.connection import connect
from workers.redis_access.embedded import redis_for
from workers.redis_access.full_redis import WaitingRedis
from workers.redis_access.outage import is_temporary
from workers.state_folder import state_folder

WORK_BYTES = 1024  # more than the name of a task

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Shared:
    """What the runs of one process share. `runs`: those that have begun and not ended, each with what ends it
    without Redis.

    `on_wait` is called again and again while Redis is full. `work`: a file of `WORK_BYTES`, which names the task of the
    page that is handled, for whoever kills a process that hangs.
    """

    connection: WaitingRedis
    pace: Pace
    on_wait: Callable[[], None] = lambda: None
    work: mmap.mmap | None = None
    browsers: dict[Any, Any] = field(default_factory=dict)
    addresses: AddressBook = field(default_factory=AddressBook)
    runs: dict[SectionRun, Callable[[redis.RedisError], None]] = field(default_factory=dict)

    @classmethod
    def of(cls, connection: "redis.Redis", **more: Any) -> "Shared":
        """Return what runs share, with the connections of `connection` to Redis; `more`: fields."""
        waiting = WaitingRedis.of(connection)
        shared = cls(waiting, Pace(waiting), **more)
        waiting.on_wait = shared.beat_while_full
        return shared

    @contextmanager
    def handling(self, task: str) -> Iterator[None]:
        """Name the task of the page that is handled within the block."""
        if self.work is None:
            yield
            return
        self.work[:] = task.encode()[:WORK_BYTES].ljust(WORK_BYTES, b"\0")
        try:
            yield
        finally:
            self.work[:] = bytes(WORK_BYTES)

    def beat_while_full(self) -> None:
        """Renew the leases of all runs while a command of one of them waits because Redis is full."""
        self.on_wait()
        for run in self.runs:
            run.beat_while_full()

    async def close(self) -> None:
        """End the browsers."""
        for browsers in self.browsers.values():
            await browsers.close()

    def end_without_redis(self, error: redis.RedisError) -> None:
        """End all runs if Redis is lost, so that not each of them waits for it."""
        if is_temporary(error):
            for end in [*self.runs.values()]:
                end(error)


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
