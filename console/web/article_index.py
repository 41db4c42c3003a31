"""The full-text index of the articles: a SQLite database in the state folder, built from the outputs.

It contains words and places but no texts: a row is read from its output. An article's id is the time at
which its page was fetched, in microseconds, so ids are in the order of time, and days are ranges of ids. Task and
language are words of the column `tags`, so a filter is a part of the search. The index may be deleted at any time; then
it is built again.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import blake2b
from math import isfinite
from pathlib import Path

from console.web.api_types import ArticleQuery
from console.web.article_sources import ArticleFile, row_at, rows_from
from console.web.words import match_of, words_of
from workers.rows import Row

FORM = 3  # version of the tables; an index of another version is built again
AT_ONCE = 1000  # rows in one transaction
COUNTED_MOST = 1000  # matches that are counted
EXPORTED_AT_ONCE = 200  # rows of an export that are in memory
MICRO = 1_000_000
_SCHEMA = """
CREATE TABLE files (id INTEGER PRIMARY KEY, identity TEXT UNIQUE, path TEXT, kind TEXT, place INTEGER);
CREATE TABLE tasks (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE articles (id INTEGER PRIMARY KEY, key INTEGER UNIQUE, article INTEGER, file INTEGER, place INTEGER,
  language TEXT);
CREATE INDEX articles_of_file ON articles (file);
CREATE INDEX versions_of_article ON articles (article, id);
CREATE VIRTUAL TABLE words USING fts5 (title, text, tags, content='', tokenize='unicode61')
"""
NEWEST = (
    "AND NOT EXISTS (SELECT 1 FROM articles AS own JOIN articles AS newer ON newer.article = own.article "
    "AND newer.id > own.id WHERE own.id = found.rowid)"
)  # is the newest version of its article


@dataclass(frozen=True, slots=True)
class IndexedArticle:
    """An article with its row. `task`: by its present name; `published`: as declared, "" if unknown.

    `fetched_at`: Unix seconds.
    """

    id: int
    task: str
    url: str
    title: str
    published: str
    fetched_at: float
    language: str
    confidence: float
    method: str
    row: Row


@dataclass(frozen=True, slots=True)
class ArticleList:
    """A page of a search, newest first, each article in its newest version.

    `count`: all matches, up to `COUNTED_MOST` + 1. `after`: for the next page.
    """

    articles: tuple[IndexedArticle, ...]
    count: int
    after: int | None


class ArticleIndex:
    """The index in a folder. Reading is safe for several threads; one thread writes."""

    def __init__(self, folder: Path):
        self.path = folder / "articles.db"
        self.former: Mapping[str, str] = {}  # former names of tasks, each with the present one
        self._create()

    # -- reading ----------------------------------------------------------------------------------------------------

    def search(self, query: ArticleQuery, most: int = 30) -> ArticleList:
        """Return a page of the articles of which the newest version matches."""
        with self._database() as database:
            count = len(self._ids_of(database, query.model_copy(update={"before": None}), COUNTED_MOST + 1, NEWEST))
            found = self._ids_of(database, query, most + 1, NEWEST)
        return ArticleList(tuple(self.read(found[:most])), count, found[most - 1] if len(found) > most else None)

    def _ids_of(self, database: sqlite3.Connection, query: ArticleQuery, most: int, further: str = "") -> list[int]:
        """Return the ids of the newest matches. `further`: a further condition."""
        match = self._match(database, query)
        if match is None:
            return []
        low, high = _ids(query)
        newest = high if query.before is None else min(high, query.before - 1)
        source, condition = ("words", "words MATCH ? AND ") if match else ("articles", "")
        between = f"{condition}found.rowid BETWEEN ? AND ? {further}"
        ids = f"SELECT rowid FROM {source} AS found WHERE {between} ORDER BY rowid DESC LIMIT ?"
        return [row[0] for row in database.execute(ids, [*([match] if match else []), low, newest, most])]

    def rows(self, query: ArticleQuery) -> Iterator[list[Row]]:
        """Yield the rows of all matching versions, newest first, in batches; each may be taken by another thread."""
        before = query.before
        while True:
            with self._database() as database:
                ids = self._ids_of(database, query.model_copy(update={"before": before}), EXPORTED_AT_ONCE)
            if not ids:
                return
            yield [article.row for article in self.read(ids)]
            before = ids[-1]

    def read(self, ids: Sequence[int]) -> Iterator[IndexedArticle]:
        """Yield articles, newest first; those whose outputs still have their rows."""
        query = (
            "SELECT articles.id, articles.key, path, kind, articles.place FROM articles JOIN files ON file = files.id "
        )
        marks = ",".join("?" * len(ids))
        with self._database() as database:
            query += f"WHERE articles.id IN ({marks}) ORDER BY articles.id DESC"
            places = database.execute(query, list(ids)).fetchall()
        for number, key, path, kind, place in places:
            row = row_at(Path(path), kind, place)
            if row is not None and _key_of(row["task"], row["canonical_url"], row["version"]) == key:
                yield IndexedArticle(
                    number,
                    self._name(row["task"]),
                    str(row["url"]),
                    str(row["title"] or ""),
                    str(row["published"] or ""),
                    number / MICRO,
                    str(row["language"] or ""),
                    _confidence_of(row),
                    str(row["method"]),
                    row,
                )

    def _name(self, task: str) -> str:
        """Return the present name of a task."""
        return self.former.get(task, task)

    def languages(self) -> list[str]:
        """Return the languages that occur among the newest articles."""
        newest = "SELECT language FROM articles ORDER BY id DESC LIMIT 5000"
        with self._database() as database:
            found = database.execute(f"SELECT DISTINCT language FROM ({newest}) WHERE language != '' ORDER BY 1")
            return [row[0] for row in found]

    def _match(self, database: sqlite3.Connection, query: ArticleQuery) -> str | None:
        """Return the FTS5 expression, empty without a condition; None if nothing can match."""
        parts = []
        if query.text.strip():
            text = match_of(query.text)
            if not text:
                return None
            parts.append(f"{{title text}} : ({text})")
        if query.task:
            known = database.execute("SELECT id, name FROM tasks").fetchall()
            tasks = [f'"t{number}"' for number, name in known if self._name(name) == query.task]
            if not tasks:
                return None
            parts.append(f"tags : ({' OR '.join(tasks)})")
        if query.language:
            parts.append(f'tags : "{_language_tag(query.language)}"')
        return " AND ".join(parts)

    # -- writing ----------------------------------------------------------------------------------------------------

    def update(self, files: Sequence[ArticleFile], *, going_on: Callable[[], bool] = lambda: True) -> int:
        """Index the rows that the files have since the last time; return how many articles are new."""
        return sum(self._update_file(file, going_on) for file in files if going_on())

    def _update_file(self, file: ArticleFile, going_on: Callable[[], bool]) -> int:
        new = 0
        with self._database() as database:
            number, known = database.execute(
                "INSERT INTO files (identity, path, kind, place) VALUES (?, ?, ?, 0) "
                "ON CONFLICT (identity) DO UPDATE SET path = excluded.path RETURNING id, place",
                (file.identity, str(file.path), file.kind),
            ).fetchone()
            place = known
            if file.kind == "jsonl" and file.size < place:  # rewritten: its old words stay without an article
                database.execute("DELETE FROM articles WHERE file = ?", (number,))
                place = 0
            batch: list[tuple[int, Row]] = []
            last = place
            try:
                for at, last, row in rows_from(file, place) if file.kind == "sqlite" or file.size > place else ():
                    if row is not None:
                        batch.append((at, row))
                    if len(batch) >= AT_ONCE:
                        new += self._write(database, number, batch, last)
                        batch = []
                        if not going_on():
                            return new
            except (OSError, sqlite3.Error):
                return new  # the file was moved or is locked: next time
            if batch or last != known:
                new += self._write(database, number, batch, last)
        return new

    def _write(self, database: sqlite3.Connection, file: int, batch: Sequence[tuple[int, Row]], place: int) -> int:
        new = 0
        database.execute("BEGIN IMMEDIATE")
        for at, row in sorted(batch, key=lambda pair: _id_of(pair[1])):
            new += self._write_row(database, file, at, row)
        database.execute("UPDATE files SET place = ? WHERE id = ?", (place, file))
        database.execute("COMMIT")
        return new

    def _write_row(self, database: sqlite3.Connection, file: int, at: int, row: Row) -> bool:
        key = _key_of(row["task"], row["canonical_url"], row["version"])
        if database.execute("SELECT 1 FROM articles WHERE key = ?", (key,)).fetchone():
            return False
        name, article = row["task"], _key_of(row["task"], row["canonical_url"])
        database.execute("INSERT OR IGNORE INTO tasks (name) VALUES (?)", (name,))
        [task] = database.execute("SELECT id FROM tasks WHERE name = ?", (name,)).fetchone()
        number, language = _id_of(row), str(row["language"] or "")
        while database.execute("SELECT 1 FROM articles WHERE id = ?", (number,)).fetchone():
            number += 1
        database.execute("INSERT INTO articles VALUES (?, ?, ?, ?, ?, ?)", (number, key, article, file, at, language))
        tags = " ".join([f"t{task}", *map(_language_tag, {language, language.partition("-")[0]} - {""})])
        words = (number, words_of(str(row["title"] or "")), words_of(str(row["text"])), tags)
        database.execute("INSERT INTO words (rowid, title, text, tags) VALUES (?, ?, ?, ?)", words)
        return True

    # -- inside -----------------------------------------------------------------------------------------------------

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.path, timeout=10.0, isolation_level=None)) as database:
            database.execute("PRAGMA synchronous = OFF")  # the index can be built again
            yield database

    def _create(self) -> None:
        """Create the tables, in place of an index of another version or a damaged one."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(sqlite3.DatabaseError), self._database() as database:
            if database.execute("PRAGMA user_version").fetchone() == (FORM,):
                return
        for name in ("", "-wal", "-shm"):
            Path(f"{self.path}{name}").unlink(missing_ok=True)
        with self._database() as database:
            database.execute("PRAGMA journal_mode = WAL").fetchall()
            for statement in _SCHEMA.split(";\n"):
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {FORM}")


def _ids(query: ArticleQuery) -> tuple[int, int]:
    """Return the least and the largest id of the query's days."""
    low = _micro(query.since) if query.since else -(2**62)
    high = _micro(query.until) + 86_400 * MICRO - 1 if query.until else 2**62
    return low, high


def _micro(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * MICRO


def _id_of(row: Row) -> int:
    try:
        moment = datetime.fromisoformat(row["fetched_at"])
    except (TypeError, ValueError):
        return 0
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * MICRO)


def _confidence_of(row: Row) -> float:
    """Return the confidence of a row; 0 for one that is no number, such as of a row that was written by hand."""
    try:
        confidence = float(row["confidence"] or 0)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return confidence if isfinite(confidence) else 0.0


def _key_of(*parts: str | int) -> int:
    text = json.dumps(parts)
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big", signed=True)


def _language_tag(language: str) -> str:
    return "l" + "".join(char for char in language.lower() if char.isalnum())
