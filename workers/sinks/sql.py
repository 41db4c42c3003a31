"""PostgreSQL, MySQL and MariaDB: a table, upserted by row key. Extra `sql`.

    postgresql://user:password@host/database?table=name     also postgres://, mysql://, mariadb://

There is one small pool of connections for each address and process, and a time limit on their use. A child process
begins without connections: it neither uses nor closes those of its parent.
"""

import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from threading import Lock, Timer
from typing import Any

from sqlalchemy import Engine, create_engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import PoolProxiedConnection

from workers.addresses import shown
from workers.errors import OutputError, RowsRefused, SinkUnavailable
from workers.rows import RowKey, key_of

from .interface import RowBatch
from .kinds import Target
from .row_schema import Values, upsert_parts
from .sql_mysql import MySql
from .sql_postgres import Postgres
from .sql_servers import (
    DEFAULT_TABLE,
    Cursor,
    ExistingTable,
    SqlProblem,
    SqlServerKind,
    hash_of,
    one_line,
    table_of,
)

ANSWER_WAIT = 25.0  # seconds for all operations of one call on a connection
TRIES = 3  # attempts, each with a new connection; other processes may create the table at the same time
QUICK = 8.0  # seconds; after a failure within this time there is another attempt
SERVERS: Mapping[str, type[SqlServerKind]] = {
    "postgresql": Postgres,
    "postgres": Postgres,
    "mysql": MySql,
    "mariadb": MySql,
}
POOL_SIZE, POOL_MOST = 1, 5
POOL_WAIT = 5.0  # seconds for a free connection
RECYCLE = 600.0  # seconds after which a connection is replaced, since firewalls drop idle ones
_ENGINES: dict[tuple[int, str], Engine] = {}
_LOCK = Lock()


class SqlSink:
    """Upserts rows into a table of a server, one transaction per batch.

    The table is created when it is missing, and gets the columns that it lacks; other columns are not changed. A table
    without our unique column was made by another program and is not changed.
    A row that the server refuses is found by halving the batch.
    """

    def __init__(self, target: Target):
        """Raises `OutputError` if the address is invalid."""
        self.name = shown(target.address)
        self._options = target.options
        try:
            url = make_url(target.address)
            self._kind = SERVERS[url.get_backend_name().lower()]()
            if isinstance(self._kind, MySql) and not url.database:
                raise ValueError("no database; use mysql://USER:PASSWORD@HOST/DATABASE")
            place = url.query.get("table", DEFAULT_TABLE)
            if not isinstance(place, str):
                raise ValueError("more than one table")
            self._table = table_of(place, target.options, self.name)
            self._server = url.difference_update_query(["table"]).set(drivername=self._kind.driver)
            self._url, _ = self._kind.arguments(self._server)  # in the driver's form
        except (ArgumentError, ValueError, OSError) as error:
            words = one_line(str(error))
            raise OutputError(f"task {target.task}: output {self.name}: invalid address: {words}") from None
        self.answer_wait = ANSWER_WAIT
        self._quoted = self._table.quoted(self._kind.dialect)
        self._errors: tuple[type[Exception], ...] = (*self._kind.errors, SQLAlchemyError, OSError)
        self._engine: Engine | None = None
        self._process = 0  # the id of the process that the engine belongs to
        self._existing: ExistingTable | None = None
        self._statement = ""  # the last statement that changes the table, for messages

    def __repr__(self) -> str:
        return f"SqlSink({self.name})"

    def write(self, batch: RowBatch) -> None:
        """Upsert the rows in one transaction; it is committed when this returns, or raises `RowsRefused`."""
        refused: dict[RowKey, str] = {}
        rows: dict[RowKey, Values] = {}
        for row in batch.rows:
            key = key_of(row)
            try:
                rows[key] = self._kind.values(self._table, hash_of(key), self._options.shaped(row, with_key=True))
            except (ValueError, TypeError) as error:
                refused[key] = f"not storable: {error}"
        if rows:
            refused |= self._with_connection(lambda cursor, existing: self._write(cursor, existing, rows))
        if refused:
            raise RowsRefused(refused)

    def check(self) -> None:
        """Connect, create the table or its missing columns, and check whether rows may be written."""
        self._existing = None
        self._with_connection(self._try)

    def close(self) -> None:
        """Close the connections; other sinks of this process that share them connect again."""
        if self._engine is not None:
            close_engine(self._engine)
            self._engine = None

    def _with_connection(self, action: Callable[[Cursor, ExistingTable], dict[RowKey, str]]) -> dict[RowKey, str]:
        """Run `_write` or `_try` in a transaction, after the table was set up. Raises `SinkUnavailable`."""
        started = time.monotonic()
        with TimeLimit(self.answer_wait, self._kind.socket_of) as limit:
            for left in reversed(range(TRIES)):
                try:
                    with connected(self._open()) as connection:
                        limit.watch(connection.dbapi_connection)
                        existing = self._existing or self._set_up(connection)
                        cursor = connection.cursor()
                        self._kind.begin(cursor)
                        result = action(cursor, existing)
                        connection.commit()
                        self._existing = existing
                        return result
                except self._errors as error:
                    self._existing = None
                    if self._engine is not None:
                        self._engine.dispose()  # the other connections of the pool may be lost, too
                    if not left or limit.is_over or time.monotonic() - started >= QUICK:
                        raise self._unavailable(self._problem(error), limit.is_over) from None
        raise AssertionError("the last try returns or raises")

    def _open(self) -> Engine:
        if self._engine is None or self._process != os.getpid():
            _, arguments = self._kind.arguments(self._server)  # reads certificates from the file again
            address = self._server.render_as_string(hide_password=False)
            self._engine, self._process = engine_of(address, self._url, arguments), os.getpid()
        return self._engine

    def _set_up(self, connection: PoolProxiedConnection) -> ExistingTable:
        """Create the table, or add what it lacks. This fails if another process does the same at the same time."""
        cursor = connection.cursor()
        self._kind.begin(cursor)
        existing = self._kind.existing(cursor, self._table)
        if problem := self._table.problem(existing):
            raise OutputError(f"output {self.name}: {problem}")
        if changes := self._table.changes(existing, self._kind.dialect):
            for self._statement in changes:
                cursor.execute(self._statement)
            existing = self._kind.existing(cursor, self._table)
        connection.commit()
        return existing

    def _try(self, cursor: Cursor, existing: ExistingTable) -> dict[RowKey, str]:
        cursor.execute(self._kind.trial(self._table))
        return {}

    def _write(self, cursor: Cursor, existing: ExistingTable, rows: Mapping[RowKey, Values]) -> dict[RowKey, str]:
        """Upsert rows; return the server's messages on those that it refuses."""
        too_long = {key: words for key, row in rows.items() if (words := self._kind.too_long(cursor, row))}
        others = {key: row for key, row in rows.items() if key not in too_long}
        upsert = partial(self._kind.upsert, cursor, self._table, existing)
        return too_long | upsert_parts(cursor, others, upsert, self._refusal)

    def _refusal(self, error: Exception) -> str | None:
        problem = self._kind.problem(error) if isinstance(error, self._kind.errors) else None
        return problem.words if problem and problem.is_of_row else None

    def _problem(self, error: Exception) -> SqlProblem:
        if isinstance(error, DBAPIError) and isinstance(error.orig, Exception):
            error = error.orig
        if isinstance(error, SQLAlchemyError):  # an error of the pool, or of an unknown server
            return SqlProblem(" ".join(str(error).split()))
        return self._kind.problem(error)

    def _unavailable(self, problem: SqlProblem, is_over: bool) -> SinkUnavailable:
        words = f"no answer within {self.answer_wait:.0f} s" if is_over else problem.words.rstrip(".;: ")
        advice = "look at the server's load and at the network" if is_over else problem.advice
        advice = advice.format(
            table=self._quoted,
            schema=self._table.schema or self._kind.schema or self._url.database,
            database=self._url.database or self._url.username,
            user=self._url.username or "USER",
            statement=self._statement,
        )
        return SinkUnavailable(f"output unavailable: {self.name}: {words}" + (f"; {advice}" if advice else ""))


def engine_of(address: str, url: URL, arguments: Mapping[str, Any]) -> Engine:
    """Return this process' engine of an address. `url`, `arguments`: the address in the driver's form."""
    with _LOCK:
        key = os.getpid(), address
        if key not in _ENGINES:
            _ENGINES[key] = create_engine(
                url,
                connect_args=dict(arguments),
                pool_size=POOL_SIZE,
                max_overflow=POOL_MOST - POOL_SIZE,
                pool_timeout=POOL_WAIT,
                pool_recycle=int(RECYCLE),
                hide_parameters=True,
            )
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
        self.is_over = False
        self._socket_of = socket_of
        self._connections: list[Any] = []
        self._timer = Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> "TimeLimit":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

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
