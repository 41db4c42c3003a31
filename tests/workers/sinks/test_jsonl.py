import json
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from workers.errors import SinkUnavailable
from workers.rows import key_of
from workers.sinks import JsonLinesSink

ROOT = Path(__file__).parents[3]


def row(number, **more):
    return {"task": "t", "canonical_url": f"http://a.example/{number}", "version": 1, "text": f"正文 {number}", **more}


def write(path, *rows, again=False):
    sink = JsonLinesSink(path)
    with sink.exclusive():
        sink.write(rows, again={key_of(row) for row in rows} if again else frozenset())


def read(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "out.jsonl"


def test_rows_are_lines_of_readable_json(path):
    write(path, row(1), row(2))
    assert read(path) == [row(1), row(2)]
    assert "正文" in path.read_text("utf-8")


def test_a_redelivered_row_is_written_once(path):
    write(path, row(1), row(2), row(3))
    write(path, row(2, text="cut again"), again=True)
    assert read(path) == [row(1), row(2), row(3)]


def test_a_redelivered_row_that_is_not_there_yet_is_written(path):
    write(path, row(12))
    write(path, row(1), again=True)  # its URL is the beginning of the other's
    write(path, row(12, version=2), again=True)
    write(path, row(12, task="u"), again=True)
    assert len(read(path)) == 4


def test_a_url_in_the_text_of_another_row_is_not_its_key(path):
    write(path, row(1, text="http://a.example/2", image="http://a.example/2"))
    write(path, row(2), again=True)
    assert len(read(path)) == 2


def test_foreign_lines_do_not_disturb_the_search(path):
    write(path, row(1))
    with path.open("a") as file:
        file.write('"http://a.example/2"\n[broken "http://a.example/2"\n\n')
    write(path, row(2), again=True)
    assert path.read_text().count('"version": 1') == 2


def test_half_a_line_is_cut_off_before_the_next_row(path):
    write(path, row(1))
    with path.open("ab") as file:
        file.write(json.dumps(row(2)).encode()[:20])
    write(path, row(2), again=True)
    assert read(path) == [row(1), row(2)]


def test_half_a_line_in_an_otherwise_empty_file_is_cut_off(path):
    path.parent.mkdir()
    path.write_bytes(b'{"task": "t"')
    write(path, row(1))
    assert read(path) == [row(1)]


def test_a_whole_row_without_its_line_end_is_kept(path):
    path.parent.mkdir()
    path.write_text(json.dumps(row(1)))
    write(path, row(2))
    assert read(path) == [row(1), row(2)]


def test_a_file_that_was_moved_away_is_begun_anew(path):
    sink = JsonLinesSink(path)
    with sink.exclusive():
        sink.write([row(1)])
    path.rename(path.with_suffix(".old"))
    with sink.exclusive():
        sink.write([row(2)])
    assert read(path.with_suffix(".old")) == [row(1)]
    assert read(path) == [row(2)]


def test_a_lone_surrogate_does_not_stop_a_row(path):
    write(path, row(1, text="bad \ud800"))
    assert read(path)[0]["text"] == "bad ?"


def test_a_row_with_a_line_separator_is_one_line(path):
    write(path, row(1, text="a\nb\u2028c"), row(2))
    assert path.read_bytes().count(b"\n") == 2


def test_a_folder_in_the_file_s_place_is_reported(tmp_path):
    with pytest.raises(SinkUnavailable, match="Is a directory"):
        write(tmp_path, row(1))


def test_a_file_in_a_folder_s_place_is_reported(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(SinkUnavailable, match=r"out/a\.jsonl cannot be written: .*/out is a file, not a folder"):
        write(tmp_path / "out" / "a.jsonl", row(1))


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from workers.errors import SinkUnavailable
from workers.sinks import JsonLinesSink

path = Path(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 50,) * 2)  # room for half a row
sink = JsonLinesSink(path)
try:
    with sink.exclusive():
        sink.write([{"task": "t", "canonical_url": "u", "version": 1, "text": "long " * 100}])
except SinkUnavailable as error:
    print(error)
"""


def test_a_write_for_which_there_is_no_room_is_undone_and_reported(path):
    write(path, row(1))
    before = path.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert "cannot be written: File too large" in done.stdout
    assert path.read_bytes() == before


def _append(path, first, count):
    sink = JsonLinesSink(path)
    for number in range(first, first + count):
        with sink.exclusive():
            sink.write([row(number, text="x" * 20_000)])


def test_processes_that_append_at_once_do_not_tear_lines(path):
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_append, args=(path, n * 1000, 150), daemon=True) for n in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(20)
        assert writer.exitcode == 0
    assert len({line["canonical_url"] for line in read(path)}) == len(read(path)) == 450


def _append_for_ever(path, number):
    sink = JsonLinesSink(path)
    while True:
        with sink.exclusive():
            sink.write([row(number, text="x" * 300_000)])


def test_a_writer_that_is_killed_leaves_the_file_usable(path):
    context = multiprocessing.get_context("fork")
    for number in range(5):
        writer = context.Process(target=_append_for_ever, args=(path, number), daemon=True)
        writer.start()
        size = path.stat().st_size if path.exists() else 0
        while not path.exists() or path.stat().st_size == size:
            assert writer.is_alive()
        os.kill(writer.pid, signal.SIGKILL)
        writer.join(10)
    write(path, row(99))
    assert read(path)[-1] == row(99)


def test_a_target_that_takes_no_row_is_reported_whatever_its_kind(tmp_path):
    full = tmp_path / "out.jsonl"
    full.symlink_to("/dev/full")
    with pytest.raises(SinkUnavailable, match="No space left"):
        write(full, row(1))


def test_a_later_text_whose_version_is_taken_gets_the_next(path):
    """A forgotten article's versions are counted anew."""
    write(path, row(1), row(1, version=2, content_hash="a"))
    for _ in range(2):
        write(path, row(1, version=2, content_hash="a"), row(1, version=2, content_hash="b"), again=True)
    assert [(each["version"], each.get("content_hash")) for each in read(path)] == [(1, None), (2, "a"), (3, "b")]
