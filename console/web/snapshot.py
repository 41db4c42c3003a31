"""All tasks at one moment: state, counts, last and next run, health; read in a few steps and kept for some seconds."""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal, cast

import redis

from console.web.texts import Worded, gettext_noop, ngettext_noop
from crawler.scheduling.schedule import Schedule
from crawler.task_list.file import load
from crawler.task_list.mistakes import TaskFileError
from crawler.task_list.models import TaskFile
from crawler.task_list.publication import edition
from workers import keys
from workers.health import Alarm, present_alarms
from workers.ledger import ledgers
from workers.redis_access.redis_clock import clock_of
from workers.task_state.task_figures import TaskFigures, figures_of
from workers.writing.output_states import OutputState, output_states

FRESH = 3.0  # seconds for which a snapshot is shown
DAYS = 14  # days of the chart
ALARM = gettext_noop("alarm: %(kind)s: %(text)s")
FAILED_RUNS = ("unreachable", "no browser", "redis", "killed")  # outcomes of a run that count as failures

HealthLevel = Literal["ok", "attention", "failing", "new", "paused"]
RunState = Literal["running", "due", "idle", "paused", "removed", "unpublished"]


@dataclass(frozen=True, slots=True)
class TaskState:
    """One task. `next_run`: Unix seconds; `period`: the present one in seconds if `every` is auto.

    `reasons`: why its health is not ok. `is_known`: whether Redis knows the task, or only tasks.yaml has it.
    `days`: articles of the last `DAYS` days, oldest first, by the day on which they were found.
    """

    name: str
    state: RunState
    health: HealthLevel
    reasons: tuple[Worded, ...]
    every: str
    period: float | None
    next_run: float | None
    counts: Mapping[str, int]
    last_run: Mapping[str, Any] | None
    days: tuple[int, ...]
    example: str
    pattern: str
    is_known: bool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All tasks by name. `at`: Unix seconds of Redis' clock. `mistakes`: of tasks.yaml, as text."""

    at: float
    tasks: Mapping[str, TaskState]
    outputs: Sequence[OutputState]
    alarms: Sequence[Alarm]
    mistakes: tuple[str, ...]
    first_day: date

    @property
    def digest(self) -> int:
        """Return a number that changes with every shown value of the tasks."""
        return hash(tuple((row.name, row.state, *row.counts.values(), row.next_run) for row in self.tasks.values()))

    def totals(self) -> dict[str, int]:
        """Return the counts of all tasks together."""
        totals: dict[str, int] = {}
        for row in self.tasks.values():
            for name, number in row.counts.items():
                totals[name] = totals.get(name, 0) + number
        return totals


class TaskListFile:
    """tasks.yaml, read again when it has changed."""

    def __init__(self, path: Path):
        self.path = path
        self._lock = threading.Lock()
        self._read_at: tuple[int, int] | None = None
        self._tasks: TaskFile | None = None
        self._mistakes: tuple[str, ...] = ()

    def read(self) -> tuple[TaskFile | None, tuple[str, ...]]:
        """Return the tasks (None if the file has mistakes or is missing) and the mistakes."""
        with self._lock:
            try:
                status = self.path.stat()
            except OSError:
                self._read_at, self._tasks, self._mistakes = None, None, ()
                return None, ()
            if self._read_at != (status.st_mtime_ns, status.st_size):
                try:
                    self._tasks, self._mistakes = load(self.path), ()
                except TaskFileError as error:
                    empty = all(mistake.key_path == "tasks" for mistake in error.mistakes)
                    texts = () if empty else tuple(str(mistake) for mistake in error.mistakes)
                    self._tasks, self._mistakes = None, texts
                self._read_at = (status.st_mtime_ns, status.st_size)
            return self._tasks, self._mistakes


class Snapshots:
    """Keeps the present snapshot, at most `FRESH` seconds old. Safe for several threads."""

    def __init__(self, connection: "redis.Redis", file: TaskListFile, *, clock: Callable[[], float] = time.monotonic):
        self.redis, self.file, self.clock = connection, file, clock
        self._lock = threading.Lock()
        self._last: tuple[float, Snapshot] | None = None
        self._published: tuple[str, dict[str, dict[str, Any]]] = ("-", {})  # edition, tasks

    def get(self, *, fresh: float = FRESH) -> Snapshot:
        """Return a snapshot that is at most `fresh` seconds old. Raises `redis.RedisError`."""
        with self._lock:
            if self._last is None or self.clock() - self._last[0] > fresh:
                self._last = (self.clock(), self._read())
            return self._last[1]

    def expire(self) -> None:
        """Record a change: the snapshot is read again at the next call."""
        with self._lock:
            self._last = None

    def _read(self) -> Snapshot:
        in_file, mistakes = self.file.read()
        now = clock_of(self.redis).now()
        first = date.fromtimestamp(now) - timedelta(days=DAYS - 1)
        outputs, alarms = output_states(self.redis), present_alarms(self.redis)
        rows = {row.name: row for row in self._tasks(outputs, alarms, first)}
        for name, task in (in_file.tasks if in_file else {}).items():
            if name not in rows:
                empty = dict.fromkeys(("seen", "written", "failed", "rejected", "duplicate", "waiting"), 0)
                facts = (str(task.every), None, None, empty, None, (0,) * DAYS, task.example, str(task.pattern), False)
                rows[name] = TaskState(name, "unpublished", "paused" if task.paused else "new", (), *facts)
        return Snapshot(now, dict(sorted(rows.items())), outputs, alarms, mistakes, first)

    def _tasks(self, outputs: Sequence[OutputState], alarms: Sequence[Alarm], first: date) -> list[TaskState]:
        tasks = self._published_tasks()
        names = [*tasks, *(name for name in ledgers(self.redis) if name not in tasks)]
        schedule = Schedule(self.redis)
        times, due, running = schedule.next_times(), {*schedule.due()}, {*schedule.running()}
        periods = schedule.periods_in_force([name for name, raw in tasks.items() if raw["every"].startswith("auto")])
        figures = figures_of(self.redis, names, [first + timedelta(days=number) for number in range(DAYS)])
        troubled: dict[str, list[OutputState]] = {}
        for output in outputs:
            troubled.setdefault(output.task, []).append(output)
        alarmed: dict[str, list[Alarm]] = {}
        for alarm in alarms:
            alarmed.setdefault(alarm.task, []).append(alarm)
        rows = []
        for name in names:
            raw, own = tasks.get(name), figures[name]
            state = _state_of(name, raw, due, running)
            health, reasons = health_of(state, own, troubled.get(name, ()), alarmed.get(name, ()))
            rows.append(
                TaskState(
                    name,
                    state,
                    health,
                    reasons,
                    raw["every"] if raw else "",
                    periods.get(name),
                    times.get(name),
                    own.counts.to_dict(),
                    own.last_run,
                    own.days,
                    raw["example"] if raw else "",
                    raw["pattern"] if raw else "",
                    True,
                )
            )
        return rows

    def _published_tasks(self) -> dict[str, dict[str, Any]]:
        """Return the shown keys of the published tasks; they are read again when the edition has changed."""
        current = edition(self.redis)
        name = f"{current.fingerprint} {current.at}" if current else ""
        if self._published[0] != name:
            raw = cast(dict[bytes, bytes], self.redis.hgetall(keys.TASKS)) if current else {}
            tasks: dict[str, dict[str, Any]] = {}
            for key, text in sorted(raw.items()):
                whole = json.loads(text)
                tasks[key.decode()] = {
                    "every": whole["every"],
                    "paused": bool(whole.get("paused")),
                    "example": whole["example"],
                    "pattern": whole["pattern"],
                }
            self._published = (name, tasks)
        return self._published[1]


def health_of(
    state: RunState, figures: TaskFigures, outputs: Sequence[OutputState], alarms: Sequence[Alarm] = ()
) -> tuple[HealthLevel, tuple[Worded, ...]]:
    """Return the health of a task from its counts, last run, outputs and alarms, with the reasons."""
    counts, run = figures.counts, figures.last_run
    failing: list[Worded] = []
    attention: list[Worded] = []
    if counts.unaccounted:
        text = ngettext_noop("%(number)s URL is unaccounted for", "%(number)s URLs are unaccounted for")
        failing.append((text, {"number": counts.unaccounted}))
    if run and run["outcome"] in FAILED_RUNS:
        failing.append((gettext_noop("last run: %(outcome)s"), {"outcome": run["outcome"]}))
    failing += [(ALARM, {"kind": alarm.kind, "text": alarm.evidence}) for alarm in alarms]
    failing += [(gettext_noop("output: %(text)s"), {"text": output.problem}) for output in outputs if output.problem]
    attention += [("%(text)s", {"text": text}) for text in (run["problems"] if run else [])]
    if failed := counts.states["failed"]:
        attention.append((ngettext_noop("%(number)s page failed", "%(number)s pages failed"), {"number": failed}))
    if refused := sum(output.refused for output in outputs):
        text = ngettext_noop("%(number)s row was refused", "%(number)s rows were refused")
        attention.append((text, {"number": refused}))
    reasons = (*failing, *attention)
    if state == "paused":
        return "paused", reasons
    if reasons:
        return "failing" if failing else "attention", reasons
    return ("new" if run is None and not counts.seen else "ok"), ()


def _state_of(name: str, raw: Mapping[str, Any] | None, due: set[str], running: set[str]) -> RunState:
    if name in running:
        return "running"
    if raw is None:
        return "removed"
    if raw["paused"]:
        return "paused"
    return "due" if name in due else "idle"
