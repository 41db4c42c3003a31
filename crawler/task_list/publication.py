"""The publication of the task list in Redis, so that only one machine needs the file.

One edition is in force. A different list is published only as an edit: by a machine whose previous copy was the edition
in force. So two machines with different files cannot overwrite each other's lists in turns.

An example that was adopted after a redesign (`workers.redesign.adoption`) stays in force, also if another machine
publishes the list, until the file names it, or another one than before.

A spider reads its own task only.
"""

import logging
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import redis

from crawler.task_list.mistakes import TaskError, unknown_task
from crawler.task_list.models import Filter, Settings, Task, TaskFile
from crawler.task_list.scrapy_settings import mapped
from crawler.task_list.validators import expand
from workers import keys
from workers.errors import ExemplarError
from workers.extraction_config import AdoptedExample, ExtractionConfig, RowFilter, adopted_examples
from workers.ledger import ledgers
from workers.redis_access.redis_clock import clock_of

NO_LIST = "no task list is published yet; start `exemplar schedule` or `exemplar run` in the folder of tasks.yaml"
FORM = "2"  # version of the list's layout in Redis; a list in another layout is written again

log = logging.getLogger(__name__)


class DivergentCopy(ExemplarError):
    """Another task list is in force, and the given one is not an edit of it."""


@dataclass(frozen=True, slots=True)
class Edition:
    """The task list in force."""

    fingerprint: str
    origin: str  # host:path of the file it came from
    at: float  # Unix seconds
    form: str = ""  # `FORM` when it was written


@dataclass(frozen=True, slots=True)
class Change:
    """The names of the tasks that a publication changed."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    def in_words(self) -> str:
        """Return the names, grouped by the kind of change."""
        named = {"added": self.added, "changed": self.changed, "removed": self.removed}
        return "; ".join(f"{kind} {', '.join(names)}" for kind, names in named.items() if names)


def notes_on(connection: "redis.Redis", change: Change) -> list[str]:
    """Return a note for each removed task that has run if tasks without a ledger are new: it was probably renamed."""
    have_run = set(ledgers(connection)) if change.added and change.removed else set[str]()
    new = [name for name in change.added if name not in have_run]
    return [
        f"{new[0]} begins with an empty ledger, and fetches and writes all articles; if it is {old} under a new name, "
        f"stop and run: exemplar rename {old} {new[0]}"
        for old in change.removed
        if old in have_run and new
    ]


def publish(
    connection: "redis.Redis", tasks: TaskFile, path: Path, *, in_step_with: str | None = None, take_over: bool = False
) -> Change:
    """Put a task list in force and return what changed.

    Allowed if `in_step_with`, the fingerprint of the list before it was edited, is in force; if the list in force came
    from the same file on the same machine; or with `take_over`. Raises `DivergentCopy` otherwise.
    """
    new = Edition(tasks.fingerprint, origin_of(path), clock_of(connection).now(), FORM)
    with connection.pipeline(transaction=True) as pipe:
        while True:
            # Read again after another publication or an adoption in between.
            pipe.watch(keys.EDITION, keys.EXAMPLES)  # type: ignore[no-untyped-call]
            current = edition(connection)
            same = current is not None and (current.fingerprint, current.form) == (new.fingerprint, FORM)
            is_other_file = current is not None and current.origin != new.origin  # with other relative outputs
            if same and not (take_over and is_other_file):
                return Change()
            if current and is_other_file and not take_over and in_step_with != current.fingerprint:
                when = time.strftime("%Y-%m-%d %H:%M", time.localtime(current.at))
                raise DivergentCopy(
                    f"{path} differs from the task list in force, which came from {current.origin} ({when}); make the "
                    "two files equal, or put this one in force with: exemplar schedule --take-over"
                )
            change = _write(connection, tasks, path, new, pipe)
            try:
                pipe.execute()
            except redis.WatchError:
                continue
            return change


def origin_of(path: Path) -> str:
    """Return a name of a file that is unique in the cluster: host and path."""
    return f"{socket.gethostname()}:{path.resolve()}"


def edition(connection: "redis.Redis") -> Edition | None:
    """Return the edition in force; None if no list was published."""
    raw = cast(dict[bytes, bytes], connection.hgetall(keys.EDITION))
    fields = {name.decode(): value.decode() for name, value in raw.items()}
    if not fields:
        return None
    return Edition(fields["fingerprint"], fields["origin"], float(fields["at"]), fields.get("form", ""))


def published(connection: "redis.Redis") -> TaskFile:
    """Return the task list in force. Raises `TaskError` if there is none."""
    settings, raw = _with_settings(connection, "HGETALL", keys.TASKS)
    return TaskFile.of_published(settings, {name.decode(): text for name, text in sorted(raw.items())})


def published_task(connection: "redis.Redis", name: str) -> TaskFile:
    """Return the part of the task list in force that one task needs: the task and the settings.

    Raises `TaskError` if no list is published, or the task is not in it.
    """
    settings, raw = _with_settings(connection, "HGET", keys.TASKS, name)
    if raw is None:
        raise unknown_task(name, published_names(connection))
    return TaskFile.of_published(settings, {name: raw})


def _with_settings(connection: "redis.Redis", *command: str) -> tuple[bytes, Any]:
    """Return the settings and the reply to a command. Raises `TaskError` if no list is published."""
    pipe: Any = connection.pipeline(transaction=False)
    pipe.get(keys.SETTINGS)
    pipe.execute_command(*command)
    settings, reply = pipe.execute()
    if settings is None:
        raise TaskError(NO_LIST)
    return settings, reply


def published_names(connection: "redis.Redis") -> list[str]:
    """Return the names of the tasks in force, in order."""
    return sorted(raw.decode() for raw in cast(list[bytes], connection.hkeys(keys.TASKS)))


def published_periods(connection: "redis.Redis") -> dict[str, str]:
    """Return the period of each task in force that is not paused, as text."""
    raw = cast(dict[bytes, bytes], connection.hgetall(keys.PERIODS))
    return {name.decode(): text.decode() for name, text in raw.items()}


def periods_of(tasks: Mapping[str, Task]) -> dict[str, str]:
    """Return the period of each task that is not paused, as text."""
    return {name: str(task.every) for name, task in tasks.items() if not task.paused}


def extraction_config(task: Task, folder: Path, settings: Settings) -> ExtractionConfig:
    """Return the extraction config of a task. `folder`: of relative outputs."""
    return ExtractionConfig(
        task=task.name,
        example=task.example,
        url_regex=task.pattern.regex,
        outputs=task.outputs(),
        folder=str(folder),
        method=task.method,
        articles=task.articles,
        rows=task.rows,
        keep=_row_filter(task.keep),
        drop=_row_filter(task.drop),
        near_duplicates=task.near_duplicates,
        redesign=task.redesign,
        retries=task.retries,
        revisit=task.revisit.seconds if task.revisit else None,
        skip=task.skip,
        product=settings.product,
        keep_pages=task.keep_pages.length.total_seconds() if task.keep_pages else None,
        pages_folder=settings.pages,
        names=(task.name, *task.formerly),
        output_options={name: options.to_json() for name, options in task.output_options().items()},
    )


def _write(connection: "redis.Redis", tasks: TaskFile, path: Path, new: Edition, pipe: Any) -> Change:
    """Add to `pipe` what differs from the list in force: tasks, extraction configs and periods."""
    current = edition(connection)
    tasks, in_file = _with_adopted(tasks, adopted_examples(connection))
    old = {name.decode(): raw for name, raw in cast(dict[bytes, bytes], connection.hgetall(keys.TASKS)).items()}
    settings, texts = tasks.published_form()
    folder = path.resolve().parent
    known = cast("bytes | None", connection.get(keys.SETTINGS))
    # If file, layout or settings changed, all configs are written again: outputs are relative to the file's folder.
    moved = current is None or (current.origin, current.form) != (new.origin, new.form) or known != settings.encode()
    removed = [name for name in old if name not in texts]
    different = [name for name, text in texts.items() if old.get(name) != text.encode()]
    active = periods_of(tasks.tasks)
    pipe.multi()
    for name in [*removed, *(name for name in different if name not in active)]:
        pipe.hdel(keys.PERIODS, name)
    for name in removed:
        pipe.hdel(keys.TASKS, name)  # the extraction configs stay, so that fetched pages are still written
        pipe.hdel(keys.ALARMS, name)
    for name in texts if moved else different:
        pipe.hset(keys.CONFIGS, name, extraction_config(tasks[name], folder, tasks.settings).to_json())
        if name in active:
            pipe.hset(keys.PERIODS, name, active[name])
    for name in different:
        pipe.hset(keys.TASKS, name, texts[name])
    for name in in_file:
        pipe.hdel(keys.EXAMPLES, name)
    pipe.set(keys.SETTINGS, settings)
    pipe.hset(keys.EDITION, mapping=asdict(new))
    return Change(
        added=tuple(name for name in different if name not in old),
        changed=tuple(name for name in different if name in old),
        removed=tuple(removed),
    )


def _with_adopted(tasks: TaskFile, adopted: Mapping[str, AdoptedExample]) -> tuple[TaskFile, list[str]]:
    """Return the list with the adopted examples in force, and the tasks whose example in the file has priority."""
    valid = {
        name: example.url
        for name, example in adopted.items()
        if name in tasks.tasks and tasks.tasks[name].example == example.instead_of
    }
    changed = {name: tasks.tasks[name].model_copy(update={"example": url}) for name, url in valid.items()}
    in_force = tasks.model_copy(update={"tasks": tasks.tasks | changed}) if changed else tasks
    return in_force, [name for name in adopted if name not in valid]


def _row_filter(task_filter: Filter) -> RowFilter:
    return RowFilter(tuple(task_filter.keywords), task_filter.since, task_filter.until)


def environment_problems(tasks: Mapping[str, Task]) -> list[str]:
    """Return one sentence for each environment variable that a task uses and that is not set on this machine."""
    problems: dict[str, None] = {}
    for task in tasks.values():
        texts: list[str] = []
        mapped(task.model_dump(mode="json"), texts.append)
        for text in texts:
            try:
                expand(text, os.environ)
            except TaskError as error:
                problems[f"task {task.name}: {error}"] = None
    return [*problems]
