"""The presence of processes: each process of the cluster writes a heartbeat into one hash every few seconds.

A heartbeat has the name of the machine (its node), the version, and the activity of the process. A process that ends
removes its heartbeat; if its heartbeats stop while one remains, it has died, which is shown for an hour.
"""

import json
import os
import socket
import time
from collections import deque
from importlib.metadata import version
from typing import Any, cast

import redis

from .. import keys
from ..log_ids import node_name
from ..redis_access.full_redis import even_when_full
from ..redis_access.redis_clock import SKEW_MOST, clock_of

HEARTBEAT_EVERY = 2.0  # seconds
GONE_AFTER = 10.0  # seconds without a heartbeat until a process counts as dead
FORGET_AFTER = 3600.0  # seconds until the heartbeat of a process that died is removed
RATE_OVER = 60.0  # seconds over which a rate is averaged
ERROR_LENGTH = 300  # characters of an error in a heartbeat


class Presence:
    """The heartbeat of one process. `role`: schedule, crawl or extract."""

    def __init__(self, connection: "redis.Redis", role: str):
        self.redis = connection
        self.role = role
        self.clock = clock_of(connection).now
        self.node = node_name().replace(" ", "-")
        self.name = f"{role}@{self.node}:{os.getpid()}"
        self._last_error: dict[str, Any] | None = None
        self._error_is_new = False

    def note_error(self, text: str) -> None:
        """Keep the last error for the next heartbeat. Sends nothing."""
        self._last_error, self._error_is_new = {"text": text[:ERROR_LENGTH]}, True

    def show(self, **facts: Any) -> None:
        """Write a heartbeat with the activity of the process."""
        now = self.clock()
        if self._last_error is not None and self._error_is_new:
            self._last_error["at"], self._error_is_new = now, False
        beat: dict[str, Any] = {
            "role": self.role,
            "at": now,
            "node": self.node,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "version": version("exemplar-crawler"),
            "last_error": self._last_error,
            **facts,
        }
        if abs(skew := time.time() - now) > SKEW_MOST:
            beat["clock_skew"] = round(skew, 1)  # seconds by which this machine's clock is ahead of Redis'
        even_when_full(self.redis, "HSET", keys.ALIVE, self.name, json.dumps(beat, ensure_ascii=False))

    def leave(self) -> None:
        """Remove the heartbeat: the process ends."""
        self.redis.hdel(keys.ALIVE, self.name)


class Rate:
    """The number of things that a process did in the last minute."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._times: deque[float] = deque()

    def add(self, number: int = 1) -> None:
        """Count `number` things."""
        self._times.extend([time.monotonic()] * number)

    def per_second(self) -> float:
        """Return the mean over the last minute, or over the time since the start if that is shorter."""
        now = time.monotonic()
        while self._times and self._times[0] < now - RATE_OVER:
            self._times.popleft()
        return len(self._times) / max(1.0, min(RATE_OVER, now - self._started))


def alive(connection: "redis.Redis") -> list[dict[str, Any]]:
    """Return the processes with a heartbeat within `GONE_AFTER`, by name."""
    return processes(connection)[0]


def processes(connection: "redis.Redis") -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the processes that are alive and those that died within the last hour, each by name."""
    now = clock_of(connection).now()
    living: list[dict[str, Any]] = []
    dead: list[dict[str, Any]] = []
    for name, raw in cast(dict[bytes, bytes], connection.hgetall(keys.ALIVE)).items():
        beat = json.loads(raw)
        age = abs(now - beat["at"])  # a heartbeat of the future is older than the step of Redis' clock
        if age > FORGET_AFTER:
            connection.hdel(keys.ALIVE, name.decode())
        else:
            (living if age <= GONE_AFTER else dead).append({"name": name.decode(), **beat})
    return sorted(living, key=_by_name), sorted(dead, key=_by_name)


def _by_name(beat: dict[str, Any]) -> str:
    return str(beat["name"])
