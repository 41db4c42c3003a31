"""PostgreSQL and MariaDB, real servers: the suite of batch sinks, and what only SQL servers do."""

import json
import random
import secrets
from contextlib import closing, contextmanager
from datetime import UTC
from functools import partial
from types import SimpleNamespace

import pytest

from tests.workers.batch_sink_suite import OlderForm, RefusedRows, batch, keys
from tests.workers.helpers import at_once
from tests.workers.kills import KILLS
from tests.workers.sink_suite import row
from workers.errors import OutputError, RowsRefused, SinkUnavailable
from workers.rows import key_of
from workers.sinks import kinds
from workers.sinks.options import OutputOptions
from workers.sinks.row_schema import COLUMNS


def open_sql(address, folder=None, **options):
    sink = kinds.open_sink(address, "t", folder, options=OutputOptions(**options))
    assert kinds.kind_of(address).is_queued
    return sink


def new_database(server):
    """A database of this file's tests, and its address. The server ends with it."""
    name = f"d{secrets.token_hex(6)}"
    server.run(f"CREATE DATABASE {name}")
    return SimpleNamespace(server=server, database=name, address=server.address(name))


@pytest.fixture(scope="module")
def of_postgres(postgres):
    return new_database(postgres)


@pytest.fixture(scope="module")
def of_mariadb(mariadb):
    return new_database(mariadb)


def emptied(place):
    """The place of one test, in which no test has left a table."""
    place.server.run("DROP TABLE IF EXISTS articles, news", database=place.database)
    return place


@pytest.fixture
def place_of_postgres(of_postgres):
    return emptied(of_postgres)


class SqlSuite(RefusedRows, OlderForm):
    compared = COLUMNS
    kills = KILLS // 2

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
        return [
            self.plain(dict(zip(names, values, strict=True))) for values in self.run(place, "SELECT * FROM articles")
        ]

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

    @contextmanager
    def away(self, place):
        place.server.kill()
        yield
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

    def test_urls_of_any_length_and_case_are_different_keys(self, sink, place):
        noise = random.Random(1).randbytes(4000).hex()
        urls = [f"http://a.example/{noise}{end}" for end in ("", "x", "X", "x ", "\u00e9", "e")]
        rows = [row(number, canonical_url=url) for number, url in enumerate(urls)]
        sink.write(batch(1, *rows))
        sink.write(batch(2, *rows, again=True))
        assert self.keys(place) == keys(rows)

    def test_chosen_fields_and_another_table(self, place):
        fields = (("Headline", "title"), ("url", "canonical_url"), ("body", "text"), ("tags", "keywords"))
        with closing(open_sql(f"{place.address}?table=news", fields=fields)) as sink:
            for again in ((), True):
                sink.write(batch(1, row(1, keywords=["a", "b"]), row(2), again=again))
        stored = self.run(place, "SELECT * FROM news ORDER BY url")
        assert [list(values[1:4]) for values in stored] == [
            [row(number)["title"], row(number)["canonical_url"], row(number)["text"]] for number in (1, 2)
        ]
        assert [values[5:] for values in stored] == [("t", 1), ("t", 1)]

    def test_a_table_with_types_of_its_owner_takes_rows_or_refuses_them(self, sink, place):
        mine = "row_key CHAR(64) PRIMARY KEY, title VARCHAR(10), version SMALLINT, mine INT NOT NULL DEFAULT 7"
        self.run(place, f"CREATE TABLE articles ({mine})")
        with pytest.raises(RowsRefused) as refused:
            sink.write(batch(1, row(1, title="a"), row(2, title="x" * 11), row(3, title="b", version=40_000)))
        assert set(refused.value.reasons) == {key_of(row(2)), key_of(row(3, version=40_000))}
        sink.write(batch(2, row(1, title="c"), again=[row(1)]))
        assert self.keys(place) == keys([row(1)])
        assert [one["mine"] for one in self.read(place)] == [7]

    def test_a_table_of_another_shape_is_named_by_check_and_by_write_and_is_not_changed(self, sink, place):
        for columns, words in (
            ("id INT PRIMARY KEY, title VARCHAR(10)", r"no unique key \(row_key\): it was made by another program"),
            ("row_key CHAR(64), title TEXT", "no unique key"),
            ("row_key CHAR(64) PRIMARY KEY, title INT", "column title has type int"),
            ("row_key CHAR(64) PRIMARY KEY, url TIMESTAMP NULL", "column url has type timestamp"),
            ("row_key CHAR(64) PRIMARY KEY, fetched_at NUMERIC(5)", "column fetched_at has type (numeric|decimal)"),
            ("row_key CHAR(64) PRIMARY KEY, version DATE", "column version has type date"),
            ("row_key CHAR(64) PRIMARY KEY, mine VARCHAR(9) NOT NULL", "column mine is NOT NULL without a default"),
        ):
            self.run(place, f"CREATE TABLE articles ({columns})")
            before = self.names(place)
            for action in (sink.check, lambda: sink.write(batch(1, row(1)))):
                with pytest.raises(OutputError, match=words):
                    action()
            assert self.names(place) == before
            assert self.run(place, "SELECT * FROM articles") == []
            self.run(place, "DROP TABLE articles")
        sink.write(batch(1, row(1)))
        assert self.keys(place) == keys([row(1)])

    def test_columns_that_fill_themselves_are_allowed(self, sink, place):
        identity = (
            "BIGINT GENERATED ALWAYS AS IDENTITY" if self.is_postgres else "BIGINT NOT NULL AUTO_INCREMENT UNIQUE"
        )
        when = "TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP"
        twice = "BIGINT GENERATED ALWAYS AS (version * 2) STORED"
        columns = f"row_key CHAR(64) PRIMARY KEY, version BIGINT, id {identity}, at {when}, twice {twice}"
        self.run(place, f"CREATE TABLE articles ({columns})")
        sink.check()
        sink.write(batch(1, row(1)))
        assert self.keys(place) == keys([row(1)])

    def test_lost_tables_columns_and_connections_are_replaced_at_once(self, sink, place):
        sink.write(batch(1, row(1)))
        self.run(place, "ALTER TABLE articles DROP COLUMN parts")
        sink.write(batch(2, row(2)))
        place.server.stop()
        place.server.start()
        sink.write(batch(3, row(3)))
        assert self.keys(place) == keys(map(row, (1, 2, 3)))
        self.run(place, "DROP TABLE articles")
        sink.write(batch(4, row(4)))
        assert self.keys(place) == keys([row(4)])

    def test_two_processes_may_create_the_table_at_the_same_time(self, place):
        at_once(lambda: self.open(place).check(), *[()] * 6)


class TestPostgres(SqlSuite):
    is_postgres = True
    refused_login = "password authentication failed"

    @pytest.fixture
    def place(self, place_of_postgres):
        return place_of_postgres

    def refuse(self, place, refused):
        urls = ", ".join(f"'{one['canonical_url']}'" for one in refused)
        self.run(place, f"ALTER TABLE articles ADD CHECK (canonical_url NOT IN ({urls}))")

    def stored(self, text):
        return super().stored(text).replace("\0", "\ufffd")


class TestMariaDb(SqlSuite):
    is_postgres = False
    refused_login = "Access denied for user"

    @pytest.fixture
    def place(self, of_mariadb):
        return emptied(of_mariadb)

    def refuse(self, place, refused):
        for number, one in enumerate(refused):
            self.run(
                place,
                f"CREATE TRIGGER refuse{number} BEFORE INSERT ON articles FOR EACH ROW "
                f"IF NEW.canonical_url = '{one['canonical_url']}' THEN "
                f"SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not this one'; END IF",
            )


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("postgresql://u:geheim@h/d?table=a-b", "letters, digits"),
        ("postgresql://u:geheim@h/d?table=a.b.c", "letters, digits"),
        ("postgresql://u:geheim@h/d?colour=red", 'invalid connection option "colour"'),
        ("postgresql+asyncpg://u:geheim@h/d", "unknown kind"),
        ("postgresql://u:geheim@h:port/d", "invalid address"),
        ("mysql://u:geheim@h", "no database"),
        ("mysql://u:geheim@h/d?colour=red", "unknown option colour"),
        ("mysql://u:geheim@h/d?sslmode=always", "verify-full"),
    ],
)
def test_an_invalid_address_is_refused_without_its_secrets(address, words):
    with pytest.raises(OutputError, match=words) as error:
        open_sql(address)
    assert "geheim" not in str(error.value)


@pytest.mark.parametrize("fields", [(("row_key", "title"),), (("a", "title"), ("A", "text")), (("a b", "title"),)])
def test_names_that_no_column_can_have_are_refused(fields):
    with pytest.raises(OutputError):
        open_sql("postgresql://h/d", fields=fields)


def test_a_user_without_rights_reads_what_to_grant(place_of_postgres):
    place = place_of_postgres
    run = partial(place.server.run, database=place.database)
    run("CREATE ROLE poor LOGIN PASSWORD 'p00r/word'")
    with closing(open_sql(f"postgresql://poor:p00r%2Fword@127.0.0.1:{place.server.port}/{place.database}")) as poor:
        with pytest.raises(SinkUnavailable, match="grant the user SELECT, INSERT and UPDATE on the table") as error:
            poor.check()
        assert "word" not in str(error.value)
        run("GRANT CREATE, USAGE ON SCHEMA public TO poor")
        poor.check()


def test_a_deferred_constraint_refuses_its_row_alone(place_of_postgres):
    run = partial(place_of_postgres.server.run, database=place_of_postgres.database)
    with closing(open_sql(place_of_postgres.address)) as sink:
        sink.check()
        run("ALTER TABLE articles ADD UNIQUE (content_hash) DEFERRABLE INITIALLY DEFERRED")
        with pytest.raises(RowsRefused, match="content_hash"):
            sink.write(batch(1, row(1), row(2), row(3, content_hash=row(1)["content_hash"])))
        assert run("SELECT count(*) FROM articles") == [(2,)]
