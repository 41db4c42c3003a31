"""How long a page that was in the hands of a killed process waits until it is worked on again."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import redis

from crawler.scheduling.schedule import Schedule
from tests.chaos.cluster import Cluster, role_of
from workers.ledger import Ledger
from workers.processes import below
from workers.url_states import Fingerprint, fingerprint

LOOK_EVERY = 0.1  # seconds


@dataclass
class InHand:
    """A page that a process had when it was killed. `holder`: the worker's name; empty for a crawl process'."""

    task: str
    url: str
    holder: str
    killed_at: float
    worked_on_at: float | None = None

    @property
    def name(self) -> Fingerprint:
        return fingerprint(self.url)


class Recovery:
    """Watches the pages that were in the hands of killed processes, in a thread of its own."""

    def __init__(self, client: "redis.Redis", cluster: Cluster, served: Callable[[], list[tuple[float, str]]]):
        self.client, self.cluster, self.served = client, cluster, served
        self.pages: list[InHand] = []
        self._stopping = threading.Event()

    def __enter__(self) -> "Recovery":
        threading.Thread(target=self._run, name="recovery", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()

    def in_hand(self, pid: int) -> list[InHand]:
        """What a process and all below it have in hand now."""
        found: list[InHand] = []
        with suppress(redis.RedisError):
            pids = {pid, *below(pid)}
            is_crawling = any(role_of(each, 0, self.cluster.form) == "crawl-process" for each in pids)
            running = Schedule(self.client).running() if is_crawling else []
            for task in self.cluster.site.published:
                ledger = Ledger(self.client, task)
                by = {name.decode(): one.decode() for name, one in self.client.hgetall(ledger.keys["holders"]).items()}
                mine = self._workers(pids).intersection(by.values()) if by else set()
                for page in ledger.open_urls("fetched", 500) if mine else ():
                    if (holder := by.get(fingerprint(page["url"]), "")) in mine:
                        found.append(InHand(task, page["url"], holder, time.time()))
                if task in running:
                    found += [InHand(task, page["url"], "", time.time()) for page in ledger.open_urls("leased", 500)]
        return found

    def _workers(self, pids: set[int]) -> set[str]:
        """The names of the workers that are among some processes."""
        names = {key: int(self.client.hget(key, "pid") or 0) for key in self.client.smembers("rq:workers")}
        return {key.decode().removeprefix("rq:worker:") for key, pid in names.items() if pid in pids}

    def is_anything_open(self) -> bool:
        """Whether any process has a page in hand; False if Redis is away."""
        with suppress(redis.RedisError):
            counts = [Ledger(self.client, task).counts() for task in self.cluster.site.published]
            return any(each.states["leased"] or each.states["fetched"] for each in counts)
        return False

    def seconds(self) -> list[float]:
        """How long each page waited, in order; those that still wait count until now."""
        return sorted((page.worked_on_at or time.time()) - page.killed_at for page in self.pages)

    def _run(self) -> None:
        while not self._stopping.wait(LOOK_EVERY):
            for page in [page for page in self.pages if page.worked_on_at is None]:
                with suppress(redis.RedisError, OSError):
                    page.worked_on_at = self._worked_on(page)

    def _worked_on(self, page: InHand) -> float | None:
        ledger, now = Ledger(self.client, page.task), time.time()
        if not page.holder:
            again = next((at for at, url in self.served() if url == page.url and at > page.killed_at), None)
            state = ledger.state_of(page.url)
            return again or (now if state and state[0] not in ("waiting", "leased") else None)
        return now if is_taken_again(ledger, page.name, page.holder) else None


def is_taken_again(ledger: Ledger, name: Fingerprint, former: str) -> bool:
    """Whether a page that a dead worker had is settled, or in the hands of another one."""
    holder = ledger.redis.hget(ledger.keys["holders"], name)
    return holder.decode() != former if holder else not ledger.redis.hexists(ledger.keys["open"], name)
