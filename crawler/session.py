"""The session of a crawling process: a Redis, the task list in force, and its guard."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis

from crawler.guarding.guard import Guard, guard_from
from crawler.task_list.file import load
from crawler.task_list.mistakes import TaskError
from crawler.task_list.models import Settings, TaskFile
from crawler.task_list.publication import publish, published, published_task
from workers.redis_access.connection import connect
from workers.redis_access.embedded import redis_for
from workers.state_folder import state_folder

TASKS_FILE = "tasks.yaml"
CONTACT = "EXEMPLAR_CONTACT"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Session:
    """An open connection and the tasks in force."""

    url: str
    connection: "redis.Redis"
    tasks: TaskFile
    guard: Guard

    @property
    def settings(self) -> Settings:
        """The settings of tasks.yaml that apply to all tasks."""
        return self.tasks.settings


@contextmanager
def open_session(
    file: Path | None, *, purpose: str, task: str = "", say: Callable[[str], None] = log.warning
) -> Iterator[Session]:
    """Open a session for a command. `file` is the task list; None is tasks.yaml in the working directory, if it exists.

    Without a file the published list is used. With `task` only this task is read from
    it, which saves time when there are 100,000 tasks. Raises `ExemplarError` and `TaskError`.
    """
    file, tasks = _task_list(file)
    state = state_folder(file.parent if file else None)
    with redis_for(state, purpose=purpose, say=say) as url, connect(url) as connection:
        if tasks is not None and file is not None:
            publish(connection, tasks, file, take_over="REDIS_URL" not in os.environ)
        yield session_of(url, connection, task)


def session_of(url: str, connection: "redis.Redis", task: str = "") -> Session:
    """Return a session by the published task list, or with `task` by this task of it. Raises `TaskError`."""
    in_force = published_task(connection, task) if task else published(connection)
    return Session(url, connection, in_force, guard_from(in_force.settings.allow_hosts))


def identity_of(settings: Settings) -> dict[str, str]:
    """Return the Scrapy settings with the crawler's name."""
    return {
        "USER_AGENT": user_agent(settings),
        "ROBOTSTXT_USER_AGENT": settings.user_agent.split("/")[0],
    }


def user_agent(settings: Settings) -> str:
    """Return the User-Agent header: product, version and contact."""
    from importlib.metadata import version

    product = (
        settings.user_agent if "/" in settings.user_agent else f"{settings.user_agent}/{version('exemplar-crawler')}"
    )
    contact = contact_of(settings)
    return f"{product} (+{contact})" if contact else product


def contact_of(settings: Settings) -> str:
    """Return the contact of tasks.yaml or of the environment; empty if there is none."""
    return settings.contact or os.environ.get(CONTACT, "")


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
