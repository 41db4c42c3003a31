"""The task list as the cluster knows it: published to Redis, so that no other machine needs the file.

One edition is in force. A copy that differs from it is published only by who was in step before (an edit), so two
machines with different files can't overwrite each other in turns.
"""

import json
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import redis

from workers import keys
from workers.briefs import Brief
from workers.briefs import Filter as BriefFilter
from workers.errors import ExemplarError

from .tasks import Filter, Task, TaskError, TaskFile, expand

HISTORY_KEPT = 50  # editions whose fingerprints are remembered: a machine that has one of them is only behind


class DivergentCopy(ExemplarError):
    """Another task list is in force, and this one is not an edit of it."""


@dataclass(frozen=True, slots=True)
class Edition:
    """The task list in force."""

    fingerprint: str
    origin: str  # host:path of the file it came from
    at: float  # Unix seconds


@dataclass(frozen=True, slots=True)
class Change:
    """What a publication changed, as names of tasks."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


def publish(
    connection: "redis.Redis", tasks: TaskFile, path: Path, *, in_step_with: str | None = None, take_over: bool = False
) -> Change:
    """Put a task list in force and say what changed.

    `in_step_with` is the fingerprint of the list before it was edited: if that one is in force, the edit may be too. A
    list from the same file on the same machine may be, and any with `take_over`. Raises `DivergentCopy` otherwise.
    """
    current = edition(connection)
    origin = f"{socket.gethostname()}:{path.resolve()}"
    if current and current.fingerprint == tasks.fingerprint and current.origin == origin:
        return Change()
    if current and not take_over and origin != current.origin and in_step_with != current.fingerprint:
        if current.fingerprint == tasks.fingerprint:
            return Change()
        _refuse(connection, current, tasks.fingerprint, path)
    return _write(connection, tasks, path, origin)


def edition(connection: "redis.Redis") -> Edition | None:
    """The edition in force."""
    raw = cast(dict[bytes, bytes], connection.hgetall(keys.EDITION))
    if not raw:
        return None
    return Edition(raw[b"fingerprint"].decode(), raw[b"origin"].decode(), float(raw[b"at"]))


def published(connection: "redis.Redis") -> TaskFile:
    """The task list in force. Raises `TaskError` if there is none."""
    raw = cast(dict[bytes, bytes], connection.hgetall(keys.TASKS))
    settings = cast("bytes | None", connection.get(keys.SETTINGS))
    if settings is None:
        raise TaskError(
            "no task list is published yet; start `exemplar schedule` or `exemplar run` where tasks.yaml is"
        )
    tasks = {name.decode(): json.loads(text) for name, text in sorted(raw.items())}
    return TaskFile.from_json(json.dumps({"tasks": tasks, "settings": json.loads(settings)}))


def brief(task: Task, folder: Path, product: str = "") -> Brief:
    """What the workers need to know of a task."""
    return Brief(
        task=task.name,
        example=task.example,
        url_regex=task.pattern.regex,
        outputs=task.outputs(),
        folder=str(folder),
        method=task.method,
        keep=_brief_filter(task.keep),
        drop=_brief_filter(task.drop),
        near_duplicates=task.near_duplicates,
        revisit=task.revisit.seconds if task.revisit else None,
        skip=task.skip,
        product=product,
    )


def _write(connection: "redis.Redis", tasks: TaskFile, path: Path, origin: str) -> Change:
    old = {name.decode(): raw for name, raw in cast(dict[bytes, bytes], connection.hgetall(keys.TASKS)).items()}
    new = json.loads(tasks.to_json())
    texts = {name: json.dumps(raw, ensure_ascii=False, sort_keys=True) for name, raw in new["tasks"].items()}
    folder = path.resolve().parent
    product = tasks.settings.user_agent.split("/")[0]
    pipe = connection.pipeline(transaction=True)
    removed = [name for name in old if name not in texts]
    if removed:
        pipe.hdel(keys.TASKS, *removed)  # the brief stays: pages that were fetched are still written
    for name, text in texts.items():
        pipe.hset(keys.TASKS, name, text)
        pipe.hset(keys.BRIEFS, name, brief(tasks[name], folder, product).to_json())
    pipe.set(keys.SETTINGS, json.dumps(new["settings"], ensure_ascii=False))
    pipe.hset(keys.EDITION, mapping={"fingerprint": tasks.fingerprint, "origin": origin, "at": time.time()})
    pipe.lpush(keys.EDITION + ":history", tasks.fingerprint)
    pipe.ltrim(keys.EDITION + ":history", 0, HISTORY_KEPT - 1)
    pipe.execute()
    return Change(
        added=tuple(name for name in texts if name not in old),
        changed=tuple(name for name, text in texts.items() if name in old and old[name].decode() != text),
        removed=tuple(removed),
    )


def _refuse(connection: "redis.Redis", current: Edition, fingerprint: str, path: Path) -> None:
    history = cast(list[bytes], connection.lrange(keys.EDITION + ":history", 0, -1))
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(current.at))
    if fingerprint.encode() in history:
        raise DivergentCopy(
            f"{path} is an older edition of the task list in force (from {current.origin}, {when}); copy the newer one "
            "here, or use --take-over to put this one in force"
        )
    raise DivergentCopy(
        f"{path} differs from the task list in force, which came from {current.origin} ({when}); make the two equal, "
        "or use --take-over to put this one in force"
    )


def _brief_filter(asked: Filter) -> BriefFilter:
    return BriefFilter(tuple(asked.keywords), asked.since, asked.until)


def environment_problems(tasks: Mapping[str, Task]) -> list[str]:
    """The environment variables that tasks name and that are not set on this machine, each in one sentence."""
    problems = []
    for task in tasks.values():
        for text in _with_variables(task):
            try:
                expand(text, os.environ)
            except TaskError as error:
                problems.append(f"task {task.name}: {error}")
    return list(dict.fromkeys(problems))


def _with_variables(task: Task) -> list[str]:
    login = (task.auth.user, task.auth.password) if task.auth else ()
    values = (*task.headers.values(), *(task.cookies or {}).values(), *login, task.proxy or "")
    return [*task.outputs(), *values]
