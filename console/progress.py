"""Progress of a run: a live table on a terminal, JSON lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Protocol

from console.options import print_json, printable, say
from console.runner import Accounting, Runner
from console.status import overview, table

LINE_EVERY = 5.0  # seconds between two progress lines
PROBLEMS_SHOWN = 5
COLUMNS = ("written", "duplicate", "rejected", "failed", "waiting", "fetched")


class Progress(Protocol):
    """The display of a run's progress."""

    def event(self, kind: str, facts: dict[str, Any]) -> None:
        """Show one event."""
        ...

    def look(self, runner: Runner) -> None:
        """Show the present state; called a few times a second."""
        ...

    def end(self, accounting: Accounting, *, once: bool) -> None:
        """Show the accounting at the end of the run."""
        ...


@contextmanager
def progress_for(as_json: bool) -> Iterator[Progress]:
    """Yield the progress display that fits this standard output."""
    if as_json or not sys.stdout.isatty():
        yield JsonLines()
        return
    from rich.console import Console
    from rich.live import Live

    console = Console()
    with Live(console=console, refresh_per_second=4, transient=True) as live:
        yield LiveTable(console, live)


class JsonLines:
    """Prints each event as one line of JSON, and the counts every `LINE_EVERY` seconds. `clock`: monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = 0.0  # time of the last progress line

    def event(self, kind: str, facts: dict[str, Any]) -> None:
        """Print the event."""
        print_json({"event": kind, "at": datetime.now(UTC).isoformat(timespec="seconds"), **facts})

    def look(self, runner: Runner) -> None:
        """Print the counts every `LINE_EVERY` seconds."""
        now = self._clock()
        if now - self._last < LINE_EVERY:
            return
        self._last = now
        state = overview(runner.connection)
        counts = {row["task"]: row["counts"] for row in state["tasks"]}
        self.event("progress", {"counts": counts, "queue": state["queue"]})

    def end(self, accounting: Accounting, *, once: bool) -> None:
        """Print the accounting."""
        problems = [*dict.fromkeys(accounting.problems), *filter(None, [accounting.gave_up])]
        for problem in problems:
            say(f"problem: {problem}")
        rows = accounting.rows()
        self.event("end", {"ok": accounting.ok, "stopped": accounting.stopped, "tasks": rows, "problems": problems})


class LiveTable:
    """A table that is redrawn several times a second, with the newest problems below it."""

    def __init__(self, console: Any, live: Any):
        self.console, self.live = console, live
        self._problems: list[str] = []

    def event(self, kind: str, facts: dict[str, Any]) -> None:
        """Keep the texts of problems; the table shows everything else."""
        if kind == "trouble":
            self._problems = [*self._problems, str(facts["text"])][-PROBLEMS_SHOWN:]
        elif kind == "crawled":
            self._problems = [*self._problems, *(f"{facts['task']}: {text}" for text in facts["problems"])]

    def look(self, runner: Runner) -> None:
        """Redraw the table."""
        from rich.console import Group
        from rich.text import Text

        state = overview(runner.connection)
        lines = [Text(printable(text), style="yellow") for text in self._problems[-PROBLEMS_SHOWN:]]
        self.live.update(Group(table(state), Text("Ctrl-C stops the run; nothing is lost", style="dim"), *lines))

    def end(self, accounting: Accounting, *, once: bool) -> None:
        """Replace the table by the accounting."""
        self.live.stop()
        self.console.print(accounting_table(accounting))
        for row in accounting.rows():
            for problem in row["problems"]:
                self.console.print(printable(f"{row['task']}: {problem}"), highlight=False, markup=False)
        for text in [*dict.fromkeys(accounting.problems), *filter(None, [accounting.gave_up])]:
            say(f"problem: {text}")


def accounting_table(accounting: Accounting) -> Any:
    """Return the accounting as a table, one row a task."""
    from rich.table import Table

    run_table = Table(box=None, pad_edge=False)
    run_table.add_column("task")
    run_table.add_column("run")
    for title in COLUMNS:
        run_table.add_column(title, justify="right")
    for row in accounting.rows():
        run_table.add_row(row["task"], row["outcome"], *(str(row[name]) for name in COLUMNS))
    return run_table
