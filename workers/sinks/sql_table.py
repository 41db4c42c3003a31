"""The table of an SQL output: its columns, its creation, and the changes that a server's table needs.

The primary key is column `row_key`, the SHA-256 of the row key in hexadecimal digits: a URL may be longer than an index
entry, and collations of MySQL may treat different URLs as equal.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Double, MetaData, String, Table, Text
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import CreateTable
from sqlalchemy.types import TypeEngine

from workers.errors import OutputError
from workers.rows import RowKey

from .options import OutputOptions
from .row_schema import columns_of, foreign, type_of, unfit

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
