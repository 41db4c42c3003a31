"""The cost of the ledger's steps for a page: pages per second of one client, and CPU time of Redis per page.

    python -m benchmarks.ledger_steps --pages 20000

It starts a separate Redis with an append-only file. Pages are added, leased, stored, taken, claimed and settled, in
steps of the sizes that spiders and workers use.
"""

import argparse
import time
from collections.abc import Callable
from datetime import UTC, datetime

import redis

from benchmarks.processes import cpu_of_redis
from tests.redis_servers import BINARIES
from tests.redis_servers import running as redis_server
from workers.health.observations import PageObservation, to_json
from workers.health.store import update_health
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.redis_access.connection import client
from workers.url_states import Found, fingerprint

ADDED = 20  # articles of a list page
LEASED = 8
JOB = 10  # pages after which a worker counts the observations
BODY = b"<p>The harbour office opened its new tide station on Monday.</p>" * 100


def main() -> None:
    """Print one line per step, and one for the page."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=20_000)
    pages = options.parse_args().pages
    with redis_server(BINARIES[0], "--appendonly", "yes") as url:
        measure(client(url), pages)


def measure(connection: "redis.Redis", pages: int) -> None:
    """Take `pages` pages from their discovery to their rows, all of them through one step after another."""
    ledger, inbox = Ledger(connection, "gazette"), Inbox(connection)
    urls = [f"http://gazette.example/a/{number}.html" for number in range(pages)]
    names = [fingerprint(url) for url in urls]
    stored = {
        name: StoredPage(url, BODY, "text/html", datetime.now(UTC)) for name, url in zip(names, urls, strict=True)
    }

    def add() -> None:
        for at in range(0, pages, ADDED):
            ledger.add(Found(url, float(at)) for url in urls[at : at + ADDED])

    def lease() -> None:
        for _ in range(0, pages, LEASED):
            ledger.lease(LEASED, seconds=3600.0)

    def store() -> None:
        for at in range(0, pages, 10):
            inbox.deliver(ledger, {name: stored[name] for name in names[at : at + 10]})

    def take() -> None:
        for name in names:
            next(ledger.take_all([name], "worker", seconds=3600.0))

    def claim() -> None:
        for name in names:
            ledger.claim_all([(name, name)], "worker")

    half = pages // 2

    def settle() -> None:
        for name in names[:half]:
            ledger.settle(name, "written", "", worker="worker")

    def settle_observed() -> None:
        for number, name in enumerate(names[half:]):
            page = PageObservation(1e9, urls[number], "article", "example", 0.7, 0.97, 1500, number, number)
            ledger.settle(name, "written", "", worker="worker", observation=to_json(page))
            if number % JOB == 0:
                update_health(connection, ledger.task)

    wall = cpu = 0.0
    for step, done in ((add, pages), (lease, pages), (store, pages), (take, pages), (claim, pages), (settle, half)):
        seconds, busy = timed(connection, step)
        wall, cpu = wall + seconds / done, cpu + busy / done
        print(f"{step.__name__:8} {done / seconds:9,.0f} pages/s   {busy / done * 1e6:6.1f} µs of Redis a page")
    print(f"{'all':8} {1 / wall:9,.0f} pages/s   {cpu * 1e6:6.1f} µs of Redis a page")
    seconds, busy = timed(connection, settle_observed)
    print(f"settle, with health {half / seconds:,.0f} pages/s   {busy / half * 1e6:.1f} µs of Redis a page")


def timed(connection: "redis.Redis", step: Callable[[], None]) -> tuple[float, float]:
    """Return the seconds that a step took, and the CPU seconds of Redis."""

    before, began = cpu_of_redis(connection), time.perf_counter()
    step()
    return time.perf_counter() - began, cpu_of_redis(connection) - before


if __name__ == "__main__":
    main()
