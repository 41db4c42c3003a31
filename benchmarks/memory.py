"""Memory of extraction workers over many pages: resident bytes of supervisor and workers at several page counts.

    python -m benchmarks.memory --pages 50000

Real workers under a real supervisor; pages of several tasks, each page different, are delivered without a spider.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import redis

from benchmarks.kills import NumberedSite
from workers import keys
from workers.extraction_config import ExtractionConfig, keep_example
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.redis_access.connection import connect
from workers.redis_access.embedded import Embedded
from workers.url_states import Found, fingerprint

MARKS = (1_000, 10_000, 20_000, 30_000, 40_000, 50_000, 100_000)
AT_ONCE = 200  # pages delivered together
BACKLOG = 60  # jobs that wait
ROOT = Path(__file__).parents[1]


def main() -> int:
    """Deliver, measure, print; return 1 if a worker grows by more than a tenth after the first 10,000 pages."""
    arguments = _arguments()
    site = NumberedSite(arguments.pages)
    with tempfile.TemporaryDirectory(prefix="memory-") as name:
        folder, server = Path(name), Embedded(Path(name) / "redis")
        connection = connect(server.start())
        tasks = [f"task-{number}" for number in range(arguments.tasks)]
        for task in tasks:
            _publish(connection, folder, site, task)
        supervisor = subprocess.Popen(
            [sys.executable, "-m", "console", "work", "extract", "-n", str(arguments.workers)],
            cwd=folder,
            env={**os.environ, "REDIS_URL": server.url, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.DEVNULL,
        )
        try:
            return _measure(connection, site, tasks, supervisor.pid, arguments.pages)
        finally:
            supervisor.send_signal(signal.SIGTERM)
            supervisor.wait(60)
            server.stop()
            site.close()


def _measure(connection: "redis.Redis", site: NumberedSite, tasks: list[str], supervisor: int, pages: int) -> int:
    inbox, ledgers = Inbox(connection), [Ledger(connection, task) for task in tasks]
    marks = [mark for mark in MARKS if mark < pages] + [pages]
    sizes: dict[int, list[int]] = {}
    started, number = time.monotonic(), 0
    for mark in marks:
        while number < mark:
            while inbox.waiting_jobs() > BACKLOG:
                time.sleep(0.05)
            _deliver(inbox, ledgers[number // AT_ONCE % len(ledgers)], site, range(number + 1, number + AT_ONCE + 1))
            number += AT_ONCE
        while inbox.waiting_jobs() or any(ledger.counts().states["fetched"] for ledger in ledgers):
            time.sleep(0.1)
        sizes[mark] = [_resident(pid) for pid in _children(supervisor)]
        megabytes = ", ".join(f"{size / 1e6:.0f}" for size in sizes[mark])
        rate = number / (time.monotonic() - started)
        print(
            f"{mark:7} pages   workers {megabytes} MB   supervisor {_resident(supervisor) / 1e6:.0f} MB   "
            f"{rate:.0f} pages/s",
            flush=True,
        )
    early = max(sizes[next(mark for mark in marks if mark >= min(10_000, pages))])
    return int(max(sizes[marks[-1]]) > 1.1 * early)


def _deliver(inbox: Inbox, ledger: Ledger, site: NumberedSite, numbers: range) -> None:
    pages = {}
    for number in numbers:
        url = f"{site.url}/a/{number}.html"
        pages[fingerprint(url)] = StoredPage(url, site.page(f"/a/{number}.html"), "text/html", datetime.now(UTC))
    ledger.add([Found(page.url) for page in pages.values()])
    inbox.deliver(ledger, pages)


def _publish(connection: "redis.Redis", folder: Path, site: NumberedSite, task: str) -> None:
    example = f"{site.url}/a/0.html"
    config = ExtractionConfig(task, example, r".*/a/\d+\.html", (f"{task}.jsonl", "all.db"), str(folder))
    connection.hset(keys.CONFIGS, task, config.to_json())
    keep_example(connection, task, StoredPage(example, site.page("/a/0.html"), "text/html", datetime.now(UTC)), example)


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _resident(pid: int) -> int:
    """Return the resident bytes of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__.split("\n\n")[0])
    parser.add_argument("--pages", type=int, default=50_000)
    parser.add_argument("--tasks", type=int, default=5)
    parser.add_argument("--workers", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
