"""The metrics: name, type, labels and the text of HELP. docs/monitoring.md lists them; a test compares.

Labels are bounded: `server` is the Redis of the cluster; `task` by the task list, and only up to `TASKS_MOST` tasks;
`node` by the machines with a heartbeat; `state`, `role`, `kind` and `outcome` by the program.
"""

from dataclasses import dataclass
from typing import Literal

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
