"""The options of one run, its clock and bounds, which users do not set, and its report."""

import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, date, datetime
from typing import Any, Self, cast

import redis
from pydantic import ValidationError

from workers import keys
from workers.errors import ExemplarError
from workers.ledger import RETRY_PAUSES
from workers.redis_access.full_redis import in_one_step
from workers.stored_json import loaded
from workers.task_state.task_figures import RUNS_TOTAL

OUTCOMES = ("finished", "stopped", "unreachable", "no browser", "redis", "killed")  # of runs whose report is stored
ID_BYTES = 6  # bytes of a run's id
RUNS_KEPT = 50  # reports that are kept of a task
ALARM = "alarm: "  # beginning of the remark on an open alarm
PROBLEMS_MOST = 20  # problems in one report: more than a person reads, and a report fits into a pipe


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The user's options for one run. `limit` bounds its new articles; `all` removes the first run's bound.

    `since` and `until` are days, both included; `backfill`: walk the archive, independently of the runs that look for
    new articles, and fetch its articles after theirs.
    """

    limit: int | None = None
    all: bool = False
    since: date | None = None
    until: date | None = None
    backfill: bool = False

    @classmethod
    def of(cls, arguments: Mapping[str, str]) -> Self:
        """Return the options that a spider's arguments set. Raises `ExemplarError` for an invalid one."""
        names = [option.name for option in fields(cls)]
        if unknown := arguments.keys() - set(names):
            raise ExemplarError(f"unknown argument {min(unknown)!r}; known: task, tasks, {', '.join(names)}")
        try:
            return loaded(cls, arguments)
        except ValidationError as error:
            mistake = error.errors()[0]
            raise ExemplarError(f"invalid argument {mistake['loc'][0]}={mistake['input']}: {mistake['msg']}") from None

    def includes(self, day: date | None) -> bool:
        """Whether an article of a day is to be fetched; one without a known day is."""
        if day is None:
            return True
        return (self.since is None or day >= self.since) and (self.until is None or day <= self.until)


@dataclass(frozen=True, slots=True)
class RunBounds:
    """The clock of one run (`now`: aware; `monotonic`: seconds), and its bounds."""

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    monotonic: Callable[[], float] = time.monotonic
    pauses: tuple[float, ...] = RETRY_PAUSES  # seconds before a page's next attempt, by attempts
    backfill_a_run: int = 200  # articles found by back-fills that another run fetches
    backfill_waiting: int = 500  # articles found by back-fills that may wait to be fetched
    entered_at_once: int = 1000  # URLs that are entered in the ledger together: a sitemap has 50,000


BOUNDS = RunBounds()


@dataclass
class RunReport:
    """The results of a run. `outcome`: one of `OUTCOMES`; a crawl worker reports a run whose spider was killed.

    `id`: its name in the log.
    """

    task: str
    started: str
    ended: str = ""
    outcome: str = "running"
    lists: int = 0
    unchanged: int = 0  # lists that have not changed since their links were entered
    found: int = 0  # article links on the list pages
    new: int = 0  # of these, unknown before
    fetched: int = 0  # pages handed to the inbox
    rejected: int = 0
    failed: int = 0
    later: int = 0  # temporary failures, to be tried again
    rendered: int = 0  # articles and list pages that were rendered
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)  # notes that are not problems
    id: str = ""

    @classmethod
    def begun(cls, task: str, now: datetime) -> "RunReport":
        """Return the report of a run that begins."""
        return cls(task, now.isoformat(timespec="seconds"), id=secrets.token_hex(ID_BYTES))

    def end(self, outcome: str, now: datetime) -> None:
        """Record the end of the run."""
        self.outcome, self.ended = outcome, now.isoformat(timespec="seconds")

    @property
    def ok(self) -> bool:
        """Whether the run finished without a problem."""
        return self.outcome == "finished" and not self.problems

    def problem(self, text: str) -> None:
        """Add a problem for the user; beyond `PROBLEMS_MOST` nothing is added."""
        if len(self.problems) < PROBLEMS_MOST:
            self.problems.append(text)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return asdict(self)


def keep_report(connection: "redis.Redis", report: RunReport) -> None:
    """Store a report as the newest of its task, and count its outcome."""
    runs, counts = (keys.of_task(report.task, name) for name in ("runs", "counts"))
    row = json.dumps(report.to_dict(), ensure_ascii=False)
    commands = [
        ("LREM", runs, 1, row),  # it is there if the reply was lost, and the step repeated
        ("LPUSH", runs, row),
        ("LTRIM", runs, 0, RUNS_KEPT - 1),
        ("HINCRBY", counts, f"{RUNS_TOTAL}{report.outcome}", 1),
    ]
    in_one_step(connection, commands, writes=True)


def reports(connection: "redis.Redis", task: str, most: int = 1) -> list[dict[str, Any]]:
    """Return the reports of a task's last runs, newest first."""
    rows = cast(list[bytes], connection.lrange(keys.of_task(task, "runs"), 0, most - 1))
    return [json.loads(row) for row in rows]
