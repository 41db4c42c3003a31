"""A collector of Prometheus' client library: it reads Redis when it is scraped, and keeps nothing.

A scrape reads the overview, and the counters that only the metrics show. docs/monitoring.md lists the metrics; a test
compares. Labels are bounded: `server` is the Redis of the cluster; `task` by the task list, and only up to `TASKS_MOST`
tasks; `node` by the machines with a heartbeat; `state`, `role`, `kind` and `outcome` by the program.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from typing import Any, Literal

import redis
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from console.overview import (
    MachinesOverview,
    Overview,
    RunState,
    TaskOverview,
    machines_overview,
    tasks_overview,
)
from crawler.run.run_report import OUTCOMES
from workers.errors import ExemplarError
from workers.health.alarms import KINDS
from workers.redis_access.connection import client
from workers.task_state.task_figures import TaskTotals, totals_of

RUN_STATES: tuple[RunState, ...] = ("running", "due", "idle", "paused", "removed")
EMBEDDED = "embedded"  # name of the embedded Redis
SEVERAL_WORDS = str.maketrans(" ", "_")
# A counter begins with 0: Prometheus cannot see an increase to the first value of a series.
NO_URLS = dict.fromkeys(("written", "duplicate", "rejected", "failed"), 0)
NO_RUNS = dict.fromkeys(OUTCOMES, 0)
TIMEOUT = 3.0  # seconds for one reply of Redis: a scrape should end within the usual ten seconds

TASKS_MOST = 1000  # tasks of a cluster up to which each has its own series; for more tasks there are only sums


@dataclass(frozen=True, slots=True)
class MetricName:
    """One metric. `labels`: in addition to `server`, which all metrics of a cluster have."""

    name: str
    kind: Literal["gauge", "counter"]
    help: str
    labels: tuple[str, ...] = ()


def _gauge(name: str, text: str, *labels: str) -> MetricName:
    return MetricName(f"exemplar_{name}", "gauge", text, labels)


def _counter(name: str, text: str, *labels: str) -> MetricName:
    return MetricName(f"exemplar_{name}_total", "counter", text, labels)


BUILD = _gauge("build_info", "Version of the program that gives these metrics; the value is always 1.", "version")
UP = _gauge("up", "Whether the Redis server answers (1) or not (0); without an answer it has no other metrics.")
METRICS = (
    BUILD,
    UP,
    # of the server
    _gauge("redis_memory_used_bytes", "Memory that Redis uses."),
    _gauge("redis_memory_limit_bytes", "maxmemory of Redis, or without it the memory of its machine."),
    _gauge("queue_pages", "Fetched pages that are not settled yet."),
    _gauge("queue_bytes", "Compressed size of the fetched pages that are not settled yet."),
    _gauge("queue_jobs", "Wake-up jobs that no worker has started."),
    _gauge("queue_oldest_page_age_seconds", "Time for which the oldest fetched page has waited; 0 if none waits."),
    _gauge("delivery_rows", "Rows that wait for delivery, once for each output."),
    _gauge("delivery_bytes", "Compressed size of the rows that wait for delivery."),
    _gauge("outputs_unavailable", "Outputs with a problem, for which pages or rows wait."),
    _gauge("rows_refused", "Rows that outputs refused and that are kept."),
    _gauge("problems", "Present problems, such as a full disk."),
    _gauge("hosts", "Hosts that are slowed down, or closed after failures.", "state"),
    _gauge("tasks", "Tasks by what they do now.", "state"),
    _gauge("alarms_open", "Open alarms of all tasks.", "kind"),
    _gauge("processes", "Processes with a present heartbeat.", "node", "role"),
    _gauge("processes_died", "Processes whose heartbeat stopped within the last hour.", "node", "role"),
    _gauge("extraction_workers", "Extraction workers.", "node"),
    _gauge("extraction_pages_per_second", "Pages extracted per second, over the last minute.", "node"),
    # of each task, or their sum without the label
    _gauge("urls", "URLs in the ledger by state.", "task", "state"),
    _counter("urls_settled", "URLs that were settled, by their new state; without rechecks.", "task", "state"),
    _counter("runs", "Runs that ended, by outcome.", "task", "outcome"),
    # of each task, for up to `TASKS_MOST` tasks
    _gauge("task_alarms_open", "Open alarms of a task; there is no series without an alarm.", "task", "kind"),
    _gauge("last_run_timestamp_seconds", "When the last run of a task ended, in Unix time.", "task"),
    _gauge("last_run_duration_seconds", "Duration of the last run of a task.", "task"),
    _gauge("last_run_success", "Whether the last run of a task finished without a problem (1) or not (0).", "task"),
    _gauge("last_run_new_urls", "Article URLs that the last run of a task found and that were not known.", "task"),
    _gauge("next_run_timestamp_seconds", "When the next run of a task is scheduled, in Unix time.", "task"),
)


class ExemplarCollector(Collector):
    """Collects the metrics of a cluster. `server`: the name of its Redis; `url`: its address as in REDIS_URL."""

    def __init__(self, server: str, url: str, *, tasks_most: int = TASKS_MOST):
        self.server, self.tasks_most = server, tasks_most
        self._redis = client(url, retries=0, timeout=TIMEOUT)

    def describe(self) -> Iterable[Metric]:
        """Return no metrics, so that the registry does not read Redis when the collector is added."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Read Redis, and yield the metrics."""
        sheet = MetricSheet(self.server)
        sheet.add(BUILD.name, 1, version=version("exemplar-crawler"))
        try:
            found = Overview(tasks_overview(self._redis), machines_overview(self._redis))
            has_each = sum(task.is_in_force for task in found.tasks.tasks.values()) <= self.tasks_most
            totals = totals_of(self._redis, [*found.tasks.tasks])
        except (redis.RedisError, ExemplarError, OSError):
            sheet.add(UP.name, 0)
        else:
            sheet.add(UP.name, 1)
            _add_server(sheet, found)
            _add_tasks(sheet, found.tasks.tasks, totals, has_each)
        yield from sheet.families()


class MetricSheet:
    """Gathers values of a server by metric. A label that is not given is empty, which Prometheus treats as missing."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._labels = {one.name: (() if one is BUILD else ("server",)) + one.labels for one in METRICS}
        self._families: dict[str, Metric] = {
            one.name: (CounterMetricFamily if one.kind == "counter" else GaugeMetricFamily)(
                one.name, one.help, labels=self._labels[one.name]
            )
            for one in METRICS
        }

    def add(self, metric: str, number: float, **labels: str) -> None:
        """Add one value."""
        family: Any = self._families[metric]
        labels["server"] = self._server
        family.add_metric([labels.get(name, "") for name in self._labels[metric]], number)

    def families(self) -> Iterator[Metric]:
        """Yield the metrics that have values."""
        return (family for family in self._families.values() if family.samples)


def registry_of(collector: Collector) -> CollectorRegistry:
    """Return a registry with this collector alone, without metrics of this process."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(collector)
    return registry


def _add_server(sheet: MetricSheet, found: Overview) -> None:
    machines, tasks = found.machines, found.tasks.tasks.values()
    for name, number in {
        "redis_memory_used_bytes": machines.memory.used,
        "redis_memory_limit_bytes": machines.memory.limit,
        "queue_pages": machines.pages.pages,
        "queue_bytes": machines.pages.size,
        "queue_jobs": machines.jobs,
        "queue_oldest_page_age_seconds": machines.oldest_page or 0.0,
        "delivery_rows": machines.rows.pages,
        "delivery_bytes": machines.rows.size,
        "outputs_unavailable": sum(bool(output.problem) for output in found.tasks.outputs),
        "rows_refused": sum(output.refused for output in found.tasks.outputs),
        "problems": len(machines.problems),
    }.items():
        sheet.add(f"exemplar_{name}", number)
    hosts = Counter(host.state for host in machines.hosts)
    for state in ("slowed", "closed"):
        sheet.add("exemplar_hosts", hosts[state], state=state)
    states = Counter(task.state for task in tasks)
    for state in RUN_STATES:
        sheet.add("exemplar_tasks", states[state], state=state)
    open_alarms = Counter(str(alarm.kind) for task in tasks for alarm in task.alarms)
    for kind in KINDS:
        sheet.add("exemplar_alarms_open", open_alarms[kind], kind=kind.translate(SEVERAL_WORDS))
    _add_processes(sheet, machines)


def _add_processes(sheet: MetricSheet, machines: MachinesOverview) -> None:
    for metric, beats in (("processes", machines.living), ("processes_died", machines.dead)):
        numbers = Counter((_node(beat), str(beat["role"])) for beat in beats)
        for (node, role), count in sorted(numbers.items()):
            sheet.add(f"exemplar_{metric}", count, node=node, role=role)
    for metric, fact in (("extraction_workers", "workers"), ("extraction_pages_per_second", "pages_per_second")):
        sums: dict[str, float] = {}
        for beat in machines.living:
            if beat["role"] == "extract":
                sums[_node(beat)] = sums.get(_node(beat), 0) + float(beat.get(fact, 0))
        for node, number in sorted(sums.items()):
            sheet.add(f"exemplar_{metric}", number, node=node)


def _node(beat: Mapping[str, Any]) -> str:
    return str(beat.get("node") or beat.get("host") or "")


def _add_tasks(
    sheet: MetricSheet, tasks: Mapping[str, TaskOverview], totals: Mapping[str, TaskTotals], has_each: bool
) -> None:
    """Add the series of each task, or only their sums if there are too many tasks for that."""
    sums: Counter[tuple[str, str, str]] = Counter()
    for task in tasks.values():
        if has_each and not task.is_in_force:  # a removed task has no series, but counts in the sums
            continue
        name = task.name if has_each else ""
        for state, number in task.figures.counts.states.items():
            sums["urls", name, state] += number
        for settled, number in {**NO_URLS, **totals[task.name].settled}.items():
            sums["urls_settled_total", name, settled] += number
        for outcome, number in {**NO_RUNS, **totals[task.name].runs}.items():
            sums["runs_total", name, outcome] += number
        if has_each:
            _add_task(sheet, task)
    for (metric, name, value), number in sums.items():
        label = {"outcome" if metric == "runs_total" else "state": value.translate(SEVERAL_WORDS)}
        sheet.add(f"exemplar_{metric}", number, task=name, **label)


def _add_task(sheet: MetricSheet, task: TaskOverview) -> None:
    def add(metric: str, number: float, **labels: str) -> None:
        sheet.add(metric, number, task=task.name, **labels)

    for kind, number in Counter(str(alarm.kind) for alarm in task.alarms).items():
        add("exemplar_task_alarms_open", number, kind=kind.translate(SEVERAL_WORDS))
    run, times = task.last_run, _times_of(task.last_run or {})
    if run is not None and times is not None:
        add("exemplar_last_run_timestamp_seconds", times[1])
        add("exemplar_last_run_duration_seconds", max(times[1] - times[0], 0.0))
        add("exemplar_last_run_success", int(run.get("outcome") == "finished" and not run.get("problems")))
        add("exemplar_last_run_new_urls", int(run.get("new", 0)))
    if task.next_run is not None:
        add("exemplar_next_run_timestamp_seconds", task.next_run)


def _times_of(run: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return when a run began and ended, in Unix seconds; None if it has not ended."""
    try:
        begun, ended = (datetime.fromisoformat(str(run.get(name))) for name in ("started", "ended"))
    except ValueError:
        return None
    return begun.timestamp(), ended.timestamp()
