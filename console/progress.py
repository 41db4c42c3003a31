"""Progress of a run: lines of text, or lines of JSON."""

import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from console.locale import in_language, word
from console.overview import overview
from console.runner import Accounting, Runner
from console.terminal import counted, local_time, plain_table, print_json, say, show, show_data, wide_console

LINE_EVERY = 5.0  # seconds between two progress lines
STARTS_SHOWN = 20  # tasks whose next start is shown at the beginning
OUTPUTS_SHOWN = 5
COLUMNS = ("written", "duplicate", "rejected", "failed", "refused", "waiting", "fetched")


class JsonLines:
    """Prints each event as one line of JSON."""

    def event(self, kind: str, facts: dict[str, Any]) -> None:
        """Print the event."""
        print_json({"event": kind, "at": datetime.now(UTC).isoformat(timespec="seconds"), **facts})

    def look(self, runner: Runner) -> None:
        """Print nothing: `exemplar status --json` gives the counts."""

    def end(self, accounting: Accounting, outputs: Sequence[str]) -> None:
        """Print the accounting."""
        for problem in accounting.all_problems:
            say(f"problem: {problem}")
        facts = {"ok": accounting.ok, "stopped": accounting.stopped, "tasks": accounting.rows()}
        self.event("end", facts | {"problems": accounting.all_problems, "outputs": [*outputs]})


class TextLines:
    """Prints events as lines for a person, and the counts at most every `LINE_EVERY` seconds if they changed."""

    def __init__(self) -> None:
        self._last = time.monotonic()  # time of the last line with counts
        self._counts: tuple[int, ...] = ()

    def event(self, kind: str, facts: dict[str, Any]) -> None:
        """Print the event."""
        for line in event_lines(kind, facts):
            show(line)
        sys.stdout.flush()

    def look(self, runner: Runner) -> None:
        """Print the counts of all tasks together."""
        now = time.monotonic()
        if now - self._last < LINE_EVERY:
            return
        self._last = now
        rows = [task.counts for task in overview(runner.connection).tasks.tasks.values()]
        counts = tuple(sum(row[name] for row in rows) for name in ("written", "fetched", "waiting", "failed"))
        if counts != self._counts:
            self._counts = counts
            written, fetched, waiting, failed = counts
            show(f"{written} written, {fetched} to be extracted, {waiting} to be fetched, {failed} failed")
            sys.stdout.flush()

    def end(self, accounting: Accounting, outputs: Sequence[str]) -> None:
        """Print the accounting."""
        show_accounting(wide_console(), accounting, outputs)


def event_lines(kind: str, facts: dict[str, Any]) -> list[str]:
    """Return an event of a run as lines for a person; none for events that the accounting shows."""
    match kind:
        case "start" | "edited":
            starts = list(facts["next"].items())
            lines = [_start_line(*start) for start in starts[:STARTS_SHOWN]]
            more = [f"and {counted(len(starts) - STARTS_SHOWN, 'further task')}"] if len(starts) > STARTS_SHOWN else []
            return [*([f"tasks.yaml was edited: {facts['text']}"] if kind == "edited" else []), *lines, *more]
        case "crawled":
            return [crawled_line(facts), *_texts_of(facts), *_next_of(facts)]
        case "note":
            return [f"note: {facts['text']}"]
        case "trouble":
            return [f"problem: {facts['text']}"]
        case "over":
            return [f"resolved: {facts['text']}"]
    return []


def crawled_line(report: dict[str, Any]) -> str:
    """Return a line with the result of one task's crawl."""
    if report["outcome"] == "killed":
        return f"{report['task']}: the crawl was stopped"
    outcome = word(report["outcome"])
    return (
        f"{report['task']}: crawl {outcome}; {counted(report['lists'], 'list page')}, "
        f"{counted(report['new'], 'new article')}, "
        f"{report['fetched']} fetched, {report['rejected']} rejected, {report['failed']} failed, "
        f"{report['later']} to be tried again"
    )


def _texts_of(report: dict[str, Any]) -> list[str]:
    problems, remarks = report.get("problems", ()), report.get("remarks", ())
    return [*(f"  problem: {text}" for text in problems), *(f"  note: {text}" for text in remarks)]


def _next_of(report: dict[str, Any]) -> list[str]:
    return [f"  {_start_line(report['task'], report['next'])}"] if report.get("next") else []


def _start_line(task: str, at: str) -> str:
    return f"{task} starts now" if at == "now" else f"{task} starts next at {local_time(at)}"


def show_accounting(console: Any, accounting: Accounting, outputs: Sequence[str]) -> None:
    """Print the accounting as a table, then problems and remarks, and where the rows are."""
    console.print(accounting_table(accounting))
    for row in accounting.rows():
        for text in (*row["problems"], *row["remarks"]):
            show_data(f"{row['task']}: {in_language(text)}")
    for text in accounting.all_problems:
        say(f"problem: {text}")
    more = [f"and {len(outputs) - OUTPUTS_SHOWN} more"] if len(outputs) > OUTPUTS_SHOWN else []
    show(f"rows are in {', '.join([*outputs[:OUTPUTS_SHOWN], *more])}")


def accounting_table(accounting: Accounting) -> Any:
    """Return the accounting as a table, one row per task; columns without a number but 0 are left out."""
    rows = accounting.rows()
    columns = [name for name in COLUMNS if name == "written" or any(row[name] for row in rows)]
    run_table = plain_table(("task", "run"), columns, folded="task")
    for row in rows:
        run_table.add_row(row["task"], word(row["outcome"]), *(str(row[name]) for name in columns))
    return run_table
