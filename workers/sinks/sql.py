"""PostgreSQL, MySQL and MariaDB: a table, upserted by row key. Extra `sql`.

    postgresql://user:password@host/database?table=name     also postgres://, mysql://, mariadb://

Each batch has a connection of its own. A server that does not answer ends the delivery process
(`workers.writing.delivery`), which has a time limit.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial

from sqlalchemy import Connection, NullPool, create_engine, false, null, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from workers.addresses import shown
from workers.errors import OutputError, RowsRefused, SinkUnavailable
from workers.rows import RowKey, key_of

from .batch_parts import upsert_parts
from .interface import RowBatch
from .kinds import Target
from .sql_servers import (
    CHECK_LOGIN,
    DEFAULT_TABLE,
    Fields,
    MySql,
    Postgres,
    SqlProblem,
    SqlServerKind,
    hash_of,
    one_line,
    prepare,
    table_of,
)

SERVERS: Mapping[str, type[SqlServerKind]] = {
    "postgresql": Postgres,
    "postgres": Postgres,
    "mysql": MySql,
    "mariadb": MySql,
}


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
            place = url.query.get("table", DEFAULT_TABLE)
            if not isinstance(place, str):
                raise ValueError("more than one table")
            self._table = table_of(place, target.options, self.name)
            self._server = url.difference_update_query(["table"]).set(drivername=self._kind.driver)
            self._kind.arguments(self._server)
        except (ArgumentError, ValueError, OSError) as error:
            words = one_line(str(error))
            raise OutputError(f"task {target.task}: output {self.name}: invalid address: {words}") from None
        self._insert = self._kind.insert(self._table)
        self._upsert = self._kind.upsert(self._table, self._insert)

    def write(self, batch: RowBatch) -> None:
        """Upsert the rows in one transaction; it is committed when this returns, or raises `RowsRefused`."""
        refused: dict[RowKey, str] = {}
        rows: dict[RowKey, Fields] = {}
        for row in batch.rows:
            key = key_of(row)
            try:
                rows[key] = self._kind.values(self._table, hash_of(key), self._options.shaped(row, with_key=True))
            except (ValueError, TypeError) as error:
                refused[key] = f"not storable: {error}"
        if rows:
            refused |= self._with_connection(partial(self._write, rows=rows))
        if refused:
            raise RowsRefused(refused)

    def check(self) -> None:
        """Connect, create the table or its missing columns, and check whether rows may be written."""
        self._with_connection(self._try)

    def close(self) -> None:
        """Do nothing: no connection is kept."""

    def _with_connection(self, action: Callable[[Connection], dict[RowKey, str]]) -> dict[RowKey, str]:
        """Run `_write` or `_try` in a transaction, after the table was prepared. Raises `SinkUnavailable`.

        It is tried twice: another process may have created or removed the table meanwhile.
        """
        for is_last in (False, True):
            try:
                return self._run(action)
            except (SQLAlchemyError, OSError) as error:
                problem = self._problem(error)
                if is_last or problem.advice == CHECK_LOGIN:
                    words = problem.words.rstrip(".;: ") + (f"; {problem.advice}" if problem.advice else "")
                    raise SinkUnavailable(f"output unavailable: {self.name}: {words}") from None
        raise AssertionError("the last try returns or raises")

    def _run(self, action: Callable[[Connection], dict[RowKey, str]]) -> dict[RowKey, str]:
        url, arguments = self._kind.arguments(self._server)
        as_json = json.JSONEncoder(ensure_ascii=False).encode
        engine = create_engine(
            url, connect_args=arguments, poolclass=NullPool, hide_parameters=True, json_serializer=as_json
        )
        with engine.connect() as connection:
            connection.exec_driver_sql(self._kind.set_up)
            if problem := prepare(connection, self._table):
                raise OutputError(f"output {self.name}: {problem}")
            connection.commit()
            connection.exec_driver_sql(self._kind.set_up)
            refused = action(connection)
            connection.commit()
        return refused

    def _try(self, connection: Connection) -> dict[RowKey, str]:
        """Upsert no rows, for which the server requires the same rights."""
        nothing = select(*(null() for _ in self._table.columns)).where(false())
        insert = self._insert.from_select(self._table.columns, nothing)
        connection.execute(self._kind.upsert(self._table, insert))
        return {}

    def _write(self, connection: Connection, rows: Mapping[RowKey, Fields]) -> dict[RowKey, str]:
        """Upsert rows; return the server's messages on those that it refuses."""
        too_long = {key: words for key, row in rows.items() if (words := self._kind.too_long(connection, row))}
        others = {key: row for key, row in rows.items() if key not in too_long}
        upsert = partial(connection.execute, self._upsert)
        return too_long | upsert_parts(connection.exec_driver_sql, others, upsert, self._refusal)

    def _refusal(self, error: Exception) -> str | None:
        problem = self._problem(error)
        return problem.words if problem.is_of_row else None

    def _problem(self, error: Exception) -> SqlProblem:
        if isinstance(error, DBAPIError) and error.orig is not None:
            return self._kind.problem(error.orig)
        if isinstance(error, OSError):
            return self._kind.problem(error)
        return SqlProblem(one_line(str(error)))
