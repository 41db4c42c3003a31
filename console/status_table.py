"""The overview of the system as JSON and as text, for `exemplar status`; the API and a run show parts of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from console.locale import word
from console.overview import MachinesOverview, Overview, TaskOverview
from console.terminal import counted, local_time, moment, plain_table
from workers.backpressure import MEGABYTE
from workers.writing.output_states import OutputState

WIDE, NARROW = 110, 80  # characters from which a terminal is wide enough for all, or most, columns of the table
FEW_TITLES = ("seen", "waiting", "written", "failed")  # counts for a terminal that is narrower still


def overview_json(overview: Overview) -> dict[str, Any]:
    """Return an overview as JSON types.

    Times are in ISO 8601; those of processes, alarms and problems in Unix seconds.
    """
    tasks, machines = overview.tasks, overview.machines
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "tasks_from": tasks.edition.origin if tasks.edition else None,
        "tasks": [task_json(task) for task in tasks.tasks.values()],
        "queue": queue_json(overview),
        "outputs": [
            asdict(state) | {"since": _iso(state.since), "problem_since": _iso(state.problem_since)}
            for state in tasks.outputs
        ],
        "stored": asdict(machines.pages),
        "memory": {"used": machines.memory.used, "limit": machines.memory.limit, "full": machines.memory.is_full},
        "processes": machines.living,
        "died": machines.dead,
        "alarms": [alarm.to_dict() for alarm in tasks.alarms],
        "problems": list(map(asdict, machines.problems)),
        "redis": machines.redis,
        "hosts": [host.to_dict() for host in machines.hosts],
    }


def task_json(task: TaskOverview) -> dict[str, Any]:
    """Return one task as JSON types. `period`: the present one in seconds, if `every` is auto."""
    return {
        "task": task.name,
        "state": task.state,
        "next": _iso(task.next_run),
        "every": task.every or None,
        "period": task.period,
        "counts": task.counts,
        "last_run": task.last_run,
    }


def queue_json(overview: Overview) -> dict[str, Any]:
    """Return the waiting jobs, the age of the oldest page in seconds, and the due and the running tasks."""
    tasks, machines = overview.tasks, overview.machines
    return {"jobs": machines.jobs, "oldest_page": machines.oldest_page, "due": tasks.due, "running": tasks.running}


def process_line(process: Mapping[str, Any], now: float) -> str:
    """Return the overview's line about a process, alive or dead."""
    parts = [word(process["role"]), f"process {process['pid']} on {process.get('node', process.get('host', '?'))}"]
    if shown := process.get("version"):
        parts.append(f"version {shown}")
    if walk := process.get("walk"):
        parts.append(f"{word(walk)} walk")
    if (rate := process.get("pages_per_second")) is not None:
        parts.append(f"{rate:g} pages/s")
    if skew := process.get("clock_skew"):
        parts.append(f"clock {abs(skew):g} s {'ahead of Redis' if skew > 0 else 'behind that of Redis'}")
    if error := process.get("last_error"):
        parts.append(f"last error {_ago(now - error['at'])} ago: {error['text']}")
    return ", ".join(parts)


def died_line(process: Mapping[str, Any], now: float) -> str:
    """Return the overview's line about a process that died."""
    return f"{process_line(process, now)}; last heartbeat {_ago(now - process['at'])} ago"


def _ago(seconds: float) -> str:
    seconds = max(seconds, 0.0)
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def pressure_lines(machines: MachinesOverview) -> list[str]:
    """Return a line for a full Redis, and one for each spider that is slow or pauses."""
    memory, lines = machines.memory, []
    if memory.is_full:
        sizes = f"{memory.used / MEGABYTE:.0f} of {memory.limit / MEGABYTE:.0f} MB"
        lines.append(f"Redis is full ({sizes}): spiders wait, workers extract what is fetched; raise maxmemory")
    for process in machines.living:
        if process.get("waits"):
            what = "pauses" if process.get("level") == "pause" else "is slow"
            lines.append(f"{process['task']} {what}: {process['waits']}")
    return lines


def output_lines(outputs: Sequence[OutputState]) -> list[str]:
    """Return a line for each output that has waiting or refused rows."""
    lines = []
    for state in outputs:
        parts = []
        if state.waiting:
            since = f" since {_short(state.since)}" if state.since else ""
            parts.append(f"{counted(state.waiting, 'row')} waiting{since}")
        if state.problem:
            parts.append(state.problem.removeprefix("output unavailable: ").removeprefix(f"{state.output}: "))
        if state.refused:
            parts.append(f"{counted(state.refused, 'row')} refused: exemplar failures {state.task}")
        lines.append(f"output {state.output} of {state.task}: {'; '.join(parts)}")
    return lines


def table(tasks: Mapping[str, TaskOverview], width: int = WIDE) -> Any:
    """Return the tasks as a rich table. `width`: characters of the terminal; counts are complete on any."""
    texts: tuple[str, ...]
    numbers: tuple[str, ...]
    if width >= WIDE:
        texts, titles = ("state", "next run", "every"), ("duplicate", "rejected")
    else:
        texts, titles = ("state", "next") if width >= NARROW else ("state",), ("dup.", "rej.")
    numbers = ("seen", "waiting", "fetched", "written", *titles, "failed") if width >= NARROW else FEW_TITLES
    if width >= WIDE and any(task.counts["forgotten"] for task in tasks.values()):
        numbers += ("forgotten",)
    overview_table = plain_table(("task", *texts), numbers, folded="task")
    for task in tasks.values():
        counts = task.counts | {"waiting": task.counts["waiting"] + task.counts["leased"]}
        counts |= {"dup.": counts["duplicate"], "rej.": counts["rejected"]}
        short = _short(task.next_run)
        cells = {"state": word(task.state), "next run": short, "next": short[6:11] or "–", "every": _every(task)}
        overview_table.add_row(task.name, *map(cells.__getitem__, texts), *(str(counts[name]) for name in numbers))
    return overview_table


def _every(task: TaskOverview) -> str:
    """Return the task's period as text; for `auto` the present one."""
    if task.period is None:
        return task.every or "–"
    hours, minutes = divmod(round(task.period / 60), 60)
    return "auto: " + (f"{hours}h{minutes:02}m" if hours else f"{minutes}m")


def _iso(at: float | None) -> str | None:
    return moment(at) if at is not None else None


def _short(at: float | None) -> str:
    return local_time(moment(at)) if at is not None else "–"
