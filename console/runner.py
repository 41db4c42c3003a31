"""All parts on one machine: scheduler, crawl workers, extraction workers, until all is done or stopped.

Scheduler and crawl workers are loops in threads here (all runs go on in a child process of these); the
extraction supervisor is a child process, because it forks. When this process dies, all of them end.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import redis

from console.terminal import moment
from crawler.notifying import Notifier
from crawler.run.run_report import ALARM, reports
from crawler.scheduling.crawl_worker import CrawlWorkers
from crawler.scheduling.schedule import Schedule
from crawler.scheduling.scheduler import Scheduler
from crawler.task_list.publication import Change, notes_on, published_names, published_periods
from workers.health.store import present_alarms
from workers.keys import PICTURES
from workers.ledger import Ledger, with_pictures
from workers.log_ids import node_name
from workers.processes import ended_by, ending_with_parent, require_memory
from workers.redesign.off_template import redesign_pending
from workers.redis_access.connection import client, connect, without_password
from workers.redis_access.outage import Outage
from workers.redis_access.redis_clock import clock_of
from workers.reporting.presence import alive
from workers.reporting.present_problems import PresentProblem, present_problems
from workers.url_states import OPEN_STATES, Counts, State
from workers.writing.refused_rows import refused_rows
from workers.writing.row_queue import rows_waiting

STDERR = 2  # what an output of another package prints is no line of the run
LOOK_EVERY = 0.2  # seconds between two checks of the state
WATCH_EVERY = 1.0  # seconds between two checks of the extraction process's heartbeat and problems
HANGS_AFTER = 30.0  # seconds without a heartbeat until the extraction process is replaced
# A run with `once` gives up if all crawling is done and no page was settled for these seconds:
STUCK_AFTER_PROBLEM = 15.0  # if an output is unavailable
STUCK_WITHOUT_PROBLEM = 120.0  # otherwise: a page may time out its worker three times, plus a margin
RESTARTS = 3  # how often a run with `once` starts an interrupted crawl of a task again
STOP_WAIT = 40.0  # seconds that each part has to stop

SETTLED: tuple[State, ...] = ("written", "duplicate", "rejected", "failed")  # the states to which a run adds

Event = Callable[[str, dict[str, Any]], None]


@dataclass
class Accounting:
    """The result of a run. `before` and `after`: the counts of each task."""

    before: dict[str, Counts] = field(default_factory=dict)
    after: dict[str, Counts] = field(default_factory=dict)
    reports: dict[str, dict[str, Any]] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)  # rows that outputs refused during this run, by task
    waits: dict[str, str] = field(default_factory=dict)  # task with waiting pages: the reason for one of them
    alarms: dict[str, list[str]] = field(default_factory=dict)  # alarms that are open at the end, in words, by task
    problems: list[str] = field(default_factory=list)
    stopped: bool = False
    gave_up: str = ""

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per task: how many URLs this run added to each state, and the number of open URLs."""
        rows_ = []
        for name, after in self.after.items():
            before = self.before.get(name)
            # Not negative: pages that wait for a recheck are in another state than before.
            new: dict[str, int] = {s: max(0, after.states[s] - (before.states[s] if before else 0)) for s in SETTLED}
            open_: dict[str, int] = {state: after.states[state] for state in OPEN_STATES}
            report = self.reports.get(name.removesuffix(PICTURES), {})
            if name.endswith(PICTURES):  # its problems and remarks are those of its task
                report = {"outcome": report.get("outcome", "not run")}
            left_out = after.left_out - (before.left_out if before else 0)
            rows = after.rows - (before.rows if before else 0)
            is_as_many = name.endswith(PICTURES) or rows + left_out == new["written"]
            rows_.append(
                {
                    "task": name,
                    "seen": after.seen,
                    **new,
                    **open_,
                    "unaccounted": after.unaccounted,
                    "refused": self.refused.get(name, 0),
                    "outcome": report.get("outcome", "not run"),
                    "problems": [*report.get("problems", []), *self._waiting(name, after, report)],
                    "remarks": [
                        *(text for text in report.get("remarks", []) if not text.startswith(ALARM)),  # may be over
                        *([] if is_as_many else [f"new rows: {rows} (`written` counts URLs)"]),
                        *([f"rows that `where` keeps out of every output: {left_out}"] if left_out else []),
                        *self.alarms.get(name, []),
                    ],
                }
            )
        return rows_

    def _waiting(self, name: str, after: Counts, report: dict[str, Any]) -> list[str]:
        why, pages = self.waits.get(name), after.states["waiting"]
        if not why or report.get("outcome") != "finished":  # otherwise the report has the reason
            return []
        return [f"{pages} {'page waits' if pages == 1 else 'pages wait'} for a later run: {why}"]

    @property
    def all_problems(self) -> list[str]:
        """The problems of all tasks together, each once, and why the run gave up."""
        return [*dict.fromkeys(self.problems), *filter(None, [self.gave_up])]

    @property
    def ok(self) -> bool:
        """Whether every task finished, no page failed, no row was refused, and every URL is accounted for.

        Pictures that are unavailable are only noted.
        """
        if self.gave_up or self.problems:
            return False
        return all(
            row["outcome"] == "finished"
            and not row["problems"]
            and not any(row[name] for name in ("failed", "refused", *OPEN_STATES, "unaccounted"))
            for row in self.rows()
            if not row["task"].endswith(PICTURES)
        )


class Runner:
    """Runs the tasks of one file, with the Redis at `url`.

    `only`: the tasks to run; None: all. `exits_without_redis`: raise `redis.RedisError` when Redis is unavailable,
    instead of waiting for it.
    """

    def __init__(
        self,
        url: str,
        file: Path,
        *,
        workers: int,
        runs: int,
        on_event: Event,
        only: Sequence[str] | None = None,
        exits_without_redis: bool = False,
    ):
        require_memory()
        self.url, self.file = url, file
        connect(url).close()
        self.connection = self._client_of(url, exits_without_redis)
        self.exits_without_redis = exits_without_redis
        self.workers, self.only = workers, only
        self.on_event = on_event
        self.accounting = Accounting()
        self.stopping = threading.Event()
        self.schedule = Schedule(self.connection)
        waits: dict[str, Any] = {"exits_without_redis": exits_without_redis, "on_notice": lambda text: None}
        take_over = "REDIS_URL" not in os.environ
        self.scheduler = Scheduler(
            self.connection, file, take_over=take_over, only=only, on_change=self._edited, **waits
        )
        self.crawlers = CrawlWorkers(url, self._client_of(url, exits_without_redis), runs, **waits)
        self._outage = Outage(self.connection, self._redis_changed, exits=exits_without_redis)
        self._problems: dict[str, PresentProblem] = {}  # problems of the extraction, by text
        self._extraction: subprocess.Popen[bytes] | None = None
        self._extraction_seen = self._watched = time.monotonic()
        self._failure: BaseException | None = None
        self._began = clock_of(self.connection).now()
        # Settled URLs minus waiting rows, and when that number changed
        self._settled: tuple[int, float] = (0, time.monotonic())
        self._finished = False  # with `once`: all pages are settled and all rows delivered, or the run gave up
        self._once = False

    def run(self, *, once: bool, on_look: Callable[["Runner"], None]) -> Accounting:
        """Run until stopped, or with `once` until every task has run, every page is settled and every row delivered.

        `on_look` is called a few times a second. Raises `TaskError` for the file and `redis.RedisError`.
        """
        self._once, self.crawlers.restarts = once, RESTARTS if once else 0
        if "REDIS_URL" not in os.environ:  # before the start, which marks new tasks as due
            self.schedule.clear()  # only this process uses the embedded Redis: runs that it still records have died
        for text in notes_on(self.connection, self.scheduler.start()):
            self.on_event("note", {"text": text})
        active = sorted(published_periods(self.connection))
        if self.only is not None:
            active = [name for name in active if name in self.only]
        names = active if once or self.only is not None else published_names(self.connection)
        self.accounting.before = self._counts(names)
        facts = {"tasks": active, "redis": without_password(self.url), "workers": self.workers}
        at_once = active if once else self.schedule.due()
        self.on_event("start", facts | {"next": self._starts(at_once, active)})
        if once:
            self.schedule.fire_now(active)
        with self._parts(scheduling=not once):
            while not self.stopping.is_set() and not self._finished:
                self._restart_extraction()
                self._outage.attempt(lambda: self._look(on_look, active if once else []))
                self.stopping.wait(LOOK_EVERY)
            self._outage.attempt(self._look_at_problems)
        self.accounting.stopped = self.stopping.is_set()
        self.accounting.problems = list(self._problems)
        if self._failure is not None:
            raise self._failure
        names = active if once or self.only is not None else published_names(self.connection)
        self.accounting.after = self._counts(names)
        for name, counts in self.accounting.after.items():
            refused = [row for row in refused_rows(self.connection, name) if row.at >= self._began]
            self.accounting.refused[name] = len(refused)
            if counts.states["waiting"]:
                [first] = Ledger(self.connection, name).open_urls("waiting", 1) or [{"reason": ""}]
                self.accounting.waits[name] = first["reason"]
        self._tell_alarms(names)
        return self.accounting

    def _tell_alarms(self, names: list[str]) -> None:
        """Add the open alarms to the accounting; send their notices if no scheduler has run."""
        for alarm in present_alarms(self.connection, names):
            self.accounting.alarms.setdefault(alarm.task, []).append(f"{ALARM}{alarm.in_words()}")
        if self._once:
            for problem in Notifier(self.connection).step():
                self.on_event("note", {"text": problem})

    def stop(self, *_: Any) -> None:
        """Stop: spiders hand over the pages that they fetched, workers finish their present jobs.

        Safe in a signal handler.
        """
        self.stopping.set()

    @contextmanager
    def _parts(self, *, scheduling: bool) -> Iterator[None]:
        parts: dict[str, Callable[[], None]] = {"crawl": lambda: self.crawlers.run(self._report)}
        if scheduling:
            parts["schedule"] = lambda: self.scheduler.run(lambda tasks: self.on_event("due", {"tasks": tasks}))
        threads = [threading.Thread(target=self._guarded, args=(work,), name=name) for name, work in parts.items()]
        self._start_extraction()
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.scheduler.stop()
            self.crawlers.stop()
            for thread in threads:
                thread.join(STOP_WAIT)
            self._end_extraction()

    def _guarded(self, work: Callable[[], None]) -> None:
        """Run a part, and end the run if it fails. The part itself waits while Redis is unavailable."""
        try:
            work()
        except Exception as error:
            self._failure = error
            self.stopping.set()

    @staticmethod
    def _client_of(url: str, exits_without_redis: bool) -> "redis.Redis":
        """Return a client that repeats commands for long only if no other part waits for Redis."""
        return client(url) if exits_without_redis else client(url, retries=1, timeout=5.0)

    def _restart_extraction(self) -> None:
        if self._extraction is None or self._extraction.poll() is None or self.stopping.is_set():
            return
        if self.exits_without_redis and self._outage.is_on:
            return
        self.on_event("trouble", {"text": f"extraction {ended_by(self._extraction.returncode)}; it is restarted"})
        self._problems.clear()
        self._start_extraction()

    def _look(self, on_look: Callable[["Runner"], None], awaited: list[str]) -> None:
        """Do all steps that need Redis. `awaited`: the tasks of a run with `once`."""
        self._watch_extraction()
        on_look(self)
        if self._once:
            self._follow(awaited)

    def _watch_extraction(self) -> None:
        """Kill an extraction process without a heartbeat: it hangs or is stopped, and its workers' leases expire."""
        now = time.monotonic()
        if self._extraction is None or now - self._watched < WATCH_EVERY:
            return
        self._watched = now
        is_alive = any(
            process["role"] == "extract" and process["pid"] == self._extraction.pid and process["node"] == node_name()
            for process in alive(self.connection)
        )
        if is_alive or self._outage.ended_within(HANGS_AFTER):
            self._extraction_seen = now
        elif now - self._extraction_seen > HANGS_AFTER:
            self._extraction.kill()
        self._look_at_problems()

    def _look_at_problems(self) -> None:
        """Report which problems of this node are new, and which are over."""
        present = {one.text: one for one in present_problems(self.connection) if node_name() in one.nodes}
        for text, problem in (self._problems | present).items():
            if text not in present:
                times = {"first": moment(problem.first), "last": moment(problem.last), "count": problem.count}
                self.on_event("over", {"text": text, **times})
            elif text not in self._problems:
                self.on_event("trouble", {"text": text, "since": moment(problem.first)})
        self._problems = present

    def _follow(self, active: list[str]) -> None:
        """Update the state of a run with `once`: missing reports, progress, end."""
        if missing := set(active) - set(self.accounting.reports):
            self._read_reports(missing)
            return
        counts = self._counts(active).values()
        rows = sum(rows_waiting(self.connection, name) for name in active)
        if not rows and not sum(count.states["fetched"] for count in counts) and self._is_done(active):
            self._finished = True
            return
        settled = sum(count.seen - count.open for count in counts) - rows
        if settled != self._settled[0]:
            self._settled = (settled, time.monotonic())
        is_problem = bool(self._problems)
        patience = STUCK_AFTER_PROBLEM if is_problem else STUCK_WITHOUT_PROBLEM
        if time.monotonic() - self._settled[1] > patience:
            cause = "output unavailable" if is_problem else f"no page was settled for {patience:.0f} s"
            kept = "pages and rows" if rows else "pages"
            self.accounting.gave_up = f"{cause}; {kept} are kept for the next run"
            self._finished = True

    def _is_done(self, active: list[str]) -> bool:
        """Whether settled pages stay settled: no worker can still adopt an example, or has just adopted one."""
        if any(redesign_pending(self.connection, name) for name in active):
            return False
        return not any(counts.states["fetched"] for counts in self._counts(active).values())

    def _counts(self, tasks: Sequence[str]) -> dict[str, Counts]:
        """Return the counts of tasks, and of the pictures that they keep."""
        return {name: Ledger(self.connection, name).counts() for name in with_pictures(self.connection, tasks)}

    def _redis_changed(self, text: str) -> None:
        self._settled = (-1, time.monotonic())
        self.on_event("trouble", {"text": text})

    def _report(self, task: str, report: dict[str, Any]) -> None:
        if self.accounting.reports.get(task) == report:
            return  # the report is known: it was read from Redis before the spider's process ended
        if report.get("restarted"):
            cause = "; ".join(report["problems"]) or report["outcome"]
            self.on_event("trouble", {"text": f"task {task}: {cause}; its run is started again"})
            return
        self.accounting.reports[task] = report
        self._settled = (-1, time.monotonic())
        following = {} if self._once else {"next": self._starts([], [task]).get(task)}
        self.on_event("crawled", {"task": task, **report, **following})

    def _read_reports(self, tasks: set[str]) -> None:
        """Read the reports of tasks that another machine's crawl worker ran, on a shared Redis."""
        if "REDIS_URL" not in os.environ:
            return
        for task in tasks:
            last = reports(self.connection, task)
            is_final = bool(last) and last[0]["outcome"] != "killed"  # its crawl worker starts a killed one again
            if is_final and last[0]["started"] >= moment(self._began):
                self._report(task, last[0])

    def _edited(self, change: Change) -> None:
        """Report an edit of the file, and when its new tasks start."""
        named = {"added": list(change.added), "changed": list(change.changed), "removed": list(change.removed)}
        begun = {*self.schedule.due(), *self.schedule.running()}
        starts = self._starts([name for name in change.added if name in begun], change.added)
        self.on_event("edited", named | {"text": change.in_words(), "next": starts})
        for text in notes_on(self.connection, change):
            self.on_event("note", {"text": text})

    def _starts(self, at_once: Sequence[str], names: Sequence[str]) -> dict[str, str]:
        """Return when tasks start next: `now`, or a time in ISO 8601. `at_once`: those that start now in any case."""
        now, times = self.schedule.clock(), self.schedule.next_times(names)
        return {
            name: "now" if name in at_once or times[name] <= now else moment(times[name])
            for name in names
            if name in at_once or name in times
        }

    def _start_extraction(self) -> None:
        environment = {**os.environ, "REDIS_URL": self.url}
        self._extraction_seen = time.monotonic()
        self._extraction = subprocess.Popen(
            [sys.executable, "-m", "console.extraction_process", str(self.workers)]
            + (["--exit"] if self.exits_without_redis else [])
            + (["--once"] if self._once else []),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=STDERR,
            start_new_session=True,
            preexec_fn=ending_with_parent(signal.SIGTERM),
        )

    def _end_extraction(self) -> None:
        assert self._extraction is not None
        self._extraction.terminate()
        try:
            self._extraction.wait(STOP_WAIT)
        except subprocess.TimeoutExpired:
            self._extraction.kill()
            self._extraction.wait()
