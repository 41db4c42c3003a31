"""The suite of all sinks, for each kind of output."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from tests.workers.sink_suite import SinkSuite, row, write
from workers.sinks import JsonLinesSink, SqliteSink, durability


class TestJsonLines(SinkSuite):
    def path(self, folder):
        return folder / "deep" / "out.jsonl"

    def open(self, folder):
        return JsonLinesSink(self.path(folder))

    def read(self, folder):
        return [json.loads(line) for line in self.path(folder).read_bytes().split(b"\n")[:-1]]

    def forget_unsynced(self, folder, keep):
        lines = self.path(folder).read_bytes().splitlines(keepends=True)
        kept, torn = b"".join(lines[:keep]), lines[keep]
        self.path(folder).write_bytes(kept + torn[: len(torn) // 2] + b"\0" * 700)

    def make_older(self, folder):
        rows = [{name: value for name, value in one.items() if name != "listed_on"} for one in self.read(folder)]
        self.path(folder).write_text("".join(json.dumps(one) + "\n" for one in rows))

    @pytest.mark.parametrize(("setting", "is_synced"), [("safe", True), ("fast", False)])
    def test_rows_are_on_disk_before_write_returns(self, tmp_path, monkeypatch, setting, is_synced):
        synced = []
        monkeypatch.setattr("os.fdatasync", lambda file: synced.append(self.path(tmp_path).stat().st_size))
        monkeypatch.setattr("workers.sinks.appended_files.sync_folder", lambda folder: synced.append(folder))
        sink = JsonLinesSink(self.path(tmp_path), durability=setting)
        write(sink, row(1))
        first = self.path(tmp_path).stat().st_size
        write(sink, row(2), row(3))
        expected = [first, self.path(tmp_path).parent, self.path(tmp_path).stat().st_size]
        assert synced == (expected if is_synced else [])


class TestSqlite(SinkSuite):
    def path(self, folder):
        return folder / "deep" / "out.db"

    def open(self, folder):
        return SqliteSink(self.path(folder))

    def read(self, folder):
        with closing(sqlite3.connect(self.path(folder))) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(stored) for stored in connection.execute("SELECT * FROM articles ORDER BY rowid")]

    def forget_unsynced(self, folder, keep):
        """The write-ahead log is cut in the middle of what holds the row after the last kept one."""
        rows = sorted(self.read(folder), key=lambda one: one["canonical_url"])
        for part in self.path(folder).parent.iterdir():
            part.unlink()
        sink = self.open(folder)
        wal = self.path(folder).with_name("out.db-wal")
        before = 0
        for one in rows[: keep + 1]:
            before = wal.stat().st_size if wal.exists() else 0
            write(sink, one)
        copies = {name: (self.path(folder).parent / name).read_bytes() for name in ("out.db", "out.db-wal")}
        sink.close()
        shutil.rmtree(self.path(folder).parent)
        self.path(folder).parent.mkdir()
        cut = (before + len(copies["out.db-wal"])) // 2
        self.path(folder).write_bytes(copies["out.db"])
        wal.write_bytes(copies["out.db-wal"][:cut])

    def make_older(self, folder):
        with closing(sqlite3.connect(self.path(folder))) as connection:
            connection.execute("ALTER TABLE articles DROP COLUMN listed_on")

    @pytest.mark.parametrize(("setting", "level"), [("safe", 2), ("fast", 1)])
    def test_rows_are_on_disk_before_write_returns(self, tmp_path, setting, level):
        sink = SqliteSink(self.path(tmp_path), durability=setting)
        write(sink, row(1))
        assert sink._connection.execute("PRAGMA synchronous").fetchone() == (level,)  # 2: at each commit
        sink.close()


def test_a_new_folder_is_synced_in_its_parent(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(durability, "sync_folder", synced.append)
    durability.make_folder(tmp_path / "a" / "b", "safe")
    durability.make_folder(tmp_path / "c", "fast")
    assert synced == [tmp_path.parent, tmp_path, tmp_path / "a"]  # a killed process may have made the first one
    durability.make_folder(tmp_path / "a" / "b", "safe")
    durability.make_folder(tmp_path / "a" / "b", "safe")
    assert synced[3:] == [tmp_path / "a"]
