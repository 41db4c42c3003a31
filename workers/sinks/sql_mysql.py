"""MySQL and MariaDB, by PyMySQL."""

import inspect
import ssl
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pymysql
from sqlalchemy.dialects.mysql.pymysql import MySQLDialect_pymysql
from sqlalchemy.engine import URL

from .row_schema import Values
from .sql_servers import (
    CHECK_LOGIN,
    CONNECT_WAIT,
    LOCK_WAIT,
    ROW_KEY,
    STATEMENT_WAIT,
    Cursor,
    ExistingTable,
    SqlProblem,
    SqlServerKind,
    SqlTable,
    one_line,
)

TLS_MODES = ("disable", "prefer", "require", "verify-ca", "verify-full")
MOST_STATEMENT = 1_000_000  # bytes of one INSERT
OVERHEAD = 20_000  # bytes of a statement without its values, at most
# Errors of a row: null, duplicate, truncated, too long, out of range, no default, foreign key, not in the set, SIGNAL …
_ROW_CODES = frozenset(
    {1048, 1062, 1118, 1216, 1217, 1264, 1265, 1292, 1364, 1366, 1406, 1411, 1416, 1425, 1451, 1452, 1526, 1644, 1690}
) | frozenset({3140, 3141, 3143, 3144, 3145, 3146, 3147, 3156, 3819, 3903, 4025, 4038, 4078})
_ROW_STATES = ("21", "22", "23", "44", "45")  # classes of SQLSTATE that concern a row, for PyMySQL from 1.2 on
FIRST_OF_SIGNALS = 30_000  # smallest code of the errors that triggers raise themselves
_GRANT = "GRANT SELECT, INSERT, UPDATE, CREATE, ALTER, INDEX ON {schema}.* TO {user}"


class MySql(SqlServerKind):
    """MySQL and MariaDB. `fetched_at` is stored in UTC."""

    driver = "mysql+pymysql"
    dialect = MySQLDialect_pymysql()
    errors = (pymysql.MySQLError,)
    on_conflict, update = "ON DUPLICATE KEY UPDATE", "{0} = VALUES({0})"  # the only form that MariaDB supports
    from_nothing = "FROM DUAL WHERE 1 = 0"
    advices = (
        ("^1045", CHECK_LOGIN),
        ("^1049", "run CREATE DATABASE {database} CHARACTER SET utf8mb4; as an administrator"),
        ("^1044|^1142|^1143", f"run {_GRANT}; as an administrator"),
        ("^1046", "name a database in the address"),
        ("^1040|^1203|^1226", "close other clients, or raise max_connections"),
        ("^1021|^1114|^1030.*28|no space left", "free space on the server's disk"),
        ("^1290.*secure.transport|^3159|^1045.*ssl", "the server requires TLS: add sslmode=require to the address"),
        ("^1290|^1836|^1792", "use the address of a server that can be written to"),
        ("^1205", "another client has locked the table: end its transaction"),
        ("^1969|^3024", "the server is slow or overloaded: look at its load and at the table's triggers"),
        ("certificate|ssl", "check sslmode, sslrootcert, ssl_cert and ssl_key of the address"),
        ("refused|no such file", "start the server, or check host and port of the address"),
        ("resolve|name or service", "check the host of the address"),
        ("timed out|timeout", "check that the server is running, and that no firewall blocks it"),
    )  # fmt: skip
    # A text that is too long must not be truncated; only MariaDB limits the time of every statement.
    _SETUP = (
        "SET SESSION sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES'), time_zone = '+00:00', "
        f"lock_wait_timeout = {LOCK_WAIT}, innodb_lock_wait_timeout = {LOCK_WAIT} "
        f"/*M!100101 , max_statement_time = {STATEMENT_WAIT} */"
    )

    def arguments(self, url: URL) -> tuple[URL, dict[str, Any]]:
        """Translate `sslmode` and `sslrootcert`, which PyMySQL does not support."""
        tls = _tls(url.query)
        url = url.difference_update_query(["sslmode", "sslrootcert"])
        if unknown := sorted(url.query.keys() - inspect.signature(pymysql.connect).parameters.keys()):
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

    def begin(self, cursor: Cursor) -> None:
        """Begin; the session has its limits."""
        cursor.execute("BEGIN")

    def existing(self, cursor: Cursor, table: SqlTable) -> ExistingTable:
        """Read the information schema; names of columns are in lower case, since MySQL ignores case."""
        place = (table.schema, table.name)
        where = "table_schema = COALESCE(%s, DATABASE()) AND table_name = %s"
        given = "is_nullable = 'YES' OR column_default IS NOT NULL OR extra <> ''"  # auto_increment, generated …
        cursor.execute(f"SELECT column_name, data_type, {given} FROM information_schema.columns WHERE {where}", place)
        found = cursor.fetchall()
        columns = {name.casefold(): kind for name, kind, _ in found}
        required = [name for name, _, is_given in found if not is_given]
        cursor.execute(
            f"SELECT index_name FROM information_schema.statistics WHERE {where} AND non_unique = 0 "
            "GROUP BY index_name HAVING COUNT(*) = 1 AND MAX(column_name) = %s",
            (*place, ROW_KEY),
        )
        has_unique_key = bool(cursor.fetchall())
        cursor.execute(
            "SELECT 1 FROM information_schema.schemata WHERE schema_name = COALESCE(%s, DATABASE())", place[:1]
        )
        columns |= {name: columns[name.casefold()] for name in table.names if name.casefold() in columns}
        return ExistingTable(columns, has_unique_key, bool(cursor.fetchall()), required)

    def upsert(self, cursor: Cursor, table: SqlTable, existing: ExistingTable, rows: Sequence[Values]) -> None:
        """Upsert the rows, by several statements if one would be too long for the server or for PyMySQL."""
        cursor.max_stmt_length = min(MOST_STATEMENT, self._packet(cursor) - OVERHEAD)
        holders = ", ".join("%s" for _ in table.names)
        cursor.executemany(self.insert(table, f"VALUES ({holders})"), rows)

    def too_long(self, cursor: Cursor, row: Values) -> str:
        """Return why a row exceeds `max_allowed_packet`, or "": the server closes connections that send more."""
        packet = self._packet(cursor) - OVERHEAD
        if sum(4 * len(value) for value in row if isinstance(value, str)) < packet:
            return ""
        size = len(cursor.mogrify(", ".join("%s" for _ in row), row).encode())
        if size < packet:
            return ""
        return f"the row has {size:,} bytes; max_allowed_packet of the server is {packet + OVERHEAD:,}"

    def problem(self, error: Exception) -> SqlProblem:
        """Read the error's number."""
        code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
        words = one_line(str(error.args[-1]) if error.args else type(error).__name__)
        advice = self._advice(str(code), words)
        is_value = not code and isinstance(error, (pymysql.DataError, pymysql.ProgrammingError))  # not convertible
        state = str(getattr(error, "sqlstate", ""))
        is_of_row = is_value or code in _ROW_CODES or code >= FIRST_OF_SIGNALS or state.startswith(_ROW_STATES)
        return SqlProblem(words, is_of_row, advice)

    def _packet(self, cursor: Cursor) -> int:
        """Return the server's `max_allowed_packet`, requested once per connection."""
        connection = cursor.connection
        if not hasattr(connection, "exemplar_packet"):
            cursor.execute("SELECT @@max_allowed_packet")
            connection.exemplar_packet = int(cursor.fetchone()[0])
        return int(connection.exemplar_packet)

    def _time(self, time: str) -> datetime:
        return datetime.fromisoformat(time).astimezone(UTC).replace(tzinfo=None)


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
