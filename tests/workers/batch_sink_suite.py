"""What every batch sink has to pass. A test file gives each kind of output a subclass, with what differs between them.

    class TestPostgres(BatchSinkSuite):
        @pytest.fixture
        def place(self, postgres, tmp_path): …   what the other methods get: a server, a folder, an object of your own

Each test has a place of its own, with an empty output. `RefusedRows` and `OlderForm` have more tests, for some targets.
"""

import logging
import traceback
from abc import abstractmethod
from contextlib import contextmanager

import pytest

from workers.errors import OutputError, RowsRefused, SinkUnavailable
from workers.rows import key_of
from workers.sinks.interface import RowBatch

from .kills import KILLS, deliver_with_kills
from .naughty import as_stored, naughty_rows
from .sink_suite import OutputSuite, row


def batch(number, *rows, again=()):
    """A batch. `again`: its rows that may be in the output; True: all, as in a batch that comes again."""
    again = rows if again is True else again
    return RowBatch(f"{number:032x}", rows, frozenset(map(key_of, again)))


def batches_of(size, row=row, repeated=0, **more):
    """A function from 0, 1, … to batches of this many new rows, in order of their numbers.

    `repeated`: how many of the batch before come again, before the new ones.
    """

    def batch_of(number):
        first = number * size
        again = [row(one, **more) for one in range(max(0, first - repeated), first)]
        return batch(number, *again, *(row(first + one, **more) for one in range(size)), again=again)

    return batch_of


def keys(rows):
    return sorted(map(key_of, rows))


class BatchSinkSuite(OutputSuite):
    """The tests. A subclass says where its output is, and how it is opened, read and damaged.

    `once_only`: a row of an earlier batch is not there twice (with False a reader removes it, by its key).
    `compared`: the fields that `read` returns of each row. `kills`: how many of its processes are killed.
    """

    once_only = True
    compared = (*row(0), "author", "keywords", "confidence", "parts")
    kills = KILLS

    @pytest.fixture
    @abstractmethod
    def place(self):
        """What the other methods get: where the output of one test is."""

    @abstractmethod
    def read(self, place):
        """Return the rows of the output as mappings, in any order."""

    def secrets(self, place):
        """Return passwords, tokens and keys in the address of the output."""
        return ()

    def failing(self, place):
        """Yield sinks with a wrong configuration (password, database, host) that has the secrets of `secrets`."""
        yield from ()

    def stored(self, text):
        """Return what the output makes of a text. The default: a lone surrogate is replaced, the rest stays."""
        return as_stored(text)

    def put(self, sink, *numbers, again=()):
        """Write a batch; the same numbers are the same batch."""
        sink.write(batch(int.from_bytes(bytes(numbers)), *map(row, numbers), again=list(map(row, again))))

    def numbers(self, place):
        return [int(address.rpartition("/")[2]) for _, address, _ in self.keys(place)]

    def keys(self, place):
        """The keys of the output. Where a reader removes what is there twice, each once."""
        found = keys(self.read(place))
        return found if self.once_only else sorted(set(found))

    def test_rows_come_back_as_they_were_written(self, sink, place):
        rows = list(naughty_rows())
        for start in range(0, len(rows), 200):
            sink.write(batch(start, *rows[start : start + 200]))
        found = {one["canonical_url"]: one for one in self.read(place)}
        assert len(found) == len(rows) > 400
        for one in rows:
            expected = {name: self._stored(one[name]) for name in self.compared}
            assert {name: found[one["canonical_url"]][name] for name in self.compared} == expected

    def _stored(self, value):
        if isinstance(value, list):
            return list(map(self._stored, value))
        if isinstance(value, dict):
            return {name: self._stored(part) for name, part in value.items()}
        return self.stored(value) if isinstance(value, str) else value

    @contextmanager
    def away(self, place):
        """The output is unavailable within the block, to which it goes while a process writes."""
        self.take_away(place)
        yield
        self.bring_back(place)

    @pytest.mark.timeout(900)
    def test_deliveries_that_are_killed_and_interrupted_leave_each_row_once_and_none_half(self, place):
        rows = deliver_with_kills(
            lambda: self.open(place),
            batches_of(20, repeated=5, text="x" * 2000),
            kills=self.kills,
            away=lambda: self.away(place),
            after_kill=lambda: self.read(place),
        )
        assert self.keys(place) == keys(rows)

    def test_an_empty_batch_has_no_effect(self, sink, place):
        sink.write(batch(1))
        sink.write(batch(2, row(1)))
        assert self.keys(place) == keys([row(1)])

    def test_versions_of_an_article_and_rows_of_other_tasks_stand_side_by_side(self, sink, place):
        first, second = row(1), row(1, version=2, text="changed", content_hash="2" * 64)
        other = row(1, task="u")
        sink.write(batch(1, first, row(11)))
        sink.write(batch(2, second))
        sink.write(batch(3, other))
        sink.write(batch(4, first, second, again=True))
        assert self.keys(place) == keys([first, second, other, row(11)])

    def test_a_check_creates_what_is_missing_and_writes_no_row(self, sink, place):
        sink.check()
        assert self.read(place) == []
        sink.check()
        sink.write(batch(1, row(1)))
        sink.check()
        assert self.keys(place) == keys([row(1)])

    def test_no_secret_is_shown_under_any_failure(self, sink, place, caplog, capfd):
        caplog.set_level(logging.DEBUG)
        shown = [sink.name, repr(sink), str(sink)]
        for failing in self.failing(place):
            shown += [failing.name, repr(failing)]
            for call in (failing.check, lambda failing=failing: failing.write(batch(1, row(1)))):
                with pytest.raises((SinkUnavailable, OutputError)) as error:
                    call()
                shown += _words(error.value)
            failing.close()
        sink.write(batch(1, row(1)))
        self.take_away(place)
        for call in (sink.check, lambda: sink.write(batch(2, row(2)))):
            with pytest.raises(SinkUnavailable) as error:
                call()
            shown += _words(error.value)
        self.bring_back(place)
        if isinstance(self, RefusedRows):
            self.refuse(place, [row(3)])
            with pytest.raises(RowsRefused) as refused:
                sink.write(batch(3, row(3), row(4)))
            shown += [*_words(refused.value), *refused.value.reasons.values()]
        shown += [caplog.text, *capfd.readouterr()]
        assert [text for text in shown for secret in self.secrets(place) if secret in text] == []


class RefusedRows(BatchSinkSuite):
    """The tests of a target that may refuse a single row."""

    @abstractmethod
    def refuse(self, place, refused):
        """Make the target refuse these rows."""

    def test_a_refused_row_is_named_and_the_others_are_written(self, sink, place):
        rows = [row(number) for number in range(20)]
        sink.check()
        self.refuse(place, [rows[0], rows[7], rows[8]])
        for again in ((), True):
            with pytest.raises(RowsRefused) as refused:
                sink.write(batch(1, *rows, again=again))
            assert keys(rows[number] for number in (0, 7, 8)) == sorted(refused.value.reasons)
            assert all(refused.value.reasons.values())
            assert self.keys(place) == keys([one for one in rows if one not in (rows[0], rows[7], rows[8])])
        sink.write(batch(2, row(20)))
        assert len(self.keys(place)) == 18


class OlderForm(BatchSinkSuite):
    """The tests of an output that an earlier version wrote with less fields."""

    @abstractmethod
    def make_older(self, place):
        """Give the output, which has rows, the form that an earlier version wrote, without field `listed_on`."""

    def test_an_output_of_an_earlier_version_takes_rows(self, place):
        sink = self.open(place)
        sink.write(batch(1, row(1)))
        sink.close()
        self.make_older(place)
        sink = self.open(place)
        sink.write(batch(2, row(1), row(2, listed_on="http://a.example/"), again=[row(1)]))
        sink.close()
        rows = sorted(self.read(place), key=key_of)
        assert keys(rows) == keys([row(1), row(2)])
        assert [one.get("listed_on") for one in rows] == [None, "http://a.example/"]


def _words(error):
    """All that a log could show of an error: its text, its form for programs, its traceback with causes."""
    return [str(error), repr(error), "".join(traceback.format_exception(error))]
