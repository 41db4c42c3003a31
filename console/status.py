"""The state of the whole system as one value, for `exemplar status` and for the progress of `exemplar run`."""

from datetime import UTC, datetime
from typing import Any

import redis

from crawler.politeness.host_states import hosts
from crawler.run.run_report import reports
from crawler.scheduling.schedule import Schedule
from crawler.task_list.mistakes import TaskError
from crawler.task_list.models import TaskFile
from crawler.task_list.publication import edition, published
from workers.inbox import Inbox
from workers.ledger import Ledger, ledgers
from workers.presence import alive


def overview(connection: "redis.Redis") -> dict[str, Any]:
    """Return tasks with their counts, last and next run; the queue; live processes; hosts that are slowed or closed.

    JSON-ready, times in ISO 8601.
    """
    try:
        tasks: TaskFile | None = published(connection)
    except TaskError:
        tasks = None
    schedule = Schedule(connection)
    times, due, running = schedule.next_times(), schedule.due(), schedule.running()
    names = list(tasks.tasks) if tasks else []
    automatic = schedule.periods_in_force(names)
    gone = [name for name in ledgers(connection) if name not in names]
    rows = []
    for name in [*names, *gone]:
        last = reports(connection, name)
        rows.append(
            {
                "task": name,
                "state": _state(name, tasks, due, running),
                "next": _iso(times.get(name)),
                "every": str(tasks.tasks[name].every) if tasks and name in tasks.tasks else None,
                "period": automatic.get(name),  # present one in seconds, if `every` is auto
                "counts": Ledger(connection, name).counts().to_dict(),
                "last_run": last[0] if last else None,
            }
        )
    current = edition(connection)
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "tasks_from": current.origin if current else None,
        "tasks": rows,
        "queue": {"jobs": Inbox(connection).waiting_jobs(), "due": due, "running": running},
        "processes": alive(connection),
        "hosts": [host.to_dict() for host in hosts(connection)],
    }


def table(state: dict[str, Any]) -> Any:
    """Return the overview as a rich table."""
    from rich.table import Table

    overview_table = Table(box=None, pad_edge=False)
    for title in ("task", "state", "next run", "every"):
        overview_table.add_column(title)
    for title in ("seen", "waiting", "fetched", "written", "duplicate", "rejected", "failed"):
        overview_table.add_column(title, justify="right")
    for row in state["tasks"]:
        counts = row["counts"]
        waiting = counts["waiting"] + counts["leased"]
        numbers = [
            counts["seen"],
            waiting,
            *(counts[name] for name in ("fetched", "written", "duplicate", "rejected", "failed")),
        ]
        overview_table.add_row(row["task"], row["state"], _short(row["next"]), _every(row), *map(str, numbers))
    return overview_table


def _state(name: str, tasks: TaskFile | None, due: list[str], running: list[str]) -> str:
    if name in running:
        return "running"
    if tasks is None or name not in tasks.tasks:
        return "removed"
    if tasks.tasks[name].paused:
        return "paused"
    return "due" if name in due else "idle"


def _every(row: dict[str, Any]) -> str:
    """Return the task's period as text; for `auto` the present one."""
    if row["period"] is None:
        return row["every"] or "–"
    hours, minutes = divmod(round(row["period"] / 60), 60)
    return "auto: " + (f"{hours}h{minutes:02}m" if hours else f"{minutes}m")


def _iso(moment: float | None) -> str | None:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds") if moment is not None else None


def _short(moment: str | None) -> str:
    if moment is None:
        return "–"
    return datetime.fromisoformat(moment).astimezone().strftime("%m-%d %H:%M:%S")
