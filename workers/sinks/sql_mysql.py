"""MySQL and MariaDB, by PyMySQL."""

import inspect
import json
import ssl
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pymysql
from sqlalchemy import Connection, Table
from sqlalchemy.dialects.mysql import insert
from sqlalchemy.engine import URL

from .sql_servers import (
    CHECK_LOGIN,
    CONNECT_WAIT,
    LOCK_WAIT,
    ROW_KEY,
    STATEMENT_WAIT,
    Fields,
    SqlProblem,
    SqlServerKind,
    one_line,
)

TLS_MODES = ("disable", "prefer", "require", "verify-ca", "verify-full")
# Errors of a row: null, duplicate, truncated, too long, out of range, no default, foreign key, not in the set, SIGNAL …
_ROW_CODES = frozenset(
    {1048, 1062, 1118, 1216, 1217, 1264, 1265, 1292, 1364, 1366, 1406, 1411, 1416, 1425, 1451, 1452, 1526, 1644, 1690}
) | frozenset({3140, 3141, 3143, 3144, 3145, 3146, 3147, 3156, 3819, 3903, 4025, 4038, 4078})
_ROW_STATES = ("21", "22", "23", "44", "45")  # classes of SQLSTATE that concern a row, for PyMySQL from 1.2 on
FIRST_OF_SIGNALS = 30_000  # smallest code of the errors that triggers raise themselves
_GRANT = "GRANT SELECT, INSERT, UPDATE, CREATE, ALTER, INDEX ON {schema}.* TO {user}"


class MySql(SqlServerKind):
    """MySQL and MariaDB. `fetched_at` is stored in UTC."""

    driver, insert = "mysql+pymysql", staticmethod(insert)
    set_up = "BEGIN"
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
