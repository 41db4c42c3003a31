"""The differences between SQL servers: the set-up of a connection, the upsert, and the meanings of errors."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy.engine import URL, Dialect

from workers.redaction import concealed

from .row_schema import type_of
from .sql_table import ExistingTable, SqlTable

CONNECT_WAIT = 5  # seconds to connect
STATEMENT_WAIT = 20  # seconds for one statement
LOCK_WAIT = 10  # seconds for a lock that another client holds
LONGEST_WORDS = 500  # characters of a server's message
Cursor = Any  # a cursor of psycopg or PyMySQL
Cause = Literal["row", "connection", "table", "conflict", "other"]
Values = tuple[Any, ...]  # values of one row, in the order of `SqlTable.names`
Fields = Mapping[str, Any]  # values of one row, by column


@dataclass(frozen=True, slots=True)
class SqlProblem:
    """The meaning of a server's error.

    `cause`: the content of a row; a lost connection; a table or column that is missing; a conflict with another client;
    anything else. `words`: the server's message, in one line. `advice`: what a person should do; may be empty.
    """

    cause: Cause
    words: str
    advice: str = ""


class SqlServerKind(ABC):
    """One kind of server. `driver`: SQLAlchemy's name. `advices`: pairs (pattern of code and words, advice)."""

    driver = ""
    dialect: Dialect  # for quoting and types
    schema = ""  # schema of a table without a given one; empty: the database
    errors: tuple[type[Exception], ...] = ()  # exceptions of the driver
    advices: tuple[tuple[str, str], ...] = ()
    # The upsert: what follows the rows, the new value of a column, and a selection of no row
    on_conflict, update, from_nothing = "", "", ""

    @abstractmethod
    def arguments(self, url: URL) -> tuple[URL, dict[str, Any]]:
        """Return the address without our own options, and the driver's arguments. Raises `ValueError`."""

    @abstractmethod
    def begin(self, cursor: Cursor) -> None:
        """Begin a transaction, with limits on its times."""

    @abstractmethod
    def existing(self, cursor: Cursor, table: SqlTable) -> ExistingTable:
        """Return the present state of a table on the server."""

    @abstractmethod
    def upsert(self, cursor: Cursor, table: SqlTable, existing: ExistingTable, rows: Sequence[Values]) -> None:
        """Write rows, or write over those with the same `row_key`, which occurs once in `rows`."""

    @abstractmethod
    def problem(self, error: Exception) -> SqlProblem:
        """Return the meaning of an error of the driver."""

    def socket_of(self, connection: Any) -> int | None:
        """Return the number of a driver connection's socket, None if the driver has time limits of its own."""
        return None

    def too_long(self, cursor: Cursor, row: Values) -> str:
        """Return why a row is too long for a statement, or ""."""
        return ""

    def insert(self, table: SqlTable, source: str) -> str:
        """Return the upsert of the rows of a source."""
        names = [self.dialect.identifier_preparer.quote(name) for name in table.names]
        updates = ", ".join(self.update.format(name) for name in names[1:])
        then = f"{self.on_conflict.format(names[0])} {updates}"
        return f"INSERT INTO {table.quoted(self.dialect)} ({', '.join(names)}) {source} {then}"

    def trial(self, table: SqlTable) -> str:
        """Return an upsert of no rows, for which the server requires the same rights."""
        return self.insert(table, f"SELECT {', '.join('NULL' for _ in table.names)} {self.from_nothing}")

    def values(self, table: SqlTable, key: str, shaped: Fields) -> Values:
        """Return the values of a row. Raises `ValueError` or `TypeError` for one that no column can store."""
        return key, *(self._value(shaped.get(name), field) for name, field in table.columns)

    def _value(self, value: Any, field: str) -> Any:
        if type_of(field) == "array" and value is not None:
            return json.dumps(self._clean(value), ensure_ascii=False)
        if type_of(field) == "time" and value is not None:
            return self._time(value)
        return self._clean(value)

    def _clean(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, (list, tuple)):
            return [self._clean(item) for item in value]
        if isinstance(value, dict):
            return {self._clean(name): self._clean(item) for name, item in value.items()}
        if value is None or isinstance(value, (int, float)):
            return value
        raise TypeError(f"a value of type {type(value).__name__}")

    def _text(self, text: str) -> str:
        return text if text.isascii() else text.encode("utf-8", "replace").decode()  # no lone surrogates

    @abstractmethod
    def _time(self, time: str) -> Any: ...

    def _advice(self, code: str, words: str) -> str:
        line = f"{code} {words}"
        return next((advice for pattern, advice in self.advices if re.search(pattern, line, re.IGNORECASE)), "")


def one_line(text: str) -> str:
    """Return a server's message in one line, truncated if it is too long."""
    line = concealed(" ".join(text.split()))
    return line if len(line) <= LONGEST_WORDS else line[:LONGEST_WORDS] + "…"
