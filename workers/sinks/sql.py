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
    CHECK_LOGIN,
    DEFAULT_TABLE,
    Cursor,
    ExistingTable,
    SqlProblem,
    SqlServerKind,
    hash_of,
    one_line,
    table_of,
)

ANSWER_WAIT = 25.0  # seconds for all operations on a connection
TRIES = 3  # attempts, each with a new connection; other processes may create the table at the same time
QUICK = 8.0  # seconds; after a failure within this time there is another attempt, unless the login was refused
SERVERS: Mapping[str, type[SqlServerKind]] = {
    "postgresql": Postgres,
    "postgres": Postgres,
    "mysql": MySql,
    "mariadb": MySql,
}
POOL_SIZE, POOL_MOST = 1, 5
POOL_WAIT = 5.0  # seconds for a free connection
RECYCLE = 600.0  # seconds after which a connection is replaced, since firewalls drop idle ones
_ENGINES: dict[URL, Engine] = {}
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
        self._existing: ExistingTable | None = None  # None: it is looked at before the next use
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
        close_engine(self._server)

    def _with_connection(self, action: Callable[[Cursor, ExistingTable], dict[RowKey, str]]) -> dict[RowKey, str]:
        """Run `_write` or `_try` in a transaction, after the table was set up. Raises `SinkUnavailable`."""
        started = time.monotonic()
        for left in reversed(range(TRIES)):
            try:
                engine = engine_of(self._server, self._kind)
                with connected(engine, self.answer_wait, self._kind.socket_of) as connection:
                    existing = self._existing or self._set_up(connection)
                    cursor = connection.cursor()
                    self._kind.begin(cursor)
                    result = action(cursor, existing)
                    connection.commit()
                    self._existing = None if result else existing  # refused rows: the table may have been changed
                    return result
            except self._errors as error:
                self._existing = None
                close_engine(self._server)  # the other connections of the pool may be lost, too
                waited, problem = time.monotonic() - started, self._problem(error)
                if not left or waited >= min(QUICK, self.answer_wait) or problem.advice == CHECK_LOGIN:
                    raise self._unavailable(problem, waited >= self.answer_wait) from None
        raise AssertionError("the last try returns or raises")

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
        quote, url = self._kind.dialect.identifier_preparer.quote, self._url
        advice = advice.format(
            table=self._quoted,
            schema=quote(self._table.schema or self._kind.schema or url.database or ""),
            database=quote(url.database or url.username or ""),
            user=quote(url.username) if url.username else "USER",
            statement=self._statement,
        )
        return SinkUnavailable(f"output unavailable: {self.name}: {words}" + (f"; {advice}" if advice else ""))


def engine_of(server: URL, kind: SqlServerKind) -> Engine:
    """Return this process' engine of a server. Certificates are read from their files when it is made."""
    with _LOCK:
        if server not in _ENGINES:
            url, arguments = kind.arguments(server)
            _ENGINES[server] = create_engine(
                url,
                connect_args=arguments,
                pool_size=POOL_SIZE,
                max_overflow=POOL_MOST - POOL_SIZE,
                pool_timeout=POOL_WAIT,
                pool_recycle=int(RECYCLE),
                hide_parameters=True,
            )
        return _ENGINES[server]


def close_engine(server: URL) -> None:
    """Close the connections to a server that are not in use; sinks connect to it again."""
    with _LOCK:
        engine = _ENGINES.pop(server, None)
    if engine is not None:
        engine.dispose()


def _forget() -> None:
    """Leave the connections to the process that forked this one."""
    global _LOCK
    _LOCK = Lock()
    for engine in _ENGINES.values():
        engine.dispose(close=False)
    _ENGINES.clear()


os.register_at_fork(after_in_child=_forget)


@contextmanager
def connected(
    engine: Engine, seconds: float, socket_of: Callable[[Any], int | None]
) -> Iterator[PoolProxiedConnection]:
    """Yield a connection of the pool; after an exception it is not returned to the pool, and the next one is new.

    After some seconds its socket is shut down, so that operations which wait for the server end: libpq only limits the
    time to connect, and a server that hangs does not enforce its own limits.
    """
    connection = engine.raw_connection()
    timer = Timer(seconds, _shut_down, (connection.dbapi_connection, socket_of))
    timer.daemon = True
    timer.start()
    try:
        yield connection
    except BaseException:
        with contextlib.suppress(Exception):
            connection.invalidate()
        raise
    finally:
        timer.cancel()
        connection.close()


def _shut_down(connection: Any, socket_of: Callable[[Any], int | None]) -> None:
    with contextlib.suppress(OSError, ValueError):
        number = socket_of(connection)
        if number is not None and number >= 0:
            with socket.socket(fileno=os.dup(number)) as copy:
                copy.shutdown(socket.SHUT_RDWR)
