"""The state of the whole system as one value, for `exemplar status` and for the progress of `exemplar run`."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, cast

import redis

from console.locale import word
from console.options import counted, local_time
from crawler.politeness.host_states import hosts
from crawler.run.run_report import reports
from crawler.scheduling.schedule import Schedule
from crawler.task_list.mistakes import TaskError
from crawler.task_list.models import TaskFile
from crawler.task_list.publication import edition, published
from extractors import walk_in_use
from workers.backpressure import MEGABYTE, stored
from workers.health import Alarm, present_alarms
from workers.inbox import Inbox
from workers.ledger import Ledger, ledgers, with_pages
from workers.redis_access.full_redis import memory_of
from workers.redis_access.redis_clock import clock_of
from workers.reporting.presence import processes
from workers.reporting.present_problems import present_problems
from workers.writing.output_states import output_states

WIDE, NARROW = 110, 80  # characters from which a terminal is wide enough for all, or most, columns of the table
FEW_TITLES = ("seen", "waiting", "written", "failed")  # counts for a terminal that is narrower still
PAGES_EXAMINED = 100  # pages of each task and state that are examined for the age of the oldest page


def overview(connection: "redis.Redis") -> dict[str, Any]:
    """Return tasks with their counts, last and next run; the queue with the age of its oldest page in seconds; for each
    output the waiting and the refused rows; live processes and those that died; present problems; the Redis; the walk
    over the tree on this machine; hosts that are slowed or closed.

    JSON-ready, times in ISO 8601; those of processes and problems in Unix seconds.
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
                "period": automatic.get(name),  # the present period in seconds, if `every` is auto
                "counts": Ledger(connection, name).counts().to_dict(),
                "last_run": last[0] if last else None,
            }
        )
    current, memory = edition(connection), memory_of(connection)
    living, dead = processes(connection)
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "tasks_from": current.origin if current else None,
        "tasks": rows,
        "queue": {
            "jobs": Inbox(connection).waiting_jobs(),
            "oldest_page": oldest_page(connection),
            "due": due,
            "running": running,
        },
        "outputs": [
            asdict(state) | {"since": _iso(state.since), "problem_since": _iso(state.problem_since)}
            for state in output_states(connection)
        ],
        "stored": asdict(stored(connection)),
        "memory": {"used": memory.used, "limit": memory.limit, "full": memory.is_full},
        "processes": living,
        "died": dead,
        "alarms": [alarm.to_dict() for alarm in present_alarms(connection)],
        "problems": [problem.to_dict() for problem in present_problems(connection)],
        "redis": redis_in_use(connection),
        "walk": walk_in_use(),
        "hosts": [host.to_dict() for host in hosts(connection)],
    }


def oldest_page(connection: "redis.Redis") -> float | None:
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


def redis_in_use(connection: "redis.Redis") -> dict[str, str | None]:
    """Return product, version and program of the server (the program is unknown for some managed ones)."""
    info = connection.info("server")
    product = "Valkey" if "valkey_version" in info else "Redis"
    number = info.get("valkey_version") or info.get("redis_version")
    return {"product": product, "version": str(number), "program": str(info.get("executable") or "") or None}


def process_line(process: dict[str, Any], now: float) -> str:
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


def died_line(process: dict[str, Any], now: float) -> str:
    """Return the overview's line about a process that died."""
    return f"{process_line(process, now)}; last heartbeat {_ago(now - process['at'])} ago"


def _ago(seconds: float) -> str:
    seconds = max(seconds, 0.0)
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def pressure_lines(state: dict[str, Any]) -> list[str]:
    """Return a line for a full Redis, and one for each spider that is slow or pauses; from an overview."""
    memory, lines = state["memory"], []
    if memory["full"]:
        sizes = f"{memory['used'] / MEGABYTE:.0f} of {memory['limit'] / MEGABYTE:.0f} MB"
        lines.append(f"Redis is full ({sizes}): spiders wait, workers extract what is fetched; raise maxmemory")
    for process in state["processes"]:
        if process.get("waits"):
            what = "pauses" if process.get("level") == "pause" else "is slow"
            lines.append(f"{process['task']} {what}: {process['waits']}")
    return lines


def alarm_lines(state: dict[str, Any]) -> list[str]:
    """Return a line for each open alarm; from an overview."""
    return [f"alarm: {row['task']}: {Alarm.from_dict(row).in_words()}" for row in state.get("alarms", [])]


def output_lines(state: dict[str, Any]) -> list[str]:
    """Return a line for each output that has waiting or refused rows; from an overview."""
    lines = []
    for row in state["outputs"]:
        parts = []
        if row["waiting"]:
            since = f" since {_short(row['since'])}" if row["since"] else ""
            parts.append(f"{counted(row['waiting'], row['unit'][:-1])} waiting{since}")
        if row["problem"]:
            parts.append(row["problem"].removeprefix("output unavailable: ").removeprefix(f"{row['output']}: "))
        if row["refused"]:
            parts.append(f"{counted(row['refused'], 'row')} refused: exemplar failures {row['task']}")
        lines.append(f"output {row['output']} of {row['task']}: {'; '.join(parts)}")
    return lines


def table(state: dict[str, Any], width: int = WIDE) -> Any:
    """Return the overview as a rich table. `width`: characters of the terminal; counts are complete on any."""
    from rich.table import Table

    texts: tuple[str, ...]
    if width >= WIDE:
        texts, titles = ("state", "next run", "every"), ("duplicate", "rejected")
    else:
        texts, titles = ("state", "next") if width >= NARROW else ("state",), ("dup.", "rej.")
    numbers = ("seen", "waiting", "fetched", "written", *titles, "failed") if width >= NARROW else FEW_TITLES
    overview_table = Table(box=None, pad_edge=False)
    overview_table.add_column(word("task"), overflow="fold")
    for title in texts:
        overview_table.add_column(word(title), no_wrap=True)
    for title in numbers:
        overview_table.add_column(word(title), justify="right", no_wrap=True)
    for row in state["tasks"]:
        counts = row["counts"] | {"waiting": row["counts"]["waiting"] + row["counts"]["leased"]}
        counts |= {"dup.": counts["duplicate"], "rej.": counts["rejected"]}
        short = _short(row["next"])
        cells = {"state": word(row["state"]), "next run": short, "next": short[6:11] or "–", "every": _every(row)}
        overview_table.add_row(row["task"], *map(cells.__getitem__, texts), *(str(counts[name]) for name in numbers))
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
    return "–" if moment is None else local_time(moment)
