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


_ENGINES: dict[tuple[int, str], Engine] = {}
_LOCK = Lock()


def engine_of(address: str, url: URL, arguments: Mapping[str, Any]) -> Engine:
    """Return this process' engine of an address. `url`, `arguments`: the address in the driver's form."""
    with _LOCK:
        key = os.getpid(), address
        if key not in _ENGINES:
            _ENGINES[key] = _new(url, arguments)
        return _ENGINES[key]


def close_engine(engine: Engine) -> None:
    """Close the connections of an engine that are not in use; other sinks that have it connect again."""
    with _LOCK:
        for key in [key for key, known in _ENGINES.items() if known is engine]:
            del _ENGINES[key]
    engine.dispose()


def _forget() -> None:
    """Leave the connections to the process that forked this one."""
    global _LOCK
    _LOCK = Lock()
    for engine in _ENGINES.values():
        engine.dispose(close=False)
    _ENGINES.clear()


os.register_at_fork(after_in_child=_forget)


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
