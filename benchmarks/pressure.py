"""The back-pressure of a crawl without extraction, in a Redis with little memory: pauses at the mark, then with
workers.

    python -m benchmarks.pressure --pages 20000 --maxmemory 64mb

nginx serves equal pages on loopback. The spider runs alone until it has paused for some seconds; then extraction
workers are started. The output: the largest numbers of waiting pages and bytes and the largest share of memory, before
and after the start of the workers, and the counts at the end.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis

from benchmarks import spider_cost
from benchmarks.nginx import served
from crawler.task_list.file import loads
from crawler.task_list.publication import publish
from workers.backpressure import load_of
from workers.ledger import Ledger
from workers.redis_access.embedded import answers
from workers.redis_access.redis_binary import redis_binary
from workers.reporting.presence import alive

TASK = "pressure"
PAGE_BYTES = 20_000
PAUSED = 10.0  # seconds of pause before workers are started
LONGEST = 3600.0  # seconds that the crawl may take
LOOK_EVERY = 0.1  # seconds between two readings of Redis


@dataclass
class Peaks:
    """The largest values that were seen."""

    pages: int = 0
    size: int = 0
    share: float = 0.0

    def see(self, connection: "redis.Redis") -> None:
        """Read Redis once."""
        load = load_of(connection, TASK)
        self.pages, self.size = max(self.pages, load.of_task.pages), max(self.size, load.of_task.size)
        self.share = max(self.share, load.memory.share)

    def __str__(self) -> str:
        return f"{self.pages:,} pages, {self.size / 1e6:.1f} MB, {self.share:.0%} of the memory"


@contextmanager
def little_redis(folder: Path, maxmemory: str) -> Iterator[str]:
    """Run a Redis server with a limit of memory."""
    url = f"unix://{folder / 's'}"
    options = ["--port", "0", "--unixsocket", str(folder / "s"), "--save", "", "--maxmemory", maxmemory]
    server = subprocess.Popen([str(redis_binary().path), *options, "--dir", str(folder)], stdout=subprocess.DEVNULL)
    try:
        while not answers(url):
            time.sleep(0.05)
        yield url
    finally:
        server.terminate()
        server.wait()


def announce(connection: "redis.Redis", address: str, pages: int, folder: Path) -> None:
    """Publish the task."""
    last = pages // spider_cost.LINKS_A_LIST - 1
    text = (
        "settings: {allow_hosts: [127.0.0.1], delay: 0, contact: benchmark@example.org}\n"
        f"tasks:\n  {TASK}:\n    example: {address}/a/0.html\n    pattern: /a/{{id}}.html\n    every: 1h\n"
        f"    start: /list/{{n:0..{last}}}.html\n    output: a.jsonl\n    limit: null\n    near_duplicates: keep\n"
    )
    publish(connection, loads(text), folder / "tasks.yaml")


def measure(url: str, folder: Path) -> tuple[Peaks, Peaks, float]:
    """Crawl without, then with workers; return both peaks and the seconds from the workers' start to the end."""
    environment = {**os.environ, "REDIS_URL": url}
    connection = redis.Redis.from_url(url)
    alone, together = Peaks(), Peaks()
    spider_call = [sys.executable, "-m", "console", "crawl", TASK]
    work_call = [sys.executable, "-m", "console", "work", "extract", "-n", "2"]
    limit = time.monotonic() + LONGEST
    with subprocess.Popen(spider_call, env=environment, cwd=folder, stdout=subprocess.DEVNULL) as spider:
        paused_since = 0.0
        while spider.poll() is None and time.monotonic() < limit:
            alone.see(connection)
            paused = any(process.get("level") == "pause" for process in alive(connection))
            paused_since = (paused_since or time.monotonic()) if paused else 0.0
            if paused_since and time.monotonic() - paused_since > PAUSED:
                break
            time.sleep(LOOK_EVERY)
        print(f"alone:        {alone}", flush=True)
        started = time.monotonic()
        with subprocess.Popen(work_call, env=environment, cwd=folder, stderr=subprocess.DEVNULL) as workers:
            ledger = Ledger(connection, TASK)
            while (spider.poll() is None or ledger.counts().states["fetched"]) and time.monotonic() < limit:
                together.see(connection)
                time.sleep(LOOK_EVERY)
            workers.terminate()
    return alone, together, time.monotonic() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--maxmemory", default="64mb")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pressure-") as name:
        folder = Path(name)
        spider_cost.pages(folder, PAGE_BYTES, options.pages)
        with served(folder) as address, little_redis(folder, options.maxmemory) as url:
            connection = redis.Redis.from_url(url)
            announce(connection, address, options.pages, folder)
            _, together, seconds = measure(url, folder)
            counts = Ledger(connection, TASK).counts()
            print(f"with workers: {together}; {seconds:.0f} s")
            print({state: number for state, number in counts.to_dict().items() if number})


if __name__ == "__main__":
    main()
