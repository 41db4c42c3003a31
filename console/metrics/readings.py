"""The readings of one scrape: the overview, with the counters and baselines that only the metrics show."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import redis

from console.overview import (
    MachinesOverview,
    PublishedTasks,
    TaskOverview,
    TasksOverview,
    machines_overview,
    tasks_overview,
)
from workers.health import medians_of
from workers.task_state.task_figures import TaskTotals, totals_of


@dataclass(frozen=True, slots=True)
class TaskReadings:
    """One task. `medians`: of its baselines."""

    overview: TaskOverview
    totals: TaskTotals
    medians: Mapping[str, float] = field(default_factory=dict)

    @property
    def last_run_times(self) -> tuple[float, float] | None:
        """Return when the last run began and ended, in Unix seconds; None if none has ended."""
        run = self.overview.last_run or {}
        try:
            begun, ended = (datetime.fromisoformat(str(run.get(name))) for name in ("started", "ended"))
        except ValueError:
            return None
        return begun.timestamp(), ended.timestamp()


@dataclass(frozen=True, slots=True)
class ClusterReadings:
    """The state of a cluster. `tasks`: those in force, by name; `removed`: those that only have a ledger."""

    overview: TasksOverview
    machines: MachinesOverview
    tasks: Mapping[str, TaskReadings]
    removed: Mapping[str, TaskReadings]


def read_cluster(connection: "redis.Redis", published: PublishedTasks, *, details_most: int) -> ClusterReadings:
    """Read the state of a cluster. Baselines are only read of up to `details_most` tasks. Raises `redis.RedisError`."""
    overview = tasks_overview(connection, published)
    totals = totals_of(connection, [*overview.tasks])
    names = [name for name, task in overview.tasks.items() if task.is_in_force]
    medians = medians_of(connection, names) if len(names) <= details_most else {}
    rows = {name: TaskReadings(task, totals[name], medians.get(name, {})) for name, task in overview.tasks.items()}
    return ClusterReadings(
        overview,
        machines_overview(connection),
        {name: rows[name] for name in names},
        {name: row for name, row in rows.items() if not row.overview.is_in_force},
    )
