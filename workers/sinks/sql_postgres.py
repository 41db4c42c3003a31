"""PostgreSQL, by psycopg."""

import re
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from sqlalchemy import Table
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.engine import URL

from .sql_servers import (
    CHECK_LOGIN,
    CONNECT_WAIT,
    LOCK_WAIT,
    ROW_KEY,
    STATEMENT_WAIT,
    SqlProblem,
    SqlServerKind,
    one_line,
)


class Postgres(SqlServerKind):
    """PostgreSQL, by psycopg. NUL, which it does not allow in texts, becomes U+FFFD."""

    driver, insert = "postgresql+psycopg", staticmethod(insert)
    schema = "public"
    # Time limits for this transaction only, because of poolers; deferred constraints are checked immediately
    set_up = (
        f"SELECT set_config('statement_timeout', '{STATEMENT_WAIT * 1000}', true), "
        f"set_config('lock_timeout', '{LOCK_WAIT * 1000}', true); SET CONSTRAINTS ALL IMMEDIATE"
    )
    advices = (
        ("password authentication failed|28P01", CHECK_LOGIN),
        (r"database \"[^\"]*\" does not exist|3D000", "run CREATE DATABASE {database}; as an administrator"),
        ("role \"[^\"]*\" does not exist|28000.*role", "run CREATE ROLE {user} LOGIN PASSWORD '…' as administrator"),
        ("no pg_hba.conf entry.*no encryption", "the server requires TLS: add sslmode=require to the address"),
        ("no pg_hba.conf entry", "the server's pg_hba.conf does not admit this machine: add a line for it"),
        ("server does not support SSL", "the server has no TLS: change sslmode in the address, or enable TLS there"),
        ("certificate", "check sslrootcert, sslcert and sslkey of the address"),
        ("53300|too many clients|remaining connection slots|too many connections",
         "close other clients, or raise max_connections"),
        ("53100|could not extend file|no space left", "free space on the server's disk"),
        ("25006|read-only", "use the address of a server that can be written to (target_session_attrs=read-write)"),
        ("42501.*(?:for schema|to create)|3F000", "run GRANT CREATE, USAGE ON SCHEMA {schema} TO {user}; as its owner"),
        ("42501.*for database", "run CREATE SCHEMA {schema} AUTHORIZATION {user}; as the owner of the database"),
        ("42501.*must be owner", "run the statement as the owner of the table: {statement}"),
        ("42501", "run GRANT SELECT, INSERT, UPDATE ON {table} TO {user}; as the owner of the table"),
        ("55P03|lock timeout", "another client has locked the table: end its transaction"),
        ("57014|statement timeout", "the server is slow or overloaded: look at its load and at the table's triggers"),
        ("57P03|starting up|shutting down|recovery", "wait until the server has started"),
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
