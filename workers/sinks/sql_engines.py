"""Connections to SQL servers: one small pool for each address and process, and a time limit on their use.

A child process begins without connections: it neither uses nor closes those of its parent.
"""

import contextlib
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock, Timer
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.pool import PoolProxiedConnection

POOL_SIZE, POOL_MOST = 1, 5
POOL_WAIT = 5.0  # seconds for a free connection
RECYCLE = 600.0  # seconds after which a connection is replaced, since firewalls drop idle ones


class SharedEngines:
    """The engines of a process by address. An engine is closed with the last sink that uses it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._engines: dict[str, tuple[Engine, int]] = {}
        os.register_at_fork(after_in_child=self._forget)

    def acquire(self, address: str, url: URL, arguments: Mapping[str, Any]) -> Engine:
        """Return the engine of an address. `url`, `arguments`: the address in the driver's form."""
        with self._lock:
            engine, users = self._engines.get(address) or (_new(url, arguments), 0)
            self._engines[address] = engine, users + 1
        return engine

    def release(self, engine: Engine) -> None:
        """Record that a sink no longer uses an engine."""
        with self._lock:
            for address, (known, users) in list(self._engines.items()):
                if known is engine and users > 1:
                    self._engines[address] = engine, users - 1
                    return
                if known is engine:
                    del self._engines[address]
        engine.dispose()

    def _forget(self) -> None:
        self._lock = Lock()
        engines, self._engines = self._engines, {}
        for engine, _ in engines.values():
            engine.dispose(close=False)


ENGINES = SharedEngines()


class TimeLimit:
    """Ends operations that wait for a server for too long: it shuts down the sockets of the connections in use.

    libpq only limits the time to connect, and a server that hangs does not enforce its own limits.
    """

    def __init__(self, seconds: float, socket_of: Callable[[Any], int | None]):
        self.seconds = seconds
        self.is_over = False
        self._socket_of = socket_of
        self._connections: list[Any] = []
        self._timer = Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> "TimeLimit":
        self._token = _LIMIT.set(self)
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        _LIMIT.reset(self._token)

    def watch(self, connection: Any) -> None:
        """Include a connection of the driver."""
        self._connections.append(connection)

    def _end(self) -> None:
        self.is_over = True
        for connection in self._connections:
            with contextlib.suppress(OSError, ValueError):
                number = self._socket_of(connection)
                if number is not None and number >= 0:
                    with socket.socket(fileno=os.dup(number)) as copy:
                        copy.shutdown(socket.SHUT_RDWR)


_LIMIT: ContextVar[TimeLimit | None] = ContextVar("_LIMIT", default=None)


@contextmanager
def connected(engine: Engine) -> Iterator[PoolProxiedConnection]:
    """Yield a connection of the pool; after an exception it is not returned to the pool, and the next one is new."""
    connection = engine.raw_connection()
    try:
        yield connection
    except BaseException:
        with contextlib.suppress(Exception):
            connection.invalidate()
        raise
    finally:
        connection.close()


def _new(url: URL, arguments: Mapping[str, Any]) -> Engine:
    engine = create_engine(
        url,
        connect_args=dict(arguments),
        pool_size=POOL_SIZE,
        max_overflow=POOL_MOST - POOL_SIZE,
        pool_timeout=POOL_WAIT,
        pool_recycle=int(RECYCLE),
        hide_parameters=True,
    )
    event.listen(engine, "connect", _watch)
    event.listen(engine, "checkout", lambda connection, record, _: _watch(connection, record))
    return engine


def _watch(connection: Any, _: object) -> None:
    if limit := _LIMIT.get():
        limit.watch(connection)
