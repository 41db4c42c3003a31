"""Redis' clock in each process: times in Redis are those of one clock, independent of the clocks of machines.

    now = monotonic clock of this machine + offset, which is measured with TIME

The offset is measured again every second, after each new connection (another server has another clock), and when the
two clocks of the machine have moved apart (the machine slept, or its clock was set).
"""

import logging
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from weakref import WeakKeyDictionary

import redis

from .epoch import ConnectHook

Clock = Callable[[], float]  # Unix seconds
MEASURED_EVERY = 1.0  # seconds; until then a process does not notice that Redis' clock was set
SKEW_MOST = 5.0  # seconds by which this machine's clock may differ from Redis' without a warning
QUICK = 0.05  # seconds for a reply to TIME; half of them is the error of the offset
MEASUREMENTS = 3  # measurements at most, until a reply is quick
CLOCKS_APART = 1.0  # seconds between wall clock and monotonic clock, from which the offset is measured again
log = logging.getLogger(__name__)
_clocks: "WeakKeyDictionary[redis.Redis, RedisClock]" = WeakKeyDictionary()


def day_at(seconds: float) -> date:
    """Return the day in UTC of a time in Unix seconds."""
    return datetime.fromtimestamp(seconds, UTC).date()


class RedisClock:
    """The clock of one connection (`clock_of`). `wall`: Unix seconds by this machine; `monotonic`: seconds."""

    def __init__(
        self,
        connection: "redis.Redis",
        *,
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self.wall, self.monotonic = wall, monotonic
        pool = connection.connection_pool
        self._redis = redis.Redis(connection_pool=pool)  # not `connection`, which may be a pipeline
        self._hook: object = pool.connection_kwargs.get("redis_connect_func")
        self._offset = self._machine_offset = 0.0
        self._measured: float | None = None  # when the offset was measured, by the monotonic clock
        self._connections = 0
        self._warned = False

    def now(self) -> float:
        """Return Redis' time in Unix seconds.

        Raises `redis.RedisError` if the offset must be measured and Redis is unavailable.
        """
        if self._is_due():
            self._measure()
        return self.monotonic() + self._offset

    def moment(self) -> datetime:
        """Return Redis' time as an aware `datetime` in UTC."""
        return datetime.fromtimestamp(self.now(), UTC)

    def _is_due(self) -> bool:
        now = self.monotonic()
        if self._measured is None or now - self._measured >= MEASURED_EVERY or self._connections != self._connected():
            return True
        return abs(self.wall() - now - self._machine_offset) >= CLOCKS_APART

    def _connected(self) -> int:
        return self._hook.connections if isinstance(self._hook, ConnectHook) else 0

    def _measure(self) -> None:
        best = float("inf")
        for _ in range(MEASUREMENTS):
            before = self.monotonic()
            seconds, microseconds = self._redis.time()
            after = self.monotonic()
            if after - before < best:
                best = after - before
                self._offset = seconds + microseconds / 1e6 - (before + after) / 2
            if best <= QUICK:
                break
        self._connections = self._connected()
        self._measured = self.monotonic()
        self._machine_offset = self.wall() - self._measured
        self._warn_of_skew(self._machine_offset - self._offset)

    def _warn_of_skew(self, skew: float) -> None:
        is_wrong = abs(skew) > SKEW_MOST
        if is_wrong and not self._warned:
            direction = "ahead of" if skew > 0 else "behind"
            log.warning(
                "the clock of this machine is %.0f s %s that of Redis, which is used; synchronise it",
                abs(skew),
                direction,
            )
        self._warned = is_wrong


def clock_of(connection: "redis.Redis") -> RedisClock:
    """Return the clock of the Redis behind a connection; the same one at each call."""
    clock = _clocks.get(connection)
    if clock is None:
        clock = _clocks[connection] = RedisClock(connection)
    return clock
