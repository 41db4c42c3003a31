"""What the runs of one process share: the connection to Redis, the pace, the addresses of hosts, the browsers."""

import mmap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import redis

from crawler.politeness.pace import AddressBook, Pace
from crawler.run.section_run import SectionRun
from workers.redis_access.full_redis import WaitingRedis
from workers.redis_access.outage import is_temporary

WORK_BYTES = 1024  # more than the name of a task


class SharingSpider(Protocol):
    """A spider that shares what this process has."""

    run: SectionRun

    def end_without_redis(self, error: redis.RedisError) -> None:
        """End the run, because Redis is unavailable."""


@dataclass(frozen=True, eq=False)
class Shared:
    """What the runs of one process share. `spiders`: those whose runs have begun and not ended.

    `on_wait` is called again and again while Redis is full. `work`: a file of `WORK_BYTES`, which names the task of the
    page that is handled, for whoever kills a process that hangs.
    """

    connection: WaitingRedis
    pace: Pace
    on_wait: Callable[[], None] = lambda: None
    work: mmap.mmap | None = None
    browsers: dict[Any, Any] = field(default_factory=dict)
    addresses: AddressBook = field(default_factory=AddressBook)
    spiders: set[SharingSpider] = field(default_factory=set)

    @classmethod
    def of(cls, connection: "redis.Redis", **more: Any) -> "Shared":
        """Return what runs share, with the connections of `connection` to Redis; `more`: fields."""
        waiting = WaitingRedis.of(connection)
        shared = cls(waiting, Pace(waiting), **more)
        waiting.on_wait = shared.beat_while_full
        return shared

    @contextmanager
    def handling(self, task: str) -> Iterator[None]:
        """Name the task of the page that is handled within the block."""
        if self.work is None:
            yield
            return
        self.work[:] = task.encode()[:WORK_BYTES].ljust(WORK_BYTES, b"\0")
        try:
            yield
        finally:
            self.work[:] = bytes(WORK_BYTES)

    def beat_while_full(self) -> None:
        """Renew the leases of all runs while a command of one of them waits because Redis is full."""
        self.on_wait()
        for spider in self.spiders:
            spider.run.beat_while_full()

    async def close(self) -> None:
        """End the browsers."""
        for browsers in self.browsers.values():
            await browsers.close()

    def end_without_redis(self, error: redis.RedisError) -> None:
        """End all runs if Redis is lost, so that not each of them waits for it."""
        if is_temporary(error):
            for spider in [*self.spiders]:
                spider.end_without_redis(error)
