"""All tasks at one moment: state, counts, last and next run, health; read in a few steps and kept for some seconds."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeVar

import redis

from console.overview import NO_FIGURES, HealthLevel, TaskOverview, TasksOverview, tasks_overview
from crawler.task_list.file import load
from crawler.task_list.mistakes import TaskFileError
from crawler.task_list.models import TaskFile
from workers.redis_access.redis_clock import clock_of

FRESH = 3.0  # seconds for which a snapshot is shown
DAYS = 14  # days of the chart
FAILED_RUNS = {  # outcomes of a run that count as failures, in words
    "unreachable": "last run: the site was unreachable",
    "no browser": "last run: there was no browser",
    "redis": "last run: Redis was unavailable",
    "killed": "last run: it was killed",
}

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Snapshot(TasksOverview):
    """All tasks by name, those of tasks.yaml, too. `mistakes`: of tasks.yaml, as text; `first_day`: of the charts."""

    mistakes: tuple[str, ...]
    first_day: date

    def totals(self) -> dict[str, int]:
        """Return the counts of all tasks together."""
        totals = Counter[str]()
        for row in self.tasks.values():
            totals.update(row.counts)
        return totals


def task_list(path: Path) -> tuple[TaskFile | None, tuple[str, ...]]:
    """Return the tasks of tasks.yaml, None if it has mistakes or is missing, and its mistakes."""
    try:
        status = path.stat()
    except OSError:
        return None, ()
    return _read(path, (status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=1)
def _read(path: Path, version: tuple[int, int]) -> tuple[TaskFile | None, tuple[str, ...]]:
    try:
        return load(path), ()
    except TaskFileError as error:
        is_empty = all(mistake.key_path == "tasks" for mistake in error.mistakes)
        return None, () if is_empty else tuple(map(str, error.mistakes))


class Kept(Generic[Value]):
    """A value that is read again once it is older than some seconds, or expired. Safe for several threads."""

    def __init__(self, read: Callable[[], Value], seconds: float):
        self.read, self.seconds = read, seconds
        self._lock = threading.Lock()
        self._last: tuple[float, Value] | None = None

    def get(self) -> Value:
        """Return the value. Raises what reading it raises."""
        with self._lock:
            if self._last is None or time.monotonic() - self._last[0] > self.seconds:
                self._last = (time.monotonic(), self.read())
            return self._last[1]

    def expire(self) -> None:
        """Record a change: the value is read again at the next call."""
        with self._lock:
            self._last = None


def read_snapshot(connection: "redis.Redis", file: Path) -> Snapshot:
    """Return the present state of all tasks; `file`: tasks.yaml. Raises `redis.RedisError`."""
    in_file, mistakes = task_list(file)
    first = datetime.fromtimestamp(clock_of(connection).now(), UTC).date() - timedelta(days=DAYS - 1)
    found = tasks_overview(connection, [first + timedelta(days=number) for number in range(DAYS)])
    listed = in_file.tasks if in_file else {}
    rows = {}
    for name, state in found.tasks.items():
        is_paused = listed[name].paused if name in listed else state.state == "paused"
        health, reasons = health_of(state, paused=is_paused)
        rows[name] = replace(state, health=health, reasons=reasons)
    for name, task in listed.items():
        if name not in rows:
            figures = replace(NO_FIGURES, days=(0,) * DAYS)
            keys = str(task.every), task.example, str(task.pattern)
            health = "paused" if task.paused else "new"
            rows[name] = TaskOverview(name, "unpublished", *keys, figures=figures, health=health)
    shared = {part.name: getattr(found, part.name) for part in fields(found)} | {"tasks": dict(sorted(rows.items()))}
    return Snapshot(**shared, mistakes=mistakes, first_day=first)


def health_of(task: TaskOverview, *, paused: bool) -> tuple[HealthLevel, tuple[str, ...]]:
    """Return the health of a task from its counts, last run, outputs and alarms, with the reasons.

    `paused`: by tasks.yaml, which may not be in force yet.
    """
    counts, run = task.figures.counts, task.last_run
    failing = [f"URLs that are unaccounted for: {counts.unaccounted}"] if counts.unaccounted else []
    failing += [FAILED_RUNS[run["outcome"]]] if run and run["outcome"] in FAILED_RUNS else []
    failing += [f"alarm: {alarm.in_words()}" for alarm in task.alarms]
    failing += [f"output: {output.problem}" for output in task.outputs if output.problem]
    attention = [*run["problems"]] if run else []
    attention += [f"pages that failed: {failed}"] if (failed := counts.states["failed"]) else []
    attention += [f"rows that were refused: {refused}"] if (refused := task.refused) else []
    reasons = (*failing, *attention)
    if paused:
        return "paused", reasons
    if reasons:
        return "failing" if failing else "attention", reasons
    return ("new" if run is None and not counts.seen else "ok"), ()
