"""What a person asks of one run, and what a run tells of itself afterwards."""

import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from typing import Any, cast

import redis

from workers import keys

RUNS_KEPT = 50  # reports of a task
PROBLEMS_MOST = 20  # in one report: more than a person reads, and a report fits through a pipe


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a person asks of one run. `limit` bounds the new articles of this run; `all` lifts the first run's bound.

    `since` and `until` are days, both included; `backfill` walks the archive beside the runs that look for news, and
    what it finds is fetched after what they find.
    """

    limit: int | None = None
    all: bool = False
    since: date | None = None
    until: date | None = None
    backfill: bool = False

    def ask_for(self, day: date | None) -> bool:
        """Whether an article of a day is asked for; of one without a date it can't be said yet."""
        if day is None:
            return True
        return (self.since is None or day >= self.since) and (self.until is None or day <= self.until)


@dataclass
class RunReport:
    """What a run did. `outcome`: finished, stopped, unreachable, no browser, redis, killed."""

    task: str
    started: str
    ended: str = ""
    outcome: str = "running"
    lists: int = 0
    unchanged: int = 0  # lists that their server said are what they were
    found: int = 0  # article links on the list pages
    new: int = 0  # of them not known before
    fetched: int = 0  # pages handed to the inbox
    rejected: int = 0
    failed: int = 0
    later: int = 0  # failed in passing, to be tried again
    rendered: int = 0  # pages and list pages that came out of a browser
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)  # worth knowing, and nothing is wrong

    @classmethod
    def begun(cls, task: str) -> "RunReport":
        """The report of a run that begins now."""
        return cls(task, _now())

    def end(self, outcome: str) -> None:
        """The run ends now."""
        self.outcome, self.ended = outcome, _now()

    @property
    def ok(self) -> bool:
        """Whether the run did all it had to."""
        return self.outcome == "finished" and not self.problems

    def problem(self, text: str) -> None:
        """Note what a person should know."""
        if len(self.problems) < PROBLEMS_MOST:
            self.problems.append(text)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def keep_report(connection: "redis.Redis", report: RunReport) -> None:
    """Put a report before the earlier ones of its task."""
    history = keys.of_task(report.task, "runs")
    pipe = connection.pipeline()
    pipe.lpush(history, json.dumps(report.to_dict(), ensure_ascii=False))
    pipe.ltrim(history, 0, RUNS_KEPT - 1)
    pipe.execute()


def reports(connection: "redis.Redis", task: str, most: int = 1) -> list[dict[str, Any]]:
    """The reports of a task's last runs, newest first."""
    rows = cast(list[bytes], connection.lrange(keys.of_task(task, "runs"), 0, most - 1))
    return [json.loads(row) for row in rows]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
