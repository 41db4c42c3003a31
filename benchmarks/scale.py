"""The cost of a URL, a page and a task: bytes in Redis, CPU time of Redis and of our processes. For docs/scale.md.

    python -m benchmarks.scale
    python -m benchmarks.scale --urls 1000000 --pages 5000

The steps are those of the real ledger, page store and extraction worker, with an embedded Redis that has an append-only
file. Pages are generated. Fetching (`benchmarks.spider_cost`, `benchmarks.quiet_visits`) and RQ's jobs are not
included.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import redis

from benchmarks.pages import publish_config, stored
from benchmarks.processes import cpu_of_redis
from crawler.task_list.file import loads
from crawler.task_list.publication import publish
from workers.extraction_config import ExtractionConfig
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.redis_access.connection import client
from workers.redis_access.embedded import Embedded
from workers.url_states import Found, fingerprint
from workers.worker_processes.extraction_worker import ExtractionWorker

TASK = "gazette"
SITE = "https://gazette.example/news/2026/1122/"
AT_ONCE = 500  # URLs in one step, like those of one list page
WORDS = ["".join(random.Random(number).choices("abcdefghilmnoprstu", k=2 + number % 9)) for number in range(3000)]


@dataclass
class Cost:
    """The total cost of a step."""

    memory: int = 0  # additional bytes that Redis uses
    written: int = 0  # bytes by which its append-only file grew
    redis: float = 0.0  # seconds of the CPU time of Redis
    ours: float = 0.0  # seconds of this process' CPU time


@contextmanager
def measured(connection: "redis.Redis") -> Iterator[Cost]:
    """Yield the cost of the block; it is complete after the block."""
    cost = Cost()
    before, ours = _state(connection), time.process_time()
    yield cost
    cost.ours = time.process_time() - ours
    after = _state(connection)
    cost.memory, cost.written = int(after[0] - before[0]), int(after[1] - before[1])
    cost.redis = after[2] - before[2]


def _state(connection: "redis.Redis") -> tuple[float, float, float]:
    info = connection.info()
    used = float(info["used_memory"]) - float(info["mem_clients_normal"]) - float(info.get("mem_aof_buffer", 0))
    return used, float(info["aof_current_size"]), cpu_of_redis(connection)


def url(number: int) -> str:
    """Return the URL of an article, 80 characters."""
    return f"{SITE}{number:08}-the-council-decides-on-the-new-harbour.html"


def page(number: int, size: int) -> bytes:
    """Return an article of about `size` bytes, a twentieth of it text, the rest navigation."""
    chance = random.Random(number)
    text = ""
    while len(text) < size / 20:
        text += f"<p>{' '.join(chance.choices(WORDS, k=60))}.</p>\n"
    links = ""
    while len(links) < size * 19 / 20:
        words = " ".join(chance.choices(WORDS[:300], k=5))
        links += f'<li class="item"><a class="more" href="/news/{chance.randrange(10**6)}.html">{words}</a></li>\n'
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Story {number}</title></head><body>'
        f'<div class="main"><h1>Story {number}</h1><div class="story">{text}</div></div><ul>{links}</ul></body></html>'
    ).encode()


def batches(numbers: range) -> Iterator[list[int]]:
    """Yield the numbers in lists of `AT_ONCE`."""
    rest = iter(numbers)
    while batch := list(islice(rest, AT_ONCE)):
        yield batch


def add(ledger: Ledger, numbers: range) -> None:
    """Add URLs, those of one list page at a time."""
    for batch in batches(numbers):
        ledger.add([Found(url(number), float(-number)) for number in batch])


def deliver(ledger: Ledger, inbox: Inbox, bodies: list[bytes]) -> None:
    """Lease URLs and hand over their pages, ten at a time."""
    for start in range(0, len(bodies), 10):
        leases = ledger.lease(10)
        pairs = zip(leases, bodies[start : start + 10], strict=False)
        pages = {lease.fingerprint: stored(lease.url, body) for lease, body in pairs}
        inbox.deliver(ledger, pages)


def settle(ledger: Ledger, count: int, state: Any, reason: str) -> None:
    """Lease URLs and settle them, in the way of a spider with dead links."""
    while count > 0:
        leases = ledger.lease(min(AT_ONCE, count))
        for lease in leases:
            ledger.settle(lease.fingerprint, state, reason, listed=bool(reason))
        count -= len(leases)


def report(name: str, number: int, cost: Cost) -> None:
    """Print a step's cost for one of its `number`."""
    print(
        f"{name:42} {cost.memory / number:10.0f} {cost.written / number:10.0f} "
        f"{cost.redis / number * 1e6:10.0f} {cost.ours / number * 1e6:10.0f}",
        flush=True,
    )


def task_list(count: int) -> str:
    """Return a tasks.yaml of `count` tasks."""
    tasks = "".join(
        f"  section-{number:05}:\n    example: https://site{number:05}.example/news/2026/1122/1.html\n"
        f"    pattern: https://site{number:05}.example/news/{{date:%Y/%m%d}}/{{id}}.html\n"
        for number in range(count)
    )
    return f"defaults:\n  every: auto\n  output: out/{{task}}.jsonl\ntasks:\n{tasks}"


def measure(connection: "redis.Redis", folder: Path, urls: int, pages: int, size: int, tasks: int) -> None:
    """Measure all steps and print one line for each."""
    print(f"{'':42} {'bytes in':>10} {'bytes to':>10} {'µs of':>10} {'µs of our':>10}")
    print(f"{'for one':42} {'Redis':>10} {'its file':>10} {'Redis':>10} {'processes':>10}")
    ledger, inbox = Ledger(connection, TASK), Inbox(connection)
    bodies = [page(number, size) for number in range(pages)]

    def step(name: str, number: int, work: Callable[[], object]) -> None:
        with measured(connection) as cost:
            work()
        report(name, number, cost)

    step("URL that waits", urls, lambda: add(ledger, range(urls)))
    step("URL that is known already", urls, lambda: add(ledger, range(urls)))
    step(f"page that waits, {size // 1000} KB, leased and stored", pages, lambda: deliver(ledger, inbox, bodies))
    urls_of_site = SITE.replace(".", r"\.") + ".*"
    config = ExtractionConfig(TASK, url(0), urls_of_site, ("out.jsonl",), str(folder), near_duplicates="mark")
    publish_config(connection, config, page(10**6, size))
    worker = ExtractionWorker(connection, "benchmark")
    names = [fingerprint(url(urls - 1 - number)) for number in range(pages)]
    worker.extract_pages(TASK, names[:10])  # prepares the example
    with measured(connection) as cost:
        for start in range(10, pages, 10):
            worker.extract_pages(TASK, names[start : start + 10])
    worker.close()
    report("page extracted, written and settled", pages - 10, cost)
    written = ledger.counts().states["written"]
    if written != pages:
        raise RuntimeError(f"{written} of {pages} pages were written: {ledger.counts()}")
    third = (urls - pages) // 3
    step("URL settled (from waiting)", third, lambda: settle(ledger, third, "duplicate", ""))
    step("URL rejected, with its reason", third, lambda: settle(ledger, third, "rejected", "dead link: http 404"))
    print(f"{'row in a .jsonl':42} {(folder / 'out.jsonl').stat().st_size / pages:10.0f} bytes")
    step("task that is published", tasks, lambda: publish(connection, loads(task_list(tasks)), folder / "tasks.yaml"))
    for number in (1000, 10_000, urls):
        print(f"{f'URL kept for ever, of {number:,} of a task':42} {kept(connection, number):10.0f} bytes in Redis")


def kept(connection: "redis.Redis", urls: int) -> float:
    """Return the bytes in Redis per settled URL of a task with `urls` URLs."""
    connection.flushall()
    ledger = Ledger(connection, TASK)
    with measured(connection) as cost:
        add(ledger, range(urls))
        settle(ledger, urls, "duplicate", "")
    return cost.memory / urls


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=200_000)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--size", type=int, default=80_000, help="bytes of a page")
    parser.add_argument("--tasks", type=int, default=2000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scale-") as folder, Embedded(Path(folder)) as url:
        connection = client(url)
        connection.config_set("auto-aof-rewrite-percentage", 0)  # no rewrite during one of the steps
        measure(connection, Path(folder), asked.urls, asked.pages, asked.size, asked.tasks)


if __name__ == "__main__":
    main()
