"""An export: every row once, in order, also if it is repeated."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from tests.workers.test_rows import row
from workers.errors import RowsRefused, SinkUnavailable
from workers.rows import Row, RowKey, key_of
from workers.sinks import OutputOptions, RowBatch
from workers.writing.export import batch_id, export_rows


def rows_of(count: int) -> list[Row]:
    return [row(canonical_url=f"http://a.example/{n}", fetched_at=row_time(n)) for n in range(count)]


def row_time(number: int) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=number)


class Server:
    """A target that takes batches, and is unavailable, or refuses rows, as often as it is told."""

    def __init__(self, away: int = 0, refused: Sequence[str] = ()) -> None:
        self.name, self.away, self.refused = "server", away, refused
        self.rows: dict[RowKey, Row] = {}
        self.batches: list[RowBatch] = []

    def write(self, batch: RowBatch) -> None:
        self.batches.append(batch)
        if self.away:
            self.away -= 1
            raise SinkUnavailable("away")
        reasons = {key_of(one): "too long" for one in batch.rows if one["canonical_url"] in self.refused}
        self.rows |= {key_of(one): one for one in batch.rows if key_of(one) not in reasons}
        if reasons:
            raise RowsRefused(reasons)

    def check(self) -> None: ...

    def close(self) -> None: ...


def test_batches_have_the_same_id_each_time_and_all_keys_again() -> None:
    first, second = Server(), Server()
    for server in (first, second):
        export_rows(rows_of(5), server, OutputOptions(batch_rows=2))
    assert [batch.id for batch in first.batches] == [batch.id for batch in second.batches]
    assert len({batch.id for batch in first.batches}) == 3
    assert all(batch.again == {key_of(one) for one in batch.rows} for batch in first.batches)
    assert all(len(batch.id) == 32 and int(batch.id, 16) >= 0 for batch in first.batches)
    assert batch_id(rows_of(2)) == first.batches[0].id


def test_an_unavailable_target_is_tried_again_with_the_same_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    server, slept = Server(away=2), list[float]()
    monkeypatch.setattr(time, "sleep", slept.append)
    exported = export_rows(rows_of(3), server, OutputOptions())
    assert (slept, exported.written, len({batch.id for batch in server.batches})) == ([1, 2], 3, 1)
    with pytest.raises(SinkUnavailable):
        export_rows(rows_of(3), Server(away=9), OutputOptions())


def test_refused_rows_are_counted_with_the_targets_words() -> None:
    server = Server(refused=["http://a.example/1"])
    exported = export_rows(rows_of(4), server, OutputOptions(batch_rows=2))
    assert (exported.read, exported.written) == (4, 3)
    assert exported.refused == {("t", "http://a.example/1", 1): "too long"}
