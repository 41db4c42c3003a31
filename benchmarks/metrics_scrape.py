"""The cost of a scrape of the metrics, with many tasks.

    python -m benchmarks.metrics_scrape --tasks 1000

It makes a task list with ledgers, runs and full baselines in a separate Redis, and scrapes it. It prints the median CPU
time of this process and of Redis for a scrape in milliseconds, the elapsed time, and the size of the response. Above
1,000 tasks (`console.metrics.families.TASKS_MOST`) the response has only sums; `--tasks-most` sets another bound.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import redis
from prometheus_client import generate_latest

from benchmarks.processes import cpu_of_redis
from console.metrics.collector import EMBEDDED, ExemplarCollector, registry_of
from console.metrics.families import TASKS_MOST
from crawler.run.run_report import RunReport, keep_report
from crawler.scheduling.schedule import Schedule
from crawler.task_list.file import loads
from crawler.task_list.publication import periods_of, publish
from workers import keys
from workers.health.state import HealthState, PageMark
from workers.ledger import Ledger
from workers.redis_access.connection import connect
from workers.redis_access.embedded import Embedded
from workers.url_states import Found

VALUES = 64  # values of each baseline, as many as are kept
URLS, SETTLED = 6, 4  # URLs of each task, and how many of them are settled


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--tasks-most", type=int, default=TASKS_MOST)
    parser.add_argument("--scrapes", type=int, default=10)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="metrics-") as folder, Embedded(Path(folder) / "state") as url:
        connection = connect(url)
        fill(connection, Path(folder), given.tasks)
        measure(connection, ExemplarCollector(EMBEDDED, url, tasks_most=given.tasks_most), given.scrapes)


def fill(connection: "redis.Redis", folder: Path, number: int) -> None:
    """Publish `number` tasks, each with URLs in four states, two runs and full baselines."""
    text = "".join(
        f"  site-{one:06}:\n    example: https://{one}.example/news/1.html\n"
        f"    pattern: https://{one}.example/news/{{id}}.html\n    every: 1h\n    output: out/rows.jsonl\n"
        for one in range(number)
    )
    tasks = loads(f"tasks:\n{text}")
    publish(connection, tasks, folder / "tasks.yaml")
    Schedule(connection).plan(periods_of(tasks.tasks))
    windows = {name: [round(0.9 + value / 1000, 3) for value in range(VALUES)] for name in HEALTH_WINDOWS}
    mark = PageMark("fits", 2**40, 2**41, 5000, 0.9, 0.97, "an article about a harbour")
    state = HealthState(windows=windows, recent=[mark] * 12, pages=1000, visits=100).to_json()
    for name in tasks.tasks:
        ledger = Ledger(connection, name)
        ledger.add([Found(f"https://{name}.example/news/{page}.html", page) for page in range(URLS)])
        for place, leased in enumerate(ledger.lease(SETTLED)):
            ledger.settle(leased.fingerprint, "failed" if place == 0 else "written", "")
        for outcome in ("finished", "stopped"):
            times = ("2026-11-22T10:00:00+00:00", "2026-11-22T10:01:00+00:00")
            keep_report(connection, RunReport(name, *times, outcome))
        connection.hset(keys.of_task(name, "health"), "state", state)


HEALTH_WINDOWS = ("match", "confidence", "length", "new", "links", "failures")


def measure(connection: "redis.Redis", collector: ExemplarCollector, scrapes: int) -> None:
    """Scrape, and print the cost."""
    registry = registry_of(collector)
    of_client, of_redis, seconds, answer = list[float](), list[float](), list[float](), b""
    for _ in range(scrapes + 1):
        started, spent, before = time.perf_counter(), time.process_time(), cpu_of_redis(connection)
        answer = generate_latest(registry)
        of_client.append(1000 * (time.process_time() - spent))
        of_redis.append(1000 * (cpu_of_redis(connection) - before))
        seconds.append(1000 * (time.perf_counter() - started))
    rows = (("CPU of this process", of_client), ("CPU of Redis", of_redis), ("time", seconds))
    for title, values in rows:
        print(f"{title:22}{statistics.median(values[1:]):8.0f} ms")  # the first one loads scripts
    series = sum(not line.startswith(b"#") for line in answer.splitlines())
    print(f"{'answer':22}{len(answer) / 1e6:8.2f} MB, {series:,} series")


if __name__ == "__main__":
    main()
