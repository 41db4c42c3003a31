"""What every output of pages has to pass."""

import random
import sys
from abc import ABC, abstractmethod
from datetime import UTC, datetime

import pytest

from workers.errors import SinkUnavailable
from workers.page_store import StoredPage
from workers.sinks import SourcePage

from .helpers import news, url
from .kills import DELAY, die_at, steps_of

FIRST = 1_773_300_000


def source(number, *, body=None, at=0, kind="article", version=1, task="gazette", **more):
    """A page with its row."""
    body = news(number) if body is None else body
    fetched = datetime.fromtimestamp(FIRST + at, UTC)
    row = {
        "task": task,
        "url": url(number),
        "canonical_url": url(number),
        "title": f"Story {number}",
        "text": "text",
        "content_hash": f"{number:064x}",
        "version": version,
        "near_duplicate_of": None,
        "listed_on": None,
    }
    page = StoredPage(url(number), body, "text/html; charset=utf-8", fetched, **more)
    return SourcePage(url(number), page, () if kind == "refused" else (row,), kind, {"rank": -1.5, "day": "50c1"})


def write(sink, *pages):
    with sink.exclusive():
        sink.write_pages(pages)


class PageSinkSuite(ABC):
    @abstractmethod
    def open(self, folder, **more):
        """Return a sink; the same files each time."""

    @abstractmethod
    def files(self, folder):
        """Return the files that are written in place."""

    @abstractmethod
    def read(self, folder):
        """Return pairs of URL and body, in any order."""

    def test_a_page_that_is_delivered_again_is_there_once(self, tmp_path):
        sink = self.open(tmp_path)
        write(sink, source(1), source(2))
        write(sink, source(2), source(3))
        sink.close()
        write(self.open(tmp_path), source(1), source(3))
        assert sorted(self.read(tmp_path)) == [(url(number), news(number)) for number in (1, 2, 3)]

    def test_a_page_that_is_fetched_again_is_another_one(self, tmp_path):
        write(self.open(tmp_path), source(1), source(1, at=60, version=2, body=b"other"))
        assert sorted(self.read(tmp_path)) == [(url(1), news(1)), (url(1), b"other")]

    def test_any_bytes_come_back(self, tmp_path):
        bodies = [
            b"",
            b"\0" * 100_000,
            random.Random(1).randbytes(50_000),
            bytes(range(256)),
            b"HTTP/1.1 200 OK\r\n\r\n",
        ]
        sink = self.open(tmp_path)
        write(sink, *(source(number, body=body) for number, body in enumerate(bodies)))
        assert sorted(self.read(tmp_path)) == sorted((url(number), body) for number, body in enumerate(bodies))

    def test_another_process_continues_while_a_sink_is_open(self, tmp_path):
        first, second = self.open(tmp_path), self.open(tmp_path)
        write(first, source(1))
        write(second, source(2))
        write(first, source(2), source(3))
        assert len(self.read(tmp_path)) == 3

    def test_processes_killed_in_the_middle_leave_each_page_once(self, tmp_path):
        chance = random.Random(2)
        (tmp_path / "other").mkdir()
        steps = steps_of(self._write_groups, tmp_path / "other", 0, 1)
        for first in range(0, 80, 10):
            delay = chance.choice((0.0, chance.uniform(0, DELAY)))
            assert die_at(chance.randrange(1, steps), self._write_groups, tmp_path, first, delay=delay)
            sink = self.open(tmp_path)
            for number in range(first, first + 10, 2):
                write(sink, source(number), source(number + 1))
            sink.close()
        assert sorted(self.read(tmp_path)) == sorted((url(number), news(number)) for number in range(80))

    def _write_groups(self, begin, folder, first, rounds=None):
        """Write pages again and again."""
        begin()
        sink = self.open(folder)
        for _ in range(rounds or sys.maxsize):
            for number in range(first, first + 10, 2):
                write(sink, source(number), source(number + 1))

    def test_waiting_for_another_process_has_a_limit_and_names_the_output(self, tmp_path):
        sink, other = self.open(tmp_path), self.open(tmp_path)
        with sink.exclusive(), pytest.raises(SinkUnavailable) as unavailable, other.exclusive(patience=0.2):
            pytest.fail("two hold it")
        assert other.name in str(unavailable.value)
        write(other, source(1))

    def test_a_folder_that_is_away_is_named_and_written_when_it_is_back(self, tmp_path):
        sink = self.open(tmp_path)
        write(sink, source(1))
        folder = self.files(tmp_path)[0].parent
        folder.rename(tmp_path / "away")
        folder.write_text("a file where a folder should be")
        with pytest.raises(SinkUnavailable) as unavailable:
            write(sink, source(2))
        assert sink.name in str(unavailable.value)
        folder.unlink()
        (tmp_path / "away").rename(folder)
        write(sink, source(1), source(2))
        assert len(self.read(tmp_path)) == 2

    def test_it_names_no_row_and_lacks_none(self, tmp_path):
        sink = self.open(tmp_path)
        sink.check()
        assert (list(sink.newest("t")), self.read(tmp_path)) == ([], [])
