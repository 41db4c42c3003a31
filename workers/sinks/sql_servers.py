"""SQL servers: the table of an output, and what differs between servers: arguments, upsert, meaning of errors.

The primary key is column `row_key`, the SHA-256 of the row key in hexadecimal digits: a URL may be longer than an index
entry, and collations of MySQL may treat different URLs as equal.
"""

import json
import re
import ssl
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from inspect import signature
from typing import Any

import psycopg
import pymysql
from psycopg.conninfo import make_conninfo
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
# Advices after errors that several servers have
CHECK_LOGIN = "check the user and the password of the address"
NO_DATABASE = "create the database, or correct its name in the address"
NO_RIGHT = "grant the user SELECT, INSERT and UPDATE on the table, and the right to create it and its missing columns"
NEEDS_TLS = "the server requires TLS: add sslmode=require to the address"
TOO_MANY_CLIENTS = "close other clients, or raise max_connections"
FULL_DISK = "free space on the server's disk"
READ_ONLY = "use the address of a server that can be written to"
LOCKED = "another client has locked the table: end its transaction"
SLOW = "the server is slow or overloaded: look at its load and at the table's triggers"
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


class Postgres(SqlServerKind):
    """PostgreSQL, by psycopg. NUL, which it does not allow in texts, becomes U+FFFD."""

    driver, insert = "postgresql+psycopg", staticmethod(postgresql.insert)
    # Time limits for this transaction only, because of poolers; deferred constraints are checked immediately
    set_up = (
        f"SELECT set_config('statement_timeout', '{STATEMENT_WAIT * 1000}', true), "
        f"set_config('lock_timeout', '{LOCK_WAIT * 1000}', true); SET CONSTRAINTS ALL IMMEDIATE"
    )
    advices = (
        ("password authentication failed|28P01", CHECK_LOGIN),
        (r"database \"[^\"]*\" does not exist|3D000", NO_DATABASE),
        ("no pg_hba.conf entry.*no encryption", NEEDS_TLS),
        ("no pg_hba.conf entry", "the server's pg_hba.conf does not admit this machine: add a line for it"),
        ("server does not support SSL", "the server has no TLS: change sslmode in the address, or enable TLS there"),
        ("certificate", "check sslrootcert, sslcert and sslkey of the address"),
        ("53300|too many clients|remaining connection slots|too many connections",
         TOO_MANY_CLIENTS),
        ("53100|could not extend file|no space left", FULL_DISK),
        ("25006|read-only", READ_ONLY),
        ("42501|3F000", NO_RIGHT),
        ("55P03|lock timeout", LOCKED),
        ("57014|statement timeout", SLOW),
    )  # fmt: skip
    # Classes of SQLSTATE that do not concern a row; all others do, such as those that triggers raise.
    _NOT_OF_ROWS = re.compile("08|0A|25|26|28|34|3B|3D|3F|40|42|53|55|57|58|F0|HV|XX")

    def arguments(self, url: URL) -> tuple[URL, dict[str, Any]]:
        """Limit the time to connect. No prepared statements: a pooler may give each transaction another connection."""
        try:
            make_conninfo(**{name: value for name, value in url.query.items() if isinstance(value, str)})
        except psycopg.ProgrammingError as error:
            raise ValueError(str(error)) from None
        defaults = {"connect_timeout": CONNECT_WAIT, "application_name": "exemplar", "client_encoding": "utf8"}
        options = {name: value for name, value in defaults.items() if name not in url.query}
        return url, {**options, "prepare_threshold": None}

    def upsert(self, table: Table, insert: Any) -> Any:
        """Return the insert with ON CONFLICT."""
        updated = {column.name: insert.excluded[column.name] for column in table.columns if column.name != ROW_KEY}
        return insert.on_conflict_do_update(index_elements=[ROW_KEY], set_=updated)

    def problem(self, error: BaseException) -> SqlProblem:
        """Read the SQLSTATE; failures to connect have none."""
        diagnosis = getattr(error, "diag", None)
        code = getattr(error, "sqlstate", None) or ""
        words = one_line((diagnosis and diagnosis.message_primary) or str(error))
        advice = self._advice(code, words)
        if code:
            return SqlProblem(words, not self._NOT_OF_ROWS.match(code), advice)
        is_value = not isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError, OSError))  # not convertible
        return SqlProblem(words, is_value, advice)

    def _text(self, text: str) -> str:
        return super()._text(text).replace("\0", "\ufffd")


TLS_MODES = ("disable", "prefer", "require", "verify-ca", "verify-full")
# Errors of a row: null, duplicate, truncated, too long, out of range, no default, foreign key, not in the set, SIGNAL …
_ROW_CODES = frozenset(
    {1048, 1062, 1118, 1216, 1217, 1264, 1265, 1292, 1364, 1366, 1406, 1411, 1416, 1425, 1451, 1452, 1526, 1644, 1690}
) | frozenset({3140, 3141, 3143, 3144, 3145, 3146, 3147, 3156, 3819, 3903, 4025, 4038, 4078})
_ROW_STATES = ("21", "22", "23", "44", "45")  # classes of SQLSTATE that concern a row, for PyMySQL from 1.2 on
FIRST_OF_SIGNALS = 30_000  # smallest code of the errors that triggers raise themselves


class MySql(SqlServerKind):
    """MySQL and MariaDB. `fetched_at` is stored in UTC."""

    driver, insert = "mysql+pymysql", staticmethod(mysql.insert)
    set_up = "BEGIN"
    advices = (
        ("^1045", CHECK_LOGIN),
        ("^1049", NO_DATABASE),
        ("^1044|^1142|^1143", NO_RIGHT),
        ("^1040|^1203|^1226", TOO_MANY_CLIENTS),
        ("^1021|^1114|^1030.*28|no space left", FULL_DISK),
        ("^1290.*secure.transport|^3159|^1045.*ssl", NEEDS_TLS),
        ("^1290|^1836|^1792", READ_ONLY),
        ("^1205", LOCKED),
        ("^1969|^3024", SLOW),
        ("certificate|ssl", "check sslmode, sslrootcert, ssl_cert and ssl_key of the address"),
    )  # fmt: skip
    # A text that is too long must not be truncated; only MariaDB limits the time of every statement.
    _SETUP = (
        "SET SESSION sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES'), time_zone = '+00:00', "
        f"lock_wait_timeout = {LOCK_WAIT}, innodb_lock_wait_timeout = {LOCK_WAIT} "
        f"/*M!100101 , max_statement_time = {STATEMENT_WAIT} */"
    )

    def arguments(self, url: URL) -> tuple[URL, dict[str, Any]]:
        """Translate `sslmode` and `sslrootcert`, which PyMySQL does not support."""
        if not url.database:
            raise ValueError("no database; use mysql://USER:PASSWORD@HOST/DATABASE")
        tls = _tls(url.query)
        url = url.difference_update_query(["sslmode", "sslrootcert"])
        if unknown := sorted(url.query.keys() - signature(pymysql.connect).parameters.keys()):
            raise ValueError(f"unknown option {unknown[0]}")
        defaults: dict[str, Any] = {
            "connect_timeout": CONNECT_WAIT,
            "read_timeout": STATEMENT_WAIT,
            "write_timeout": STATEMENT_WAIT,
            "program_name": "exemplar",
            "charset": "utf8mb4",
            "init_command": self._SETUP,
        }
        login = {"password": str(url.password).encode()} if url.password else {}  # PyMySQL encodes text as Latin-1
        return url, {name: value for name, value in defaults.items() if name not in url.query} | tls | login

    def upsert(self, table: Table, insert: Any) -> Any:
        """Return the insert with ON DUPLICATE KEY UPDATE."""
        names = [column.name for column in table.columns if column.name != ROW_KEY]
        return insert.on_duplicate_key_update({name: insert.inserted[name] for name in names})

    def too_long(self, connection: Connection, row: Fields) -> str:
        """Return why a row may exceed `max_allowed_packet`, or "": the server closes connections that send more."""
        size = 2 * len(json.dumps(row, default=str, ensure_ascii=False).encode())  # escaping at most doubles it
        if size < 2**18:
            return ""
        packet = int(connection.exec_driver_sql("SELECT @@max_allowed_packet").scalar_one())
        return f"the row takes {size:,} bytes; max_allowed_packet of the server is {packet:,}" if size > packet else ""

    def problem(self, error: BaseException) -> SqlProblem:
        """Read the error's number."""
        code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
        words = one_line(str(error.args[-1]) if error.args else type(error).__name__)
        advice = self._advice(str(code), words)
        is_value = not code and isinstance(error, (pymysql.DataError, pymysql.ProgrammingError))  # not convertible
        state = str(getattr(error, "sqlstate", ""))
        is_of_row = is_value or code in _ROW_CODES or code >= FIRST_OF_SIGNALS or state.startswith(_ROW_STATES)
        return SqlProblem(words, is_of_row, advice)

    def _time(self, time: datetime) -> datetime:
        return time.replace(tzinfo=None)


def _tls(query: Mapping[str, Any]) -> dict[str, Any]:
    """Return PyMySQL's arguments for `sslmode`, with the meaning that it has for PostgreSQL. Raises `ValueError`."""
    mode = query.get("sslmode", "prefer")
    if mode not in TLS_MODES:
        raise ValueError(f"unknown sslmode {mode}; use one of {', '.join(TLS_MODES)}")
    if mode in ("disable", "prefer"):
        return {"ssl_disabled": True} if mode == "disable" else {}
    context = ssl.create_default_context(cafile=query.get("sslrootcert"))
    context.check_hostname = mode == "verify-full"
    if mode == "require":
        context.verify_mode = ssl.CERT_NONE
    return {"ssl": context}
