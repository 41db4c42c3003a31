"""The waiting of a part of the system for an unavailable Redis: with back-off, and with one report."""

import re
import time
from collections.abc import Callable
from typing import TypeVar

import redis

from .connection import reason

Result = TypeVar("Result")

FIRST_PAUSE = 0.2  # seconds until Redis is tried again
LONGEST_PAUSE = 3.0  # seconds
REPORT_AFTER = 2.0  # seconds; a shorter loss, such as a restart of the embedded Redis, is not reported
# Replies of a server in a state that ends by itself or by an operator: full, a replica, its disk full, busy. redis-py
# removes the codes of errors that have a class of their own; in Redis 6.2 a script's error contains the code.
_TEMPORARY = (
    redis.ConnectionError,
    redis.TimeoutError,
    redis.exceptions.OutOfMemoryError,
    redis.exceptions.ReadOnlyError,
    redis.exceptions.MasterDownError,
    redis.exceptions.ClusterDownError,
    redis.exceptions.TryAgainError,
    redis.exceptions.ExecAbortError,
)
_TEMPORARY_CODE = re.compile(r"\b(OOM|READONLY|MISCONF|NOREPLICAS|MASTERDOWN|BUSY) ")


class Outage:
    """The availability of the Redis of a connection to one part of the system.

    `report` gets one text when Redis is lost, and one when it is back. With `exits`, the error is raised instead, and
    the part ends.
    """

    def __init__(self, connection: "redis.Redis", report: Callable[[str], None], *, exits: bool = False):
        self.redis, self.report, self.exits = connection, report, exits
        self._since: float | None = None
        self._is_reported = False
        self._ended = float("-inf")
        self._pause = FIRST_PAUSE
        self._next = 0.0

    @property
    def is_on(self) -> bool:
        """Whether Redis is unavailable as far as is known."""
        return self._since is not None

    def ended_within(self, seconds: float) -> bool:
        """Whether Redis came back within the last `seconds`."""
        return time.monotonic() - self._ended < seconds

    def attempt(self, step: Callable[[], Result]) -> Result | None:
        """Call a step that needs Redis. None if Redis is lost, or if it is too early to try again.

        Raises `redis.RedisError` with `exits`, and for an error that will not pass.
        """
        if self._since is not None and time.monotonic() < self._next:
            return None
        try:
            if self._since is not None:
                self.redis.ping()
            result = step()
        except redis.RedisError as error:
            if self.exits or not is_temporary(error):
                raise
            self._note_loss(error)
            return None
        self._note_return()
        return result

    def _note_loss(self, error: redis.RedisError) -> None:
        now = time.monotonic()
        if self._since is None:
            self._since, self._pause, self._is_reported = now, FIRST_PAUSE, False
        if now - self._since >= REPORT_AFTER and not self._is_reported:
            self._is_reported = True
            self.report(f"Redis is unavailable: {reason(error)}; waiting for it, nothing is lost")
        self._next = now + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def _note_return(self) -> None:
        if self._since is None:
            return
        now = time.monotonic()
        if self._is_reported:
            self.report(f"Redis is available again after {now - self._since:.0f} s")
        self._since, self._ended = None, now


def is_temporary(error: redis.RedisError) -> bool:
    """Whether the cause of an error may pass: no connection, or a server that temporarily cannot serve."""
    return isinstance(error, _TEMPORARY) or _TEMPORARY_CODE.search(str(error)) is not None
