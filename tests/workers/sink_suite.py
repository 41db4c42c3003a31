"""What every sink has to pass. A test file gives each kind of output a subclass, with what differs between outputs.

Rows have only those fields that every output keeps.
"""

import json
import multiprocessing
import os
import signal
import time
from abc import ABC, abstractmethod
from contextlib import contextmanager

import pytest

from workers.errors import SinkUnavailable
from workers.rows import key_of
from workers.sinks import open_sink
from workers.sinks.interface import written_row

from .naughty import as_stored, naughty_rows


def row(number, **more):
    """A row of all fields that an output must keep."""
    return {
        "task": "t",
        "url": f"http://a.example/{number}?x",
        "canonical_url": f"http://a.example/{number}",
        "title": f"题 {number}",
        "text": f"正文 {number} " * 20,
        "fetched_at": "2026-03-12T08:30:00+00:00",
        "content_hash": f"{number:064x}",
        "version": 1,
        "listed_on": None,
        **more,
    }


def _long_row(number):
    return row(number, text="x" * 5000)


def write(sink, *rows, again=True):
    """Write rows as after an interrupted attempt, unless `again` is False."""
    with sink.exclusive():
        sink.write(rows, again={key_of(one) for one in rows} if again else frozenset())


class OutputSuite(ABC):
    """The tests of every output, of rows or of pages, here called items; an item is named by its number.

    A subclass says where its output is, and how it is opened, written, read and taken away.
    """

    reported_within = 60  # seconds, if it is away

    @pytest.fixture
    def place(self, tmp_path):
        """What the other methods get: where the output of one test is."""
        return tmp_path

    @abstractmethod
    def open(self, place):
        """Return a sink of the output; the same output each time."""

    @pytest.fixture
    def sink(self, place):
        sink = self.open(place)
        yield sink
        sink.close()

    @abstractmethod
    def put(self, sink, *numbers, again=()):
        """Write items. `again`: those of them that may be in the output already."""

    @abstractmethod
    def numbers(self, place):
        """Return the sorted numbers of the items in the output."""

    @abstractmethod
    def take_away(self, place):
        """Make the output unavailable."""

    @abstractmethod
    def bring_back(self, place):
        """Make it available again."""

    def test_items_that_come_again_are_there_once_also_by_another_process(self, sink, place):
        self.put(sink, 1, 2, 3)
        self.put(sink, 1, 2, 3, again=[1, 2, 3])
        self.put(sink, 2, 4, again=[2])
        other = self.open(place)
        self.put(other, 3, 5, 1, again=[3, 1])
        self.put(sink, 5, 6, again=[5, 6])  # it has been open meanwhile
        self.put(other, 1, 2, 3, 4, 5, 6, again=range(1, 7))
        other.close()
        assert self.numbers(place) == [1, 2, 3, 4, 5, 6]

    def test_an_output_that_is_away_is_named_and_written_when_it_is_back(self, sink, place):
        self.put(sink, 1)
        self.take_away(place)
        started = time.monotonic()
        for call in (lambda: self.put(sink, 2, 3), sink.check):
            with pytest.raises(SinkUnavailable) as unavailable:
                call()
            assert sink.name in str(unavailable.value)
            assert "\n" not in str(unavailable.value).strip()
        assert time.monotonic() - started < self.reported_within
        self.bring_back(place)
        self.put(sink, 2, 3, again=[2, 3])
        assert self.numbers(place) == [1, 2, 3]


class HeldOutputSuite(OutputSuite):
    """The tests of outputs that one process holds while it writes."""

    reported_within = 5

    @abstractmethod
    def path(self, folder):
        """Return the path of the output in a folder."""

    def root(self, folder):
        """Return the folder that a check looks at."""
        return self.path(folder).parent

    def take_away(self, place):
        self.root(place).rename(place / "away")
        self.root(place).write_text("a file where a folder should be")

    def bring_back(self, place):
        self.root(place).unlink()
        (place / "away").rename(self.root(place))

    def test_waiting_for_another_process_has_a_limit(self, sink, tmp_path):
        self.put(sink, 1)
        with _another(self._hold, tmp_path) as holder:
            started = time.monotonic()
            with pytest.raises(SinkUnavailable) as unavailable, sink.exclusive(patience=0.3):
                pytest.fail("two processes hold the output")
            assert 0.2 < time.monotonic() - started < 5
            assert sink.name in str(unavailable.value)
            os.kill(holder.pid, signal.SIGKILL)
            holder.join(10)
            self.put(sink, 2)
        assert self.numbers(tmp_path) == [1, 2]

    def _hold(self, folder, ready):
        with self.open(folder).exclusive():
            ready.set()
            signal.pause()


class SinkSuite(HeldOutputSuite):
    """The tests. A subclass says where its output is, and how it is opened, read and damaged."""

    @abstractmethod
    def read(self, folder):
        """Return the rows of the output as mappings, in any order."""

    @abstractmethod
    def make_older(self, folder):
        """Give the output, which has rows, the form that an earlier version wrote, without field `listed_on`."""

    def put(self, sink, *numbers, again=()):
        with sink.exclusive():
            sink.write([_long_row(number) for number in numbers], again={key_of(row(number)) for number in again})

    def numbers(self, place):
        return sorted(int(url.rpartition("/")[2]) for _, url, _ in self.keys(place))

    def keys(self, folder):
        return sorted(key_of(one) for one in self.read(folder))

    def test_rows_of_other_tasks_and_versions_stand_beside_it(self, sink, tmp_path):
        write(sink, row(11))
        write(sink, row(1))  # its URL is the beginning of the other's
        write(sink, row(1, version=2, content_hash="other"), row(1, task="u"))
        assert len(self.keys(tmp_path)) == 4

    def test_all_rows_of_a_group_are_written_or_none(self, sink, tmp_path):
        write(sink, row(1))
        with pytest.raises((SinkUnavailable, TypeError)):
            write(sink, row(2), row(3, title=object()))
        assert self.numbers(tmp_path) == [1]
        write(sink, row(2))
        assert self.numbers(tmp_path) == [1, 2]

    def test_an_output_of_an_earlier_version_takes_rows(self, tmp_path):
        sink = self.open(tmp_path)
        write(sink, row(1))
        sink.close()
        self.make_older(tmp_path)
        sink = self.open(tmp_path)
        write(sink, row(1), row(2, listed_on="http://a.example/"))
        assert self.numbers(tmp_path) == [1, 2]
        assert [one.get("listed_on") for one in self.read(tmp_path)] == [None, "http://a.example/"]
        sink.close()

    def test_the_newest_rows_come_first(self, sink, tmp_path):
        assert list(sink.newest("t")) == []
        write(sink, row(1), row(2))
        write(sink, row(3, listed_on="http://a.example/"))
        newest = [one for one in sink.newest("t") if one.task == "t"]
        assert [one.key for one in newest] == [key_of(row(number)) for number in (3, 2, 1)]
        assert [one.is_entry for one in newest] == [True, False, False]
        assert (newest[2].url, newest[2].fetched_at) == (row(1)["url"], row(1)["fetched_at"])

    def test_an_output_knows_which_rows_it_has(self, sink):
        write(sink, row(1), row(2, version=2))
        [second, first] = sink.newest("t")
        missing = [type(first)("t", "u", first.canonical_url, 3, "", False), type(first)("t", "u", "v", 1, "", False)]
        assert sink.has([first, missing[0], second, missing[1]]) == [True, False, True, False]


class TornSuite(SinkSuite):
    """The tests of outputs whose end a power failure may tear: SQLite mends its own files."""

    @abstractmethod
    def forget_unsynced(self, folder, keep):
        """Remove what was written after the first `keep` rows, cut at any byte, as a power failure does."""

    @pytest.mark.parametrize("kept", [0, 1, 5, 9])
    def test_an_unsynced_tail_that_is_lost_is_written_again(self, tmp_path, kept):
        rows = [row(number) for number in range(10)]
        sink = self.open(tmp_path)
        for one in rows:
            write(sink, one, again=False)
        self.forget_unsynced(tmp_path, kept)
        sink = self.open(tmp_path)
        write(sink, *rows[kept:])
        write(sink, *rows[kept:])
        assert self.numbers(tmp_path) == [*range(10)]
        sink.close()

    def test_a_file_that_was_moved_aside_is_begun_anew_and_read(self, sink, tmp_path):
        write(sink, row(1))
        self.path(tmp_path).rename(f"{self.path(tmp_path)}.1")
        other = self.open(tmp_path)
        write(other, row(1), row(2))
        other.close()
        first, second = written_row(row(1)), written_row(row(2))
        assert sink.has([first, second]) == [True, True]
        assert [one.key for one in sink.newest("t")] == [second.key, first.key]


class LinesSuite(TornSuite):
    """The tests of rows as JSON lines in a file, which may be compressed."""

    output = "deep/out.jsonl"

    def path(self, folder):
        return folder / self.output

    def open(self, folder):
        return open_sink(self.output, "t", folder)

    def compress(self, data):
        return data

    def decompress(self, path):
        return path.read_bytes()

    def read(self, folder):
        return [json.loads(line) for line in self.decompress(self.path(folder)).split(b"\n")[:-1]]

    def forget_unsynced(self, folder, keep):
        rows = sorted(self.read(folder), key=lambda one: one["canonical_url"])
        lines = [self.compress(json.dumps(one).encode() + b"\n") for one in rows]
        torn = lines[keep][: len(lines[keep]) // 2]
        self.path(folder).write_bytes(b"".join(lines[:keep]) + torn + b"\0" * 700)

    def make_older(self, folder):
        rows = [{name: value for name, value in one.items() if name != "listed_on"} for one in self.read(folder)]
        self.path(folder).write_bytes(self.compress("".join(json.dumps(one) + "\n" for one in rows).encode()))

    def test_naughty_rows_come_back(self, sink, tmp_path):
        rows = list(naughty_rows())
        write_in_groups(sink, rows)
        assert self.read(tmp_path) == [plain(one) for one in rows]
        assert sink.has([written_row(one) for one in rows]) == [True] * len(rows)
        write(sink, *rows[::7])
        assert len(self.read(tmp_path)) == len(rows)
        assert [one.key for one in sink.newest("naughty")] == [key_of(one) for one in reversed(rows)]

    def test_a_later_text_whose_version_is_taken_gets_the_next(self, sink, tmp_path):
        """A forgotten article's versions are counted anew."""
        write(sink, row(1), row(1, version=2, content_hash="a"))
        for _ in range(2):
            write(sink, row(1, version=2, content_hash="a"), row(1, version=2, content_hash="b"))
        versions = [(one["version"], one["content_hash"][-1]) for one in self.read(tmp_path)]
        assert versions == [(1, "1"), (2, "a"), (3, "b")]


def plain(value):
    """A JSON value without lone surrogates."""
    return json.loads(as_stored(json.dumps(value, ensure_ascii=False)))


def write_in_groups(sink, rows, size=10):
    for start in range(0, len(rows), size):
        write(sink, *rows[start : start + size], again=False)


@contextmanager
def _another(target, folder, *arguments):
    """Another process that runs a function until the block ends."""
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    process = context.Process(target=target, args=(folder, ready, *arguments), daemon=True)
    process.start()
    try:
        assert ready.wait(10)
        yield process
    finally:
        process.kill()
        process.join(10)
