"""Memory of extraction workers over many pages: resident bytes of supervisor and workers at several page counts.

    python -m benchmarks.memory --pages 50000

Real workers under a real supervisor; pages of several tasks, each page different, are delivered without a spider.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import redis

from benchmarks.pages import deliver, publish_config, stored
from benchmarks.processes import running
from benchmarks.scale import page
from workers.extraction_config import ExtractionConfig
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.processes import below, resident
from workers.redis_access.connection import connect
from workers.redis_access.embedded import Embedded

MARKS = (1_000, 10_000, 20_000, 30_000, 40_000, 50_000, 100_000)
AT_ONCE = 200  # pages delivered together
SITE = "http://gazette.example"
PAGE_BYTES = 2000
BACKLOG = 60  # jobs that wait


def main() -> int:
    """Deliver, measure, print; return 1 if a worker grows by more than a tenth after the first 10,000 pages."""
    arguments = _arguments()
    with (
        tempfile.TemporaryDirectory(prefix="memory-") as name,
        Embedded(Path(name) / "redis") as url,
    ):
        connection = connect(url)
        tasks = [f"task-{number}" for number in range(arguments.tasks)]
        for task in tasks:
            config = ExtractionConfig(task, f"{SITE}/0.html", r".*/\d+\.html", (f"{task}.jsonl", "all.db"), name)
            publish_config(connection, config, page(0, PAGE_BYTES))
        words = ("work", "extract", "-n", str(arguments.workers))
        with running(Path(name), url, *words, stderr=subprocess.DEVNULL) as supervisor:
            return _measure(connection, tasks, supervisor, arguments.pages)


def _measure(connection: "redis.Redis", tasks: list[str], supervisor: int, pages: int) -> int:
    inbox, ledgers = Inbox(connection), [Ledger(connection, task) for task in tasks]
    marks = [mark for mark in MARKS if mark < pages] + [pages]
    sizes: dict[int, list[int]] = {}
    started, number = time.monotonic(), 0
    for mark in marks:
        while number < mark:
            while inbox.waiting_jobs() > BACKLOG:
                time.sleep(0.05)
            places = range(number + 1, number + AT_ONCE + 1)
            several = [stored(f"{SITE}/{place}.html", page(place, PAGE_BYTES)) for place in places]
            deliver(ledgers[number // AT_ONCE % len(ledgers)], inbox, several)
            number += AT_ONCE
        while inbox.waiting_jobs() or any(ledger.counts().states["fetched"] for ledger in ledgers):
            time.sleep(0.1)
        sizes[mark] = [resident([pid]) for pid in below(supervisor)]
        megabytes = ", ".join(f"{size / 1e6:.0f}" for size in sizes[mark])
        rate = number / (time.monotonic() - started)
        print(
            f"{mark:7} pages   workers {megabytes} MB   supervisor {resident([supervisor]) / 1e6:.0f} MB   "
            f"{rate:.0f} pages/s",
            flush=True,
        )
    early = max(sizes[next(mark for mark in marks if mark >= min(10_000, pages))])
    return int(max(sizes[marks[-1]]) > 1.1 * early)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__.split("\n\n")[0])
    parser.add_argument("--pages", type=int, default=50_000)
    parser.add_argument("--tasks", type=int, default=5)
    parser.add_argument("--workers", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
