"""PostgreSQL and MariaDB, real servers: the suite of batch sinks, and what only SQL servers do."""

import json
import os
import secrets
import time
from contextlib import contextmanager
from datetime import UTC
from types import SimpleNamespace

import pytest

from workers.errors import OutputError, RowsRefused, SinkUnavailable
from workers.rows import key_of
from workers.sinks import kinds
from workers.sinks.interface import RowBatch
from workers.sinks.options import OutputOptions
from workers.sinks.sql_table import FIELDS

from .batch_sink_suite import BatchSinkSuite, batch, keys
from .naughty import naughty_row
from .sink_suite import row

SERVERS = ("postgres", "mariadb")


def open_sql(address, folder=None, **options):
    sink = kinds.open_sink(address, "t", folder, options=OutputOptions(**options))
    assert kinds.kind_of(address).is_queued
    return sink


@contextmanager
def new_database(server):
    """A database of one test, and its address."""
    name = f"d{secrets.token_hex(6)}"
    server.run(f"CREATE DATABASE {name}")
    try:
        yield SimpleNamespace(server=server, database=name, address=server.address(name))
    finally:
        force = " WITH (FORCE)" if server.scheme == "postgresql" else ""
        server.run(f"DROP DATABASE {name}{force}")


class SqlSuite(BatchSinkSuite):
    compared = FIELDS

    def open(self, place):
        return open_sql(place.address)

    def run(self, place, statement, values=()):
        return place.server.run(statement, values, database=place.database)

    def names(self, place):
        where = "table_name = 'articles' AND table_schema IN (%s, 'public')"
        statement = f"SELECT column_name FROM information_schema.columns WHERE {where} ORDER BY ordinal_position"
        return [name for (name,) in self.run(place, statement, [place.database])]

    def read(self, place):
        names = self.names(place)
        return [self.plain(dict(zip(names, values, strict=True))) for values in self.run(place, "SELECT * FROM articles")]

    def plain(self, stored):
        fetched_at = stored["fetched_at"]
        fetched_at = fetched_at.astimezone(UTC) if fetched_at.tzinfo else fetched_at.replace(tzinfo=UTC)
        lists = ("keywords", "blocks", "parts_missing", "robots_directives")
        parsed = {name: json.loads(stored[name]) for name in lists if isinstance(stored.get(name), str)}
        return stored | parsed | {"fetched_at": fetched_at.isoformat()}

    def take_away(self, place):
        place.server.stop()

    def bring_back(self, place):
        place.server.start()

    def make_older(self, place):
        self.run(place, "ALTER TABLE articles DROP COLUMN listed_on")
        self.run(place, "ALTER TABLE articles ADD COLUMN remark VARCHAR(20) DEFAULT 'theirs'")

    def secrets(self, place):
        return [place.server.password, place.server.address("x").split(":")[2].split("@")[0], "wrong/word"]

    def failing(self, place):
        yield open_sql(place.server.address(place.database, password="wrong/word"))
        yield open_sql(place.server.address("missing_database"))
        yield open_sql(place.address.replace(f":{place.server.port}/", ":1/"))
        yield open_sql(place.address.replace("127.0.0.1", "no-such-host.invalid"))


class TestPostgres(SqlSuite):
    @pytest.fixture
    def place(self, postgres):
        with new_database(postgres) as place:
            yield place

    def refuse(self, place, refused):
        urls = ", ".join(f"'{one['canonical_url']}'" for one in refused)
        self.run(place, f"ALTER TABLE articles ADD CHECK (canonical_url NOT IN ({urls}))")

    def stored(self, text):
        return super().stored(text).replace("\0", "\ufffd")


class TestMariaDb(SqlSuite):
    @pytest.fixture
    def place(self, mariadb):
        with new_database(mariadb) as place:
            yield place

    def refuse(self, place, refused):
        for number, one in enumerate(refused):
            self.run(
                place,
                f"CREATE TRIGGER refuse{number} BEFORE INSERT ON articles FOR EACH ROW "
                f"IF NEW.canonical_url = '{one['canonical_url']}' THEN "
                f"SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not this one'; END IF",
            )
