"""The memory of a busy section in Redis over a simulated year: the size of each family of keys.

    python -m benchmarks.retention --days 365 --articles 100 [--forget 90d]

Runs are real (`SectionRun`), as are the steps of the workers; only the network, the extraction and the time are not.
Each day has one run, its own list pages, dead links, failures, duplicates, rows that are queued and delivered or
refused, and processes that crash. Keys that expire are counted separately, since the server's clock is not simulated.
"""

import argparse
import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import redis

from crawler.run.run_report import RunBounds, RunOptions
from crawler.run.section_run import SectionRun
from crawler.task_list.file import loads
from crawler.task_list.models import Task
from workers.extraction.near_duplicates import NearDuplicates
from workers.inbox import StoredPage
from workers.pages.quarantine import keep_page
from workers.redis_access.embedded import Embedded
from workers.redis_access.redis_clock import clock_of
from workers.reporting.presence import Presence
from workers.rows import key_of
from workers.sinks import OutputOptions
from workers.url_states import next_recheck
from workers.writing.refused_rows import keep_refused
from workers.writing.row_queue import QueuedOutput, RowQueue, to_queue

HOST = "http://gazette.example"
BEGIN = datetime(2027, 1, 1, 12, tzinfo=UTC)
DAY = 86400.0
OUTPUT = QueuedOutput("postgresql://db.example/news", OutputOptions())
REVISIT = (DAY, 3 * DAY)
WORDS = [f"word{number}" for number in range(500)]
EXPIRING = " (expires)"


@dataclass
class SimulatedClock:
    """A clock in Unix seconds, which the simulation advances."""

    seconds: float = BEGIN.timestamp()

    def __call__(self) -> float:
        """Return the present time."""
        return self.seconds

    def now(self) -> datetime:
        """Return the present time as a moment."""
        return datetime.fromtimestamp(self.seconds, UTC)


class Year:
    """One section. `articles`: new ones in each run; `forget`: as in the task list; `step`: days between two runs."""

    def __init__(self, connection: "redis.Redis", articles: int, forget: str = "", step: int = 1):
        self.redis, self.articles, self.clock = connection, articles, SimulatedClock()
        clock: Any = clock_of(connection)
        clock.now = self.clock
        self.task, self.step = _task(forget), step
        self._random = random.Random(articles)
        self.day = 0

    def pass_time(self) -> None:
        """Run the task once, extract the fetched pages, and advance the time to the next run."""
        bounds = RunBounds(now=self.clock.now, monotonic=self.clock)
        run = SectionRun(self.redis, self.task, RunOptions(), bounds)
        run.begin()
        while (listed := run.next_list()) is not None:
            response = StoredPage(listed.url, self._links(listed.url), "text/html", self.clock.now())
            run.lists.read(listed, response, {"etag": f'"{self.day}"'})
        leased = run.articles.lease(100 * self.articles)
        for number, article in enumerate(leased):
            if number % 20 == 7:
                run.articles.reject(article, f"http {404 + number % 3}")
            else:
                run.articles.hand_in(article.fingerprint, self._page(article.url))
        run.end("finished")
        self._extract(run)
        Presence(self.redis, f"extract-{self.day}").show(workers=2)  # it then crashes
        run.inbox.sweep()
        for key in self.redis.scan_iter("rq:*"):  # RQ's workers remove these keys with each job
            self.redis.unlink(key)
        self.day += self.step
        self.clock.seconds += self.step * DAY

    def _links(self, url: str) -> bytes:
        """Return the list page of a day, with links to the articles of the day."""
        day = re.search(r"\d{8}", url)
        numbers = range(self.articles) if day else ()
        return "".join(f'<a href="/a/{day and day[0]}/{number}.html">x</a>' for number in numbers).encode()

    def _page(self, url: str) -> StoredPage:
        return StoredPage(url, f"<p>{url} {'text ' * 200}</p>".encode(), "text/html", self.clock.now())

    def _extract(self, run: SectionRun) -> None:
        """Settle the fetched pages in the way of workers; some are duplicates, rejected or failed."""
        near = NearDuplicates(self.redis, self.task.name)
        for number, name in enumerate(run.ledger.fetched_names(100 * self.articles)):
            [leases] = run.ledger.take_all([name], "w", seconds=60)
            if not leases:
                continue
            [lease] = leases
            other = (
                f"{self.day:08x}{number:08x}" if number % 10 == 3 else name
            )  # the fingerprint of another canonical URL
            run.ledger.claim_all([(name, other)], "w")
            near.first_like(" ".join(self._random.choices(WORDS, k=60)), lease.url)
            if number % 25 == 4:
                keep_page(self.redis, self.task.name, name, self._page(lease.url), "unusable page")
                run.ledger.settle(name, "failed", "unusable page", worker="w")
            elif number % 10 == 6:
                run.ledger.settle(name, "rejected", f"a list: {number} of 10 texts each follow a link", worker="w")
            elif number % 10 == 8:
                run.ledger.settle(name, "duplicate", lease.url, worker="w")
            else:
                plan = next_recheck(REVISIT, lease.recheck, 1, "hash", now=self.clock())
                row = {"task": self.task.name, "url": lease.url, "canonical_url": lease.url, "version": 1}
                queued = to_queue(self.task.name, [row], [OUTPUT], again=False)
                run.ledger.settle(name, "written", "", worker="w", recheck=plan, queued=queued)
        self._deliver()

    def _deliver(self) -> None:
        """Deliver the rows; the output refuses the last one of a batch."""
        queue = RowQueue(self.redis, self.task.name, OUTPUT.name, OUTPUT.options)
        while batch := queue.take("d", "now"):
            refused = {key_of(batch.rows[-1]): "too long for column title"}
            keep_refused(self.redis, self.task.name, OUTPUT.name, batch.rows, refused)
            queue.finish("d", batch)


def sizes(connection: "redis.Redis") -> dict[str, int]:
    """Return the bytes of each family of keys; keys that expire are a separate family."""
    families: dict[str, int] = defaultdict(int)
    for raw in connection.scan_iter(count=1000):
        key = raw.decode()
        name = re.sub(r"^exemplar:(task:[^:]+:)?", "", key)
        name = re.sub(r"^(done|page|host|reply|rows|queue|refused):.*", r"\1", name)
        families[name + (EXPIRING if int(connection.pttl(key)) >= 0 else "")] += int(connection.memory_usage(key) or 0)
    return dict(families)


def simulate(connection: "redis.Redis", days: int, articles: int, forget: str = "", step: int = 1) -> Iterator[int]:
    """Simulate days, with a run every `step` days; yield how many have passed after each run."""
    year = Year(connection, articles, forget, step)
    while year.day < days:
        year.pass_time()
        yield year.day


def _task(forget: str) -> Task:
    line = f"    forget: {forget}\n" if forget else ""
    return loads(
        f"""tasks:
  gazette:
    example: {HOST}/a/20270101/0.html
    pattern: /a/{{date:%Y%m%d}}/{{id}}.html
    start: /{{date:%Y%m%d}}/
    every: 1d
    output: out.jsonl
    revisit: 1d for 3d
    render: false
{line}"""
    )["gazette"]


def main() -> None:
    """Print the sizes at four times of the simulated year."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--articles", type=int, default=100, help="new articles a day")
    parser.add_argument("--forget", default="", help="as in the task list, such as 90d")
    options = parser.parse_args()
    marks = [options.days * quarter // 4 for quarter in range(1, 5)]
    columns: list[dict[str, int]] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Embedded(Path(folder)) as url,
        redis.Redis.from_url(url) as connection,
    ):
        for day in simulate(connection, options.days, options.articles, options.forget):
            if day in marks:
                columns.append(sizes(connection))
    print(f"{'bytes after days':32}" + "".join(f"{day:>12,}" for day in marks))
    for name in sorted({name for column in columns for name in column}):
        print(f"{name:32}" + "".join(f"{column.get(name, 0):>12,}" for column in columns))
    print(f"{'sum':32}" + "".join(f"{sum(column.values()):>12,}" for column in columns))


if __name__ == "__main__":
    main()
