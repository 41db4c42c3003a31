"""The overview of the system as one typed value, which table, progress, pages, API and metrics show.

It has two parts, each read in a few steps: the tasks with their outputs and alarms, and the machines with queue,
processes, problems, hosts and Redis. It reads the schedule, too, so it stands above `crawler`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal, cast

import redis

from crawler.politeness.pace import HostState, hosts
from crawler.scheduling.schedule import Schedule
from crawler.task_list.publication import Edition, edition
from workers import keys
from workers.backpressure import Stored, stored
from workers.health.alarms import Alarm
from workers.health.store import present_alarms
from workers.inbox import Inbox
from workers.ledger import Ledger, ledgers, with_pages
from workers.redis_access.full_redis import RedisMemory, memory_of
from workers.redis_access.redis_clock import clock_of
from workers.reporting.presence import processes
from workers.reporting.present_problems import PresentProblem, present_problems
from workers.task_state.task_figures import TaskFigures, figures_of
from workers.url_states import FINAL_STATES, OPEN_STATES, Counts
from workers.writing.output_states import OutputState, output_states

HealthLevel = Literal["ok", "attention", "failing", "new", "paused"]
RunState = Literal["running", "due", "idle", "paused", "removed", "unpublished"]
NO_FIGURES = TaskFigures(Counts(0, dict.fromkeys((*OPEN_STATES, *FINAL_STATES), 0)), None, ())
PAGES_EXAMINED = 100  # pages of each task and state that are examined for the age of the oldest page


@dataclass(frozen=True, slots=True)
class TaskOverview:
    """One task. `next_run`: Unix seconds; `period`: the present one in seconds if `every` is auto.

    `outputs`: those for which something waits, or that refused rows; `alarms`: the open ones. A removed task has only
    its ledger: `every`, `example` and `pattern` are empty. An unpublished one is in tasks.yaml only. The console adds
    `health` and `reasons`, why it is not ok.
    """

    name: str
    state: RunState
    every: str = ""
    example: str = ""
    pattern: str = ""
    period: float | None = None
    next_run: float | None = None
    figures: TaskFigures = NO_FIGURES
    outputs: Sequence[OutputState] = ()
    alarms: Sequence[Alarm] = ()
    health: HealthLevel = "new"
    reasons: tuple[str, ...] = ()

    @property
    def is_in_force(self) -> bool:
        """Whether the task is in the task list in force; one that was removed may still run."""
        return bool(self.every)

    @property
    def counts(self) -> dict[str, int]:
        """Return the task's URLs by state, with `seen` and `unaccounted`."""
        return self.figures.counts.to_dict()

    @property
    def refused(self) -> int:
        """Return how many rows the outputs refused."""
        return sum(output.refused for output in self.outputs)

    @property
    def last_run(self) -> dict[str, Any] | None:
        """Return the report of the last run; None if there was none."""
        return self.figures.last_run

    @property
    def days(self) -> tuple[int, ...]:
        """Return the articles of each requested day."""
        return self.figures.days


@dataclass(frozen=True, slots=True)
class TasksOverview:
    """All tasks by name, those in force first. `due` and `running`: in the order of the schedule."""

    edition: Edition | None
    tasks: Mapping[str, TaskOverview]
    due: Sequence[str]
    running: Sequence[str]
    outputs: Sequence[OutputState]
    alarms: Sequence[Alarm]


@dataclass(frozen=True, slots=True)
class MachinesOverview:
    """What the tasks share. `at`: Unix seconds of Redis' clock. `pages`: not settled; `rows`: not delivered.

    `jobs`: wake-up jobs that wait; `oldest_page`: for how many seconds the oldest page has waited, None if none waits.
    `living` and `dead`: heartbeats of processes.
    """

    at: float
    jobs: int
    oldest_page: float | None
    pages: Stored
    rows: Stored
    memory: RedisMemory
    redis: Mapping[str, str | None]
    living: Sequence[Mapping[str, Any]]
    dead: Sequence[Mapping[str, Any]]
    problems: Sequence[PresentProblem]
    hosts: Sequence[HostState]


@dataclass(frozen=True, slots=True)
class Overview:
    """The whole overview."""

    tasks: TasksOverview
    machines: MachinesOverview


def overview(connection: "redis.Redis") -> Overview:
    """Return the present state of the system. Raises `redis.RedisError`."""
    return Overview(tasks_overview(connection), machines_overview(connection))


def tasks_overview(connection: "redis.Redis", days: Sequence[date] = ()) -> TasksOverview:
    """Return the tasks; `days`: those for which articles are counted. Raises `redis.RedisError`."""
    tasks, schedule = _published(connection), Schedule(connection)
    names = [*tasks, *(name for name in ledgers(connection) if name not in tasks and not name.endswith(keys.PICTURES))]
    times, due, running = schedule.next_times(), schedule.due(), schedule.running()
    periods = schedule.periods_in_force([name for name, task in tasks.items() if task.every.startswith("auto")])
    figures, due_now, running_now = figures_of(connection, names, days), {*due}, {*running}
    outputs, alarms = output_states(connection), present_alarms(connection)
    outputs_of: dict[str, list[OutputState]] = {}
    for output in outputs:
        outputs_of.setdefault(output.task, []).append(output)
    alarms_of: dict[str, list[Alarm]] = {}
    for alarm in alarms:
        alarms_of.setdefault(alarm.task, []).append(alarm)
    rows = {}
    for name in names:
        task = tasks.get(name) or TaskOverview(name, "removed")
        rows[name] = replace(
            task,
            state="running"
            if name in running_now
            else "due"
            if task.state == "idle" and name in due_now
            else task.state,
            period=periods.get(name),
            next_run=times.get(name),
            figures=figures[name],
            outputs=outputs_of.get(name, ()),
            alarms=alarms_of.get(name, ()),
        )
    return TasksOverview(edition(connection), rows, due, running, outputs, alarms)


def machines_overview(connection: "redis.Redis") -> MachinesOverview:
    """Return what the tasks share. Raises `redis.RedisError`."""
    living, dead = processes(connection)
    return MachinesOverview(
        at=clock_of(connection).now(),
        jobs=Inbox(connection).waiting_jobs(),
        oldest_page=_oldest_page(connection),
        pages=stored(connection),
        rows=Stored.of_fields(cast(dict[bytes, bytes], connection.hgetall(keys.QUEUED))),
        memory=memory_of(connection),
        redis=_redis_in_use(connection),
        living=living,
        dead=dead,
        problems=present_problems(connection),
        hosts=hosts(connection),
    )


def _published(connection: "redis.Redis") -> dict[str, TaskOverview]:
    """Return the tasks in force by name, in order: what the list says of them."""
    raw = cast(dict[bytes, bytes], connection.hgetall(keys.TASKS))
    tasks = {name.decode(): json.loads(text) for name, text in sorted(raw.items())}
    return {
        name: TaskOverview(
            name, "paused" if task.get("paused") else "idle", task["every"], task["example"], task["pattern"]
        )
        for name, task in tasks.items()
    }


def _oldest_page(connection: "redis.Redis") -> float | None:
    """Return for how many seconds the oldest fetched page has waited for its rows; None if none waits.

    Only the pages of each task that are queued or tried again first are examined.
    """
    now, ages = clock_of(connection).now(), []
    for task in with_pages(connection):
        ledger = Ledger(connection, task)
        names = [
            raw.decode()
            for name in ("fetched", "held")
            for raw in cast(list[bytes], connection.zrange(ledger.keys[name], 0, PAGES_EXAMINED - 1))
        ]
        pipe = connection.pipeline(transaction=False)
        for name in names:
            pipe.hget(f"{ledger.keys['page']}:{name}", "at")
        ages += [now - float(at) for at in pipe.execute() if at]
    return round(max(max(ages), 0.0), 1) if ages else None


def _redis_in_use(connection: "redis.Redis") -> dict[str, str | None]:
    """Return product, version and program of the server (the program is unknown for some managed ones)."""
    info = connection.info("server")
    product = "Valkey" if "valkey_version" in info else "Redis"
    number = info.get("valkey_version") or info.get("redis_version")
    return {"product": product, "version": str(number), "program": str(info.get("executable") or "") or None}
