"""The speed of extraction workers, compared with that of the extractor alone on the same pages in as many processes.

    python -m benchmarks.worker_rate --site DATA/sites/NAME [--pages 3000] [--rounds 3] [--workers 2,4] [--at-once 30]

The articles of a stored site (`truth.jsonl` names them), each under several URLs, are delivered without a spider; then
real workers under a real supervisor extract them, and append the rows to a JSONL file. The
extractor alone has the same example and recent pages, and its pages in memory. Workers are measured from a tenth of the
pages to the last one, so that starts are not included. The output: pages per second, the CPU time per page of the
processes and of Redis, and the memory of the largest worker at both moments.
"""

import argparse
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import redis

from benchmarks.pages import articles_of, deliver, publish_config, stored
from benchmarks.processes import cpu_seconds, running, tree, wait_until
from workers.extraction.page_decision import judge_page
from workers.extraction.section_preparation import SectionPreparation
from workers.extraction_config import ExtractionConfig
from workers.inbox import PAGES_A_JOB, Inbox
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.processes import below, resident
from workers.redis_access.connection import connect
from workers.redis_access.embedded import Embedded
from workers.reporting.worker_reports import Watch

SITE = "http://site.example"
OWN_URLS = r"http://site\.example/\d+\.html"  # matches no canonical link, so that each page has its own row
LONGEST = 1800.0  # seconds that a measurement may take


@dataclass(frozen=True, slots=True)
class Throughput:
    """Pages per second of elapsed time; CPU milliseconds per page, of our processes and of Redis.

    `memory`: resident bytes of the largest worker after a tenth of the pages, and after all.
    """

    pages: float
    cpu: float
    redis_cpu: float = 0.0
    memory: tuple[int, ...] = ()

    def __str__(self) -> str:
        with_redis = f" + {self.redis_cpu:.2f} of Redis" if self.redis_cpu else ""
        sizes = "".join(f", {size / 1e6:.0f} MB" for size in self.memory)
        return f"{self.pages:6.1f} pages/s, {self.cpu:5.2f} ms{with_redis} a page{sizes}"


def main() -> int:
    """Measure in turns; print the ratios of the medians."""
    options = _arguments()
    counts = [int(part) for part in options.workers.split(",")]
    bodies = [body for _, body in articles_of(options.site)]
    print(f"{len(bodies)} articles, {sum(map(len, bodies)) / len(bodies) / 1000:.0f} KB on average")
    shares: dict[int, list[float]] = {count: [] for count in counts}
    costs: dict[int, list[float]] = {count: [] for count in counts}
    for number in range(options.rounds):
        for count in counts:
            with tempfile.TemporaryDirectory(prefix="worker-rate-", dir=options.folder) as name:
                workers, alone = _measure(Path(name), bodies, options, count)
            print(f"round {number + 1}, {count} processes: workers {workers}; extractor alone {alone}", flush=True)
            shares[count].append(workers.pages / alone.pages)
            costs[count].append((workers.cpu + workers.redis_cpu) / alone.cpu)
    for count in counts:
        print(
            f"{count} workers: {median(shares[count]):.2f} of the extractor's pages a second, "
            f"{median(costs[count]):.2f} × its CPU time, Redis included"
        )
    return 0


def _measure(
    folder: Path, bodies: Sequence[bytes], options: argparse.Namespace, count: int
) -> tuple[Throughput, Throughput]:
    number, at_once = options.pages, options.at_once
    with Embedded(folder / "redis") as url:
        connection = connect(url)
        config = ExtractionConfig(
            "site", f"{SITE}/0.html", OWN_URLS, ("out.jsonl",), str(folder), near_duplicates="keep",
        )  # fmt: skip
        publish_config(connection, config, bodies[0])
        ledger, inbox = Ledger(connection, config.task), Inbox(connection)
        for start in range(1, number + 1, at_once):
            pages = [_page(bodies, place) for place in range(start, min(start + at_once, number + 1))]
            deliver(ledger, inbox, pages)
        workers = _workers(connection, url, ledger, folder, number, count)
        return workers, _alone(connection, config, bodies, number, count)


def _workers(connection: "redis.Redis", url: str, ledger: Ledger, folder: Path, number: int, count: int) -> Throughput:
    server = int(connection.info("server")["process_id"])
    with running(folder, url, "work", "extract", "-n", str(count), stderr=subprocess.DEVNULL) as supervisor:
        wait_until(lambda: number - _open(ledger) >= number // 10, "the first pages", LONGEST)
        began, before = time.monotonic(), _open(ledger)
        cpu, redis_cpu, early = cpu_seconds(tree(supervisor)), cpu_seconds([server]), _largest(supervisor)
        wait_until(lambda: not _open(ledger), "all pages", LONGEST)
        seconds, late = time.monotonic() - began, _largest(supervisor)
        cpu, redis_cpu = cpu_seconds(tree(supervisor)) - cpu, cpu_seconds([server]) - redis_cpu
    return Throughput(before / seconds, 1000 * cpu / before, 1000 * redis_cpu / before, (early, late))


def _largest(supervisor: int) -> int:
    return max((resident([pid]) for pid in below(supervisor)), default=0)


def _alone(
    connection: "redis.Redis", config: ExtractionConfig, bodies: Sequence[bytes], number: int, count: int
) -> Throughput:
    context = multiprocessing.get_context("fork")
    prepared, results = SectionPreparation(connection, Watch()).prepare(config), context.SimpleQueue()
    start = context.Barrier(count + 1)

    def extract(places: range) -> None:
        pages = [_page(bodies, place) for place in places]
        judge_page(prepared, pages[0], {})
        start.wait()
        began = time.process_time()
        for page in pages:
            judge_page(prepared, page, {})
        results.put(time.process_time() - began)

    processes = [context.Process(target=extract, args=(range(first + 1, number + 1, count),)) for first in range(count)]
    for process in processes:
        process.start()
    start.wait()
    began = time.monotonic()
    cpu = sum(results.get() for _ in processes)
    seconds = time.monotonic() - began
    for process in processes:
        process.join()
    prepared.close()
    return Throughput(number / seconds, 1000 * cpu / number)


def _page(bodies: Sequence[bytes], place: int) -> StoredPage:
    return stored(f"{SITE}/{place}.html", bodies[place % len(bodies)])


def _open(ledger: Ledger) -> int:
    return ledger.counts().states["fetched"]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.worker_rate", description=__doc__.split("\n\n")[0])
    parser.add_argument("--site", type=Path, required=True, help="a stored site with truth.jsonl")
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", default="2,4", help="how many, separated by commas")
    parser.add_argument("--at-once", type=int, default=PAGES_A_JOB, help="pages that are delivered together")
    parser.add_argument("--folder", type=Path, help="where temporary files go")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
