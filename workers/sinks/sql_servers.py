"""SQL servers: the table of an output, and what differs: the set-up of a connection, the upsert, the meaning of errors.

The primary key is column `row_key`, the SHA-256 of the row key in hexadecimal digits: a URL may be longer than an index
entry, and collations of MySQL may treat different URLs as equal.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Double, MetaData, String, Table, Text
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.engine import URL, Dialect
from sqlalchemy.schema import CreateTable
from sqlalchemy.types import TypeEngine

from workers.errors import OutputError
from workers.redaction import concealed
from workers.rows import RowKey, encodable, with_texts

from .options import OutputOptions
from .row_schema import Values, columns_of, foreign, type_of, unfit

ROW_KEY = "row_key"
DEFAULT_TABLE = "articles"
_TEXT = Text().with_variant(mysql.LONGTEXT(charset="utf8mb4"), "mysql")
_NAME = Text().with_variant(mysql.VARCHAR(255, charset="utf8mb4"), "mysql")
_HASH = String(64).with_variant(mysql.CHAR(64, charset="ascii", collation="ascii_bin"), "mysql")
_TIME = postgresql.TIMESTAMP(timezone=True).with_variant(mysql.DATETIME(), "mysql")
_LIST = postgresql.JSONB().with_variant(mysql.JSON(), "mysql")
_TYPES: Mapping[str, TypeEngine[Any]] = {  # of the fields of a row, by the type of their values
    "string": _TEXT,
    "array": _LIST,
    "time": _TIME,
    "number": Double(),
    "integer": BigInteger(),
    "boolean": Boolean(),
}
_NAME_PATTERN = re.compile(r"[^\W\d]\w*")
LONGEST_NAME = 63  # bytes, in PostgreSQL; MySQL allows 64 characters
CONNECT_WAIT = 5  # seconds to connect
STATEMENT_WAIT = 20  # seconds for one statement
LOCK_WAIT = 10  # seconds for a lock that another client holds
LONGEST_WORDS = 500  # characters of a server's message
CHECK_LOGIN = "check the user and the password of the address"  # the advice after a login that was refused
Cursor = Any  # a cursor of psycopg or PyMySQL
Fields = Mapping[str, Any]  # values of one row, by column


@dataclass(frozen=True, slots=True)
class ExistingTable:
    """The present state of a table on the server. `types`: by column, empty if there is no table.

    `has_unique_key`: `row_key` is unique. `has_schema`: the schema of the table exists. `required`: columns that are
    NOT NULL without a default.
    """

    types: Mapping[str, str]
    has_unique_key: bool
    has_schema: bool
    required: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SqlTable:
    """The table of an output. `columns`: pairs (column, field of the row), including the fields of the row key."""

    name: str
    schema: str | None
    columns: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All columns in order, `row_key` first."""
        return ROW_KEY, *(name for name, _ in self.columns)

    def quoted(self, dialect: Dialect) -> str:
        """Return the table's name for statements."""
        quote = dialect.identifier_preparer.quote
        return f"{quote(self.schema)}.{quote(self.name)}" if self.schema else quote(self.name)

    def creation(self, dialect: Dialect) -> str:
        """Return the statement that creates the table if there is none."""
        table = Table(
            self.name, MetaData(), *map(self._column, self.names), schema=self.schema, mysql_charset="utf8mb4"
        )
        return " ".join(str(CreateTable(table, if_not_exists=True).compile(dialect=dialect)).split())

    def problem(self, existing: ExistingTable) -> str:
        """Return why the table cannot be used: another program made it, or it would refuse every row; "" if it can."""
        if existing.types and not existing.has_unique_key:
            return foreign(self.name, ROW_KEY)
        return unfit(existing.types, dict(self.columns), [name for name in existing.required if name != ROW_KEY])

    def changes(self, existing: ExistingTable, dialect: Dialect) -> list[str]:
        """Return the statements that a server's table needs. A new column is NULL in existing rows."""
        quote = dialect.identifier_preparer.quote
        if not existing.types:
            schema = [] if existing.has_schema else [f"CREATE SCHEMA IF NOT EXISTS {quote(self.schema or '')}"]
            return [*schema, self.creation(dialect)]
        return [
            f"ALTER TABLE {self.quoted(dialect)} ADD COLUMN {quote(name)} {self._column(name).type.compile(dialect)}"
            for name in self.names
            if name not in existing.types
        ]

    def _column(self, name: str) -> Column[Any]:
        if name == ROW_KEY:
            return Column(name, _HASH, primary_key=True)
        field = dict(self.columns)[name]
        return Column(name, _NAME if field == "task" else _TYPES[type_of(field)])


def table_of(place: str, options: OutputOptions, output: str) -> SqlTable:
    """Return the table of an output. `place`: `table` or `schema.table`. Raises `OutputError` that names `output`."""
    schema, _, name = place.rpartition(".")
    columns = tuple(columns_of(options).items())
    for word, what in ((schema, "schema"), (name, "table"), *((name, "column") for name, _ in columns)):
        if word and not (_NAME_PATTERN.fullmatch(word) and len(word.encode()) <= LONGEST_NAME):
            raise OutputError(
                f"output {output}: invalid name of a {what} {word!r}; use letters, digits and _, at most 63"
            )
    names = [ROW_KEY, *(column.casefold() for column, _ in columns)]
    if repeated := sorted({column for column in names if names.count(column) > 1}):
        raise OutputError(f"output {output}: two columns have the name {repeated[0]}; rename a field")
    return SqlTable(name or DEFAULT_TABLE, schema or None, columns)


def hash_of(key: RowKey) -> str:
    """Return the value of column `row_key`."""
    return sha256(json.dumps(key, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class SqlProblem:
    """The meaning of a server's error.

    `words`: the server's message, in one line. `is_of_row`: its cause is the content of a row. `advice`: what a person
    should do; may be empty.
    """

    words: str
    is_of_row: bool = False
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
            return json.dumps(with_texts(value, self._text), ensure_ascii=False)
        if type_of(field) == "time" and value is not None:
            return self._time(value)
        return with_texts(value, self._text)

    def _text(self, text: str) -> str:
        return encodable(text)

    def _time(self, time: str) -> Any:
        return time

    def _advice(self, code: str, words: str) -> str:
        line = f"{code} {words}"
        return next((advice for pattern, advice in self.advices if re.search(pattern, line, re.IGNORECASE)), "")


def one_line(text: str) -> str:
    """Return a server's message in one line, truncated if it is too long."""
    line = concealed(" ".join(text.split()))
    return line if len(line) <= LONGEST_WORDS else line[:LONGEST_WORDS] + "…"
