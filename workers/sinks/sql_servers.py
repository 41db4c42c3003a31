"""SQL servers: the table of an output, and what differs between servers: arguments, upsert, meaning of errors.

The primary key is column `row_key`, the SHA-256 of the row key in hexadecimal digits: a URL may be longer than an index
entry, and collations of MySQL may treat different URLs as equal.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Connection, Double, MetaData, String, Table, Text, inspect
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.engine import URL
from sqlalchemy.schema import CreateSchema, CreateTable
from sqlalchemy.types import TypeEngine

from workers.errors import OutputError
from workers.redaction import concealed
from workers.rows import RowKey, encodable, with_texts

from .options import OutputOptions
from .row_schema import columns_of, foreign, type_of, unfit

ROW_KEY = "row_key"
DEFAULT_TABLE = "articles"
_TEXT = Text().with_variant(mysql.LONGTEXT(charset="utf8mb4"), "mysql")
_NAME = Text().with_variant(mysql.VARCHAR(255, charset="utf8mb4"), "mysql")
_HASH = String(64).with_variant(mysql.CHAR(64, charset="ascii", collation="ascii_bin"), "mysql")
_TIME = postgresql.TIMESTAMP(timezone=True).with_variant(mysql.DATETIME(), "mysql")
_LIST = postgresql.JSONB(none_as_null=True).with_variant(mysql.JSON(none_as_null=True), "mysql")
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
COMMON_ADVICES = (  # of all servers: pairs (pattern of code and words, advice)
    ("refused|no such file", "start the server, or check host and port of the address"),
    ("resolve|translate host|name or service", "check the host of the address"),
    ("timeout|timed out", "check that the server is running, and that no firewall blocks it"),
)
Fields = Mapping[str, Any]  # values of one row, by column


def table_of(place: str, options: OutputOptions, output: str) -> Table:
    """Return the table of an output; each column has the field of the row as `info["field"]`.

    `place`: `table` or `schema.table`. Raises `OutputError` that names `output`.
    """
    schema, _, name = place.rpartition(".")
    fields = columns_of(options)
    for word, what in ((schema, "schema"), (name, "table"), *((name, "column") for name in fields)):
        if word and not (_NAME_PATTERN.fullmatch(word) and len(word.encode()) <= LONGEST_NAME):
            raise OutputError(
                f"output {output}: invalid name of a {what} {word!r}; use letters, digits and _, at most 63"
            )
    names = [ROW_KEY, *map(str.casefold, fields)]
    if repeated := sorted({column for column in names if names.count(column) > 1}):
        raise OutputError(f"output {output}: two columns have the name {repeated[0]}; rename a field")
    columns = [
        Column(name, _NAME if field == "task" else _TYPES[type_of(field)], info={"field": field})
        for name, field in fields.items()
    ]
    key = Column(ROW_KEY, _HASH, primary_key=True)
    return Table(name or DEFAULT_TABLE, MetaData(), key, *columns, schema=schema or None, mysql_charset="utf8mb4")


def prepare(connection: Connection, table: Table) -> str:
    """Create a table, or add the columns that it lacks. A new column is NULL in existing rows.

    Return why the table cannot be used: another program made it, or it would refuse every row; "" if it can.
    """
    inspector, place = inspect(connection), (table.name, table.schema)
    if not inspector.has_table(*place):
        if table.schema and not inspector.has_schema(table.schema):
            connection.execute(CreateSchema(table.schema, if_not_exists=True))
        connection.execute(CreateTable(table, if_not_exists=True))
        return ""
    if [ROW_KEY] not in _unique_keys(inspector, *place):
        return foreign(table.name, ROW_KEY)
    existing = inspector.get_columns(*place)
    types = {_same(connection, column["name"]): str(column["type"]) for column in existing}
    required = [str(column["name"]) for column in existing if column["name"] != ROW_KEY and _is_required(column)]
    fields = {_same(connection, column.name): column.info["field"] for column in table.columns if column.info}
    if problem := unfit(types, fields, required):
        return problem
    preparer = connection.dialect.identifier_preparer
    for column in table.columns:
        if _same(connection, column.name) not in types:
            name, kind = preparer.quote(column.name), column.type.compile(dialect=connection.dialect)
            connection.exec_driver_sql(f"ALTER TABLE {preparer.format_table(table)} ADD COLUMN {name} {kind}")
    return ""


def _unique_keys(inspector: Any, name: str, schema: str | None) -> Iterator[list[str]]:
    yield inspector.get_pk_constraint(name, schema)["constrained_columns"]
    for index in inspector.get_indexes(name, schema):
        if index["unique"] and "postgresql_where" not in index.get("dialect_options", {}):
            yield index["column_names"]


def _is_required(column: Mapping[str, Any]) -> bool:
    """Whether a column is NOT NULL and does not fill itself."""
    fills_itself = column.get("identity") or column.get("computed") or column.get("autoincrement") is True
    return not (column["nullable"] or column["default"] is not None or fills_itself)


def _same(connection: Connection, name: str) -> str:
    """Return the form of a column's name by which it is compared: MySQL ignores case."""
    return name.casefold() if connection.dialect.name == "mysql" else name


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
    """One kind of server. `driver`: SQLAlchemy's name. `insert`: of its dialect. `advices`: before `COMMON_ADVICES`."""

    driver = ""
    insert: Any
    schema = ""  # schema of a table without a given one; empty: the database
    set_up = ""  # the statement that begins a transaction
    advices: tuple[tuple[str, str], ...] = ()

    @abstractmethod
    def arguments(self, url: URL) -> tuple[URL, dict[str, Any]]:
        """Return the address without our own options, and the driver's arguments. Raises `ValueError`."""

    @abstractmethod
    def upsert(self, table: Table, insert: Any) -> Any:
        """Return an `insert` into a table that writes over a row with the same `row_key`."""

    @abstractmethod
    def problem(self, error: BaseException) -> SqlProblem:
        """Return the meaning of an error of the driver."""

    def too_long(self, connection: Connection, row: Fields) -> str:
        """Return why a row is too long for the server, or ""."""
        return ""

    def values(self, table: Table, key: str, shaped: Fields) -> Fields:
        """Return the values of a row. Raises `ValueError` or `TypeError` for one that no column can store."""
        fields = {column.name: column.info["field"] for column in table.columns if column.info}
        return {ROW_KEY: key} | {name: self._value(shaped.get(name), field) for name, field in fields.items()}

    def _value(self, value: Any, field: str) -> Any:
        if type_of(field) == "time" and value is not None:
            return self._time(datetime.fromisoformat(value).astimezone(UTC))
        return with_texts(value, self._text)

    def _text(self, text: str) -> str:
        return encodable(text)

    def _time(self, time: datetime) -> datetime:
        return time

    def _advice(self, code: str, words: str) -> str:
        line, advices = f"{code} {words}", (*self.advices, *COMMON_ADVICES)
        return next((advice for pattern, advice in advices if re.search(pattern, line, re.IGNORECASE)), "")


def one_line(text: str) -> str:
    """Return a server's message in one line, truncated if it is too long."""
    line = concealed(" ".join(text.split()))
    return line if len(line) <= LONGEST_WORDS else line[:LONGEST_WORDS] + "…"
