"""Several Redis servers: each is a complete system of its own, and every task lives on one of them.

The server is chosen by the host of the task's example (rendezvous hashing): all tasks of a host are on one server, so
that they share its pace, and an additional server moves only the hosts that are assigned to it. A task whose ledger is
already on another server stays there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import cast

import redis

from .. import keys
from .connection import connect
from .redis_address import RedisAddress, addresses

ASKED_AT_ONCE = 1000  # tasks in one command


@dataclass(frozen=True, slots=True)
class RedisServer:
    """One server of `REDIS_URL` and a connection to it."""

    address: RedisAddress
    connection: "redis.Redis"

    @property
    def url(self) -> str:
        """The address as `REDIS_URL` for a process that works with this server only; passwords included."""
        return self.address.url

    @property
    def name(self) -> str:
        """The name of the server: its `#name`, or its address without login."""
        return self.address.name


class RedisServers(Sequence[RedisServer]):
    """The servers of `REDIS_URL`, connected."""

    def __init__(self, url: str):
        """Raises `RedisRefused` and `RedisUnavailable` as `connect` does, for any of them."""
        self._servers = tuple(RedisServer(address, connect(address.url)) for address in addresses(url))

    def __getitem__(self, number: int) -> RedisServer:  # type: ignore[override]  # no slices
        return self._servers[number]

    def __len__(self) -> int:
        return len(self._servers)

    def __iter__(self) -> Iterator[RedisServer]:
        return iter(self._servers)

    def of_host(self, host: str) -> RedisServer:
        """Return the server that is chosen by a host's name."""
        return max(self._servers, key=lambda server: weight(server.name, host))

    def of_task(self, task: str) -> RedisServer:
        """Return the server on which a task is published, or else has a ledger; the first one for an unknown task."""
        if len(self._servers) == 1:
            return self._servers[0]
        for key in (keys.TASKS, keys.LEDGERS):
            for server in self._servers:
                connection = server.connection
                if connection.hexists(key, task) if key == keys.TASKS else connection.sismember(key, task):
                    return server
        return self._servers[0]

    def with_ledgers(self, tasks: Sequence[str]) -> dict[str, RedisServer]:
        """Return for each of these tasks that has a ledger the server on which it is."""
        found: dict[str, RedisServer] = {}
        for server in self._servers:
            for start in range(0, len(tasks), ASKED_AT_ONCE):
                names = list(tasks[start : start + ASKED_AT_ONCE])
                answers = cast(list[int], server.connection.smismember(keys.LEDGERS, names))
                for name, known in zip(names, answers, strict=True):
                    if known:
                        found.setdefault(name, server)
        return found

    def close(self) -> None:
        """Close all connections."""
        for server in self._servers:
            server.connection.close()


def weight(server: str, host: str) -> int:
    """Return the weight of a server for a host; the server with the largest one has the host."""
    return int.from_bytes(blake2b(f"{server}\0{host}".encode(), digest_size=8).digest())
