"""The readings of one scrape, as plain values."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

import redis

from console.status import oldest_page
from crawler.politeness.host_states import hosts
from crawler.scheduling.schedule import Schedule
from crawler.task_list.publication import published_names, published_periods
from workers import keys
from workers.backpressure import Stored, stored
from workers.health import medians_of, present_alarms
from workers.inbox import Inbox
from workers.ledger import ledgers
from workers.redis_access.full_redis import RedisMemory, memory_of
from workers.reporting.presence import processes
from workers.reporting.present_problems import present_problems
from workers.task_state.task_figures import TaskFigures, figures_of
from workers.task_totals import TaskTotals, totals_of
from workers.writing.output_states import OutputState, output_states

RUN_STATES = ("running", "due", "idle", "paused", "removed")


@dataclass(frozen=True, slots=True)
class TaskReadings:
    """One task. `alarms`: kinds of the open ones; `medians`: of its baselines; `next_run`: Unix seconds."""

    figures: TaskFigures
    totals: TaskTotals
    medians: Mapping[str, float] = field(default_factory=dict)
    alarms: Sequence[str] = ()
    next_run: float | None = None

    @property
    def last_run_times(self) -> tuple[float, float] | None:
        """Return when the last run began and ended, in Unix seconds; None if none has ended."""
        run = self.figures.last_run or {}
        try:
            begun, ended = (datetime.fromisoformat(str(run.get(name))) for name in ("started", "ended"))
        except ValueError:
            return None
        return begun.timestamp(), ended.timestamp()


@dataclass(frozen=True, slots=True)
class ClusterReadings:
    """The state of a cluster. `tasks`: those in force, by name; `removed`: the sum of those that only have a ledger.

    `rows`: rows that wait for delivery; `oldest_page`: seconds, None if no page waits.
    """

    tasks: Mapping[str, TaskReadings]
    removed: Sequence[TaskReadings]
    states: Mapping[str, int]
    memory: RedisMemory
    pages: Stored
    rows: Stored
    jobs: int
    oldest_page: float | None
    living: Sequence[Mapping[str, Any]]
    dead: Sequence[Mapping[str, Any]]
    problems: int
    hosts: Mapping[str, int]
    outputs: Sequence[OutputState]


def read_cluster(connection: "redis.Redis", *, details_most: int) -> ClusterReadings:
    """Read the state of a cluster. Baselines are only read of up to `details_most` tasks. Raises `redis.RedisError`."""
    names, schedule = published_names(connection), Schedule(connection)
    removed = sorted({*ledgers(connection)}.difference(names))
    due, running, times = {*schedule.due()}, {*schedule.running()}, schedule.next_times()
    figures, totals = figures_of(connection, [*names, *removed]), totals_of(connection, [*names, *removed])
    medians = medians_of(connection, names) if len(names) <= details_most else {}
    alarms: dict[str, list[str]] = {}
    for alarm in present_alarms(connection):
        alarms.setdefault(alarm.task, []).append(alarm.kind)
    living, dead = processes(connection)
    return ClusterReadings(
        tasks={
            name: TaskReadings(
                figures[name], totals[name], medians.get(name, {}), alarms.get(name, ()), times.get(name)
            )
            for name in names
        },
        removed=[TaskReadings(figures[name], totals[name], alarms=alarms.get(name, ())) for name in removed],
        states=_states(names, removed, published_periods(connection), due, running),
        memory=memory_of(connection),
        pages=stored(connection),
        rows=Stored.of_fields(cast(dict[bytes, bytes], connection.hgetall(keys.QUEUED))),
        jobs=Inbox(connection).waiting_jobs(),
        oldest_page=oldest_page(connection),
        living=living,
        dead=dead,
        problems=len(present_problems(connection)),
        hosts=Counter(host.state for host in hosts(connection)),
        outputs=output_states(connection),
    )


def _states(
    names: Sequence[str], removed: Sequence[str], active: Mapping[str, str], due: set[str], running: set[str]
) -> dict[str, int]:
    """Return how many tasks are in each state, as `exemplar status` shows them."""
    numbers, gone = dict.fromkeys(RUN_STATES, 0), {*removed}
    for name in [*names, *removed]:
        if name in running:
            state = "running"
        elif name not in active:
            state = "removed" if name in gone else "paused"
        else:
            state = "due" if name in due else "idle"
        numbers[state] += 1
    return numbers
