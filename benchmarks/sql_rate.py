"""Rows per second of the SQL and SQLite outputs, compared with plain batch inserts of the same rows on the same server.

python -m benchmarks.sql_rate [--rows 2000] [--rounds 3] [--only postgresql,mariadb,sqlite]

The servers have their default durability: each commit is synced. Sink and plain insert alternate, each on an empty
table of the same columns; the result is the median of the rounds. The plain insert is the driver's `executemany` in
batches of 500, each committed.
"""

import argparse
import json
import sqlite3
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, cast

from extractors.article import Article, Block
from tests import services
from workers.rows import Row, row_of
from workers.sinks import kinds
from workers.sinks.durability import Durability
from workers.sinks.interface import BatchSink, RowBatch
from workers.sinks.options import BATCH_ROWS
from workers.sinks.row_schema import COLUMNS
from workers.sinks.sqlite import SYNCHRONOUS, SqliteSink

GROUPS = (10, 100, BATCH_ROWS)  # rows that a worker writes together: those of a job of ten pages, or of list pages
BAR = 0.5
WORDS = (
    "harbour", "tide", "gauge", "mast", "council", "storm", "pier", "winter", "ferry", "lantern", "消息",
    "记者", "今天", "市场", "学校", "河流",
)  # fmt: skip


def sample(count: int) -> list[Row]:
    """Return rows of articles with twelve paragraphs, about 5 KB of text, which occurs twice: as text and as blocks."""
    chance = Random(1)
    rows: list[Row] = []
    for number in range(count):
        paragraphs = tuple(" ".join(chance.choices(WORDS, k=60)) + "." for _ in range(12))
        url = f"https://gazette.example/2026/11/22/story-{number}-{uuid.UUID(int=chance.getrandbits(128))}.html"
        article = Article(
            text="\n\n".join(paragraphs),
            blocks=tuple(Block("paragraph", text) for text in paragraphs),
            method="example",
            confidence=0.93,
            reason="the page is similar to the example",
            title=" ".join(chance.choices(WORDS, k=8)),
            published=datetime(2026, 11, 22, 8, tzinfo=UTC),
            author="A. Writer",
            keywords=("harbour", "town"),
            language="en",
            description=" ".join(chance.choices(WORDS, k=20)),
        )
        rows.append(row_of(article, task="gazette", url=url, canonical_url=url, fetched_at=datetime.now(UTC)))
    return rows


def batches(rows: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """Yield the rows in batches."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def seconds(action: Callable[[], None]) -> float:
    """Return how long an action takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def through(sink: BatchSink, rows: Sequence[Row]) -> None:
    """Write the rows to a sink in batches."""
    for batch in batches(rows, BATCH_ROWS):
        sink.write(RowBatch(uuid.uuid4().hex, batch))


def of_server(server: services.SqlServer, rows: Sequence[Row], rounds: int) -> tuple[float, float]:
    """Return the rows per second of sink and plain insert on a server."""
    name = "rates"
    server.run(f"CREATE DATABASE {name}")
    sink = cast(BatchSink, kinds.open_sink(server.address(name), "gazette", Path()))
    sink.check()
    with closing(server.connect(name)) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT * FROM articles")
        columns = [column[0] for column in cursor.description]
        statement = f"INSERT INTO articles ({', '.join(columns)}) VALUES ({', '.join('%s' for _ in columns)})"
        through(sink, rows)
        cursor.execute("SELECT * FROM articles")
        plain = [_plain(values) for values in cursor.fetchall()]
        if server.scheme == "mysql":
            connection.autocommit(False)
        else:
            connection.autocommit = False

        def bare() -> None:
            for batch in batches(plain, BATCH_ROWS):
                cursor.executemany(statement, batch)
                connection.commit()

        return _rates(rows, rounds, lambda: server.run("TRUNCATE articles", database=name), sink, bare)


def _plain(values: Sequence[Any]) -> tuple[Any, ...]:
    """Return the values of a row in the form for the driver."""
    return tuple(json.dumps(value) if isinstance(value, (list, dict)) else value for value in values)


def _rates(
    rows: Sequence[Row], rounds: int, empty: Callable[[], Any], sink: BatchSink, bare: Callable[[], None]
) -> tuple[float, float]:
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for taken, action in zip(times, (lambda: through(sink, rows), bare), strict=True):
            empty()
            taken.append(seconds(action))
    sink.close()
    ours, theirs = (len(rows) / statistics.median(taken) for taken in times)
    return ours, theirs


def of_sqlite(rows: Sequence[Row], rounds: int, durability: Durability, size: int) -> tuple[float, float]:
    """Return the rows per second of the SQLite sink in groups of this size, and of plain inserts in batches of 500."""
    times: tuple[list[float], list[float]] = ([], [])
    columns = ", ".join(COLUMNS)
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
            sink = SqliteSink(Path(folder) / "ours.db", durability=durability)
            sink.check()
            times[0].append(seconds(partial(_in_groups, sink, rows, size)))
            sink.close()
            path = Path(folder) / "bare.db"
            SqliteSink(path, durability=durability).check()
            with closing(sqlite3.connect(Path(folder) / "ours.db")) as connection:
                plain = connection.execute(f"SELECT {columns} FROM articles").fetchall()
            with closing(sqlite3.connect(path)) as connection:
                connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS[durability]}")
                times[1].append(seconds(partial(_bare_sqlite, connection, plain)))
    ours, theirs = (len(rows) / statistics.median(taken) for taken in times)
    return ours, theirs


def _in_groups(sink: SqliteSink, rows: Sequence[Row], size: int) -> None:
    for group in batches(rows, size):
        with sink.exclusive():
            sink.write(group)


def _bare_sqlite(connection: sqlite3.Connection, plain: Sequence[Any]) -> None:
    statement = f"INSERT INTO articles ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
    for batch in batches(plain, BATCH_ROWS):
        connection.executemany(statement, batch)
        connection.commit()


def main() -> None:
    """Print a line for each output."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="postgresql,mariadb,sqlite")
    options = parser.parse_args()
    chosen = options.only.split(",")
    rows = sample(options.rows)
    if "postgresql" in chosen:
        with services.postgres("fsync=on") as server:
            _print("PostgreSQL", *of_server(server, rows, options.rounds))
    if "mariadb" in chosen:
        with services.mariadb("--innodb-flush-log-at-trx-commit=1") as server:
            _print("MariaDB", *of_server(server, rows, options.rounds))
    durabilities: tuple[Durability, ...] = ("safe", "fast")
    for durability in durabilities if "sqlite" in chosen else ():
        for size in GROUPS:
            rates = of_sqlite(rows, options.rounds, durability, size)
            _print(f"SQLite, durability {durability}, groups of {size}", *rates)


def _print(name: str, ours: float, bare: float) -> None:
    verdict = "" if ours / bare >= BAR else f"  below {BAR:g}"
    print(f"{name:40} {ours:7,.0f} rows/s, bare insert {bare:7,.0f} rows/s: {ours / bare:.2f}{verdict}", flush=True)


if __name__ == "__main__":
    main()
