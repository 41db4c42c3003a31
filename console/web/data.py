"""Data for the pages and the API: tasks, runs, links, failures, machines, articles; in bounded queries.

A list that may be long is truncated (`…_MOST`) and marked as such; values of all tasks are in one snapshot.
"""

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import redis

from console.overview import TaskOverview
from console.problems import Group, failed_groups, groups, refused_groups
from console.web.article_index import ArticleIndex
from console.web.article_sources import article_files
from console.web.config import ConsoleConfig
from console.web.snapshot import FRESH, Kept, Snapshot, read_snapshot, task_list
from crawler.politeness.pace import host_of, host_state
from workers.ledger import Ledger, short
from workers.redesign.proposals import Proposal, proposals
from workers.redis_access.redis_address import address_of
from workers.reporting.presence import processes
from workers.task_state.problems import Problem
from workers.url_states import OPEN_STATES, State, fingerprint

PROBLEMS_MOST = 400  # newest rejected and failed URLs of a task that are examined
LINKS_MOST = 30  # open URLs of a task that are shown
FAILING_TASKS_MOST = 10  # tasks on one page of failures
HOSTS_MOST = 100
INDEX_EVERY = 5.0  # seconds between two updates of the index
INDEXER = "article-index"  # name of the thread that keeps the index up to date
PROPOSALS_FRESH = 20.0  # seconds for which the proposals of all tasks, which include back-tests, are kept


class UnknownTask(LookupError):
    """There is no task of this name."""


@dataclass(frozen=True, slots=True)
class TaskFailures:
    """The failed pages and refused rows of a task, by reason."""

    task: str
    failed: int
    pages: list[Group]
    rows: list[Group]


@dataclass(frozen=True, slots=True)
class TaskLinks:
    """The outcomes of a task's links. `complete`: whether all URLs without a row were examined."""

    open: tuple[dict[str, Any], ...]
    left: list[Group]
    complete: bool


class ConsoleData:
    """The data that the console reads. Safe for several threads. `url`: the address of the Redis of `connection`."""

    def __init__(self, config: ConsoleConfig, url: str, connection: "redis.Redis", state: Path):
        self.config, self.url, self.redis = config, url, connection
        self.redis_name = address_of(url).name
        self.snapshots = Kept(partial(read_snapshot, connection, config.tasks), FRESH)
        self.index = ArticleIndex(state / "console")
        self._proposals = Kept(partial(_open_proposals, connection), PROPOSALS_FRESH)
        self._stopping = threading.Event()
        self._indexer = threading.Thread(target=self._keep_index, name=INDEXER, daemon=True)

    def start(self) -> None:
        """Keep the index of the articles up to date from now on."""
        self._indexer.start()

    def stop(self) -> None:
        """End the thread that keeps the index up to date."""
        self._stopping.set()
        if self._indexer.is_alive():
            self._indexer.join(5.0)

    def update_index(self) -> int:
        """Index the rows that the outputs have since the last time; return how many articles are new."""
        tasks, _ = task_list(self.config.tasks)
        if not tasks:
            return 0
        self.index.former = {former: task.name for task in tasks.tasks.values() for former in task.formerly}
        return self.index.update(article_files(tasks), going_on=lambda: not self._stopping.is_set())

    def _keep_index(self) -> None:
        while not self._stopping.is_set():
            self.update_index()
            self._stopping.wait(INDEX_EVERY)

    # -- tasks ------------------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return all tasks, at most some seconds old."""
        return self.snapshots.get()

    def task(self, name: str) -> TaskOverview:
        """Return one task. Raises `UnknownTask`."""
        try:
            return self.snapshot().tasks[name]
        except KeyError:
            raise UnknownTask(name) from None

    def closed_host(self, name: str) -> dict[str, Any] | None:
        """Return the state of a task's host (`HostState`) if it is closed now; None else."""
        example = self.task(name).example
        state = host_state(self.redis, host_of(example)) if example else None
        return state.to_dict() if state and state.until else None

    def links(self, name: str) -> TaskLinks:
        """Return the open URLs of a task, and those without a row by reason."""
        ledger = Ledger(self.redis, name)
        open_urls = [row for state in OPEN_STATES[::-1] for row in ledger.open_urls(state, LINKS_MOST)]
        counts = self.task(name).counts
        left = _newest_problems(ledger)
        without_row = counts["rejected"] + counts["failed"]
        return TaskLinks(tuple(open_urls[:LINKS_MOST]), groups(left), len(left) >= without_row)

    # -- alarms and proposals ---------------------------------------------------------------------------------------

    def open_proposals(self) -> list[Proposal]:
        """Return the open proposals, newest first; the list is at most `PROPOSALS_FRESH` old."""
        return self._proposals.get()

    def expire(self) -> None:
        """Record a change: tasks and proposals are read again at the next call."""
        self.snapshots.expire()
        self._proposals.expire()

    # -- failures ---------------------------------------------------------------------------------------------------

    def failing_tasks(self) -> list[str]:
        """Return the tasks that have failed pages or refused rows, those with most of them first."""
        numbers = Counter({name: row.counts["failed"] + row.refused for name, row in self.snapshot().tasks.items()})
        return [name for name, number in numbers.most_common() if number]

    def failures(self, name: str) -> TaskFailures:
        """Return the failed pages and refused rows of a task."""
        ledger = Ledger(self.redis, name)
        failed = _newest_problems(ledger, None, ("failed",))
        return TaskFailures(
            name, self.task(name).counts["failed"], failed_groups(ledger, failed), refused_groups(ledger)
        )

    # -- machines ---------------------------------------------------------------------------------------------------

    def roles(self) -> Counter[str]:
        """Return how many processes of each role are alive."""
        return Counter(process["role"] for process in processes(self.redis)[0])


def _open_proposals(connection: "redis.Redis") -> list[Proposal]:
    found = (proposal for proposal in proposals(connection) if proposal.state == "proposed")
    return sorted(found, key=lambda proposal: -proposal.at)


def _newest_problems(
    ledger: Ledger, most: int | None = PROBLEMS_MOST, states: Sequence[State] = ("rejected", "failed")
) -> list[Problem]:
    """Return the newest rejected and failed URLs that are still in that state. `most`: examine so many, None all."""
    rows = [row for row in ledger.problems(most) if row["state"] in states]
    pipe = ledger.redis.pipeline(transaction=False)
    for row in rows:
        bucket, slot = ledger.place_of(fingerprint(row["url"]))
        pipe.hget(bucket, slot)
    present: dict[str, Problem] = {}
    for row, code in zip(rows, pipe.execute(), strict=True):
        expected = row["state"][0] + short(row["reason"])
        text = code.decode("utf-8", "replace") if code else ""
        if text[:1] + text[5:] == expected:
            present.setdefault(row["url"], Problem(row["state"], row["reason"], row["url"], float(row["at"])))
    return list(present.values())
