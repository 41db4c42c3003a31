"""The rows that an output has, read back: files moved aside, compressed ones, damaged ends, earlier versions."""

import gzip
import json
import logging
import os
import sqlite3
from pathlib import Path
from typing import cast

import pytest
import zstandard

from tests.workers.test_rows import row
from workers.errors import SinkUnavailable
from workers.rows import Row
from workers.sinks import KINDS, Target, kind_of, open_sink
from workers.sinks.interface import Sink, written_row
from workers.sinks.reading import complete


def rows_in(address: str, folder: Path, task: str = "t") -> list[Row]:
    kind = kind_of(address)
    assert kind is not None
    return [*kind.rows(Target(address, address, task, folder))]


def lines(*numbers: int) -> bytes:
    return b"".join(json.dumps(numbered(number), ensure_ascii=False).encode() + b"\n" for number in numbers)


def numbers(rows: list[Row]) -> list[int]:
    return [int(one["canonical_url"].rpartition("/")[2]) for one in rows]


def numbered(number: int) -> Row:
    return row(canonical_url=f"http://a.example/{number}", url=f"http://a.example/{number}")


READABLE = [
    (f"{scheme}:///" if scheme else "") + "rows" + (kind.suffixes or (".db",))[0]
    for kind in KINDS.values()
    for scheme in kind.schemes[:1]
    if kind.reads
]


@pytest.mark.parametrize("address", READABLE)
def test_what_was_written_is_read_back_equal_and_in_order(address: str, tmp_path: Path) -> None:
    written = [numbered(n) for n in (3, 1, 2)]
    sink = cast(Sink, open_sink(address, "t", tmp_path))
    with sink.exclusive():
        sink.write(written)
    sink.close()
    assert rows_in(address, tmp_path) == written


@pytest.mark.parametrize("address", READABLE)
def test_an_output_that_does_not_exist_has_no_rows(address: str, tmp_path: Path) -> None:
    assert rows_in(address, tmp_path) == []
    assert [*tmp_path.iterdir()] == []


def test_files_moved_aside_are_read_first_in_the_order_of_their_change(tmp_path: Path) -> None:
    contents = {
        "rows.jsonl.4.gz": gzip.compress(lines(1)) + gzip.compress(lines(2)),
        "rows.jsonl.3.zst": zstandard.compress(lines(3)) + zstandard.compress(lines(4)),
        "rows.jsonl-other": lines(99),
        "rows.jsonl.gz": gzip.compress(lines(98)),  # another output
        "rows.jsonl.2": lines(5, 6),
        "rows.jsonl.1": lines(7),
        "rows.jsonl": lines(8, 9),
    }
    for age, (name, content) in enumerate(contents.items()):
        (tmp_path / name).write_bytes(content)
        os.utime(tmp_path / name, (1_000_000 + age, 1_000_000 + age))
    assert numbers(rows_in("rows.jsonl", tmp_path)) == [*range(1, 10)]


def test_a_compressed_file_of_a_day_is_read_unless_that_day_has_another(tmp_path: Path) -> None:
    contents = {
        "01.jsonl.gz": gzip.compress(lines(1)),
        "02.jsonl.zst": zstandard.compress(lines(2)),
        "03.jsonl": lines(3),
    }
    for age, (name, content) in enumerate(contents.items()):
        (tmp_path / f"2026-01-{name}").write_bytes(content)
        os.utime(tmp_path / f"2026-01-{name}", (1_000_000 + age, 1_000_000 + age))
    (tmp_path / "2026-01-03.jsonl.gz").write_bytes(gzip.compress(lines(99)))  # perhaps of another output
    assert numbers(rows_in("{date}.jsonl", tmp_path)) == [1, 2, 3]
    sink = cast(Sink, open_sink("{date}.jsonl", "t", tmp_path))
    asked = [written for n in (1, 2, 3, 99) if (written := written_row(numbered(n)))]
    assert sink.has(asked) == [True, True, True, False]


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_damaged_end_is_left_out(cut: int, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "rows.jsonl.1.gz").write_bytes(gzip.compress(lines(1, 2))[:-cut])
    (tmp_path / "rows.jsonl").write_bytes(lines(3, 4)[:-cut])
    with caplog.at_level(logging.WARNING):
        read = numbers(rows_in("rows.jsonl", tmp_path))
    assert read[-2:] == [3, 4] if cut == 1 else 4 not in read
    assert "rows.jsonl.1.gz is damaged" in caplog.text


def test_what_is_no_row_is_counted_and_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "rows.jsonl").write_bytes(b'{"a": 1}\nnonsense\n\n[1]\n' + lines(1))
    with caplog.at_level(logging.WARNING):
        assert numbers(rows_in("rows.jsonl", tmp_path)) == [1]
    assert "3 lines are not rows" in caplog.text


def test_rows_of_earlier_versions_get_the_fields_that_they_lack(tmp_path: Path) -> None:
    whole = numbered(1)
    early = {name: value for name, value in whole.items() if name not in ("parts", "parts_missing", "listed_on")}
    assert complete(early) == whole
    connection = sqlite3.connect(tmp_path / "rows.db")
    connection.execute("CREATE TABLE articles (task, url, canonical_url, title, text, fetched_at, version)")
    values = [whole[name] for name in ("task", "url", "canonical_url", "title", "text", "fetched_at", "version")]
    connection.execute("INSERT INTO articles VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    connection.commit()
    connection.close()
    [read] = rows_in("rows.db", tmp_path)
    assert read.keys() == whole.keys()
    assert (read["title"], read["keywords"], read["parts"], read["author"]) == (whole["title"], [], 1, None)


def test_a_file_that_cannot_be_read_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "rows.db").write_bytes(b"not a database" * 100)
    with pytest.raises(SinkUnavailable, match="cannot be read"):
        rows_in("rows.db", tmp_path)
