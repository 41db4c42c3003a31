"""JSON lines without compression: the suite of sinks, lines that others left, and targets that take no row."""

import json
import resource
import signal

import pytest

from tests.workers.helpers import at_once
from tests.workers.sink_suite import LinesSuite, row, write
from workers.errors import SinkUnavailable
from workers.rows import content_hash_of
from workers.sinks import JsonLinesSink, OutputOptions, open_sink


class TestJsonLines(LinesSuite):
    """The whole suite."""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out.jsonl"


@pytest.fixture
def sink(path):
    return JsonLinesSink(path)


def titles(path):
    return [json.loads(line)["title"] for line in path.read_text("utf-8").splitlines()]


def test_a_url_in_the_text_of_another_row_is_not_its_key(sink, path):
    write(sink, row(1, text=row(2)["canonical_url"], image=row(2)["canonical_url"]))
    write(sink, row(2))
    assert titles(path) == ["题 1", "题 2"]


def test_foreign_lines_do_not_disturb_the_search(sink, path):
    write(sink, row(1))
    with path.open("a") as file:
        file.write('"http://a.example/2"\n[broken "http://a.example/2"\n\n')
    write(sink, row(2))
    assert path.read_text().count('"version": 1') == 2


def test_a_whole_row_without_its_line_end_is_kept(sink, path):
    path.write_text(json.dumps(row(1)))
    write(sink, row(2))
    assert titles(path) == ["题 1", "题 2"]


def test_without_content_hash_a_later_text_is_known_by_title_and_text(path):
    options = OutputOptions(fields=(("title", "title"), ("text", "text")))
    sink = open_sink("out.jsonl", "t", path.parent, options=options)

    def version(text, number):
        return row(1, text=text, version=number, content_hash=content_hash_of(row(1)["title"], text))

    write(sink, version("a", 1), version("b", 2))
    for _ in range(2):
        write(sink, version("b", 2), version("c", 2))
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [(one["version"], one["text"]) for one in lines] == [(1, "a"), (2, "b"), (3, "c")]


def test_a_target_that_takes_no_row_is_reported_whatever_its_kind(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "full.jsonl").symlink_to("/dev/full")
    for place, words in (
        (tmp_path, "Is a directory"),
        (tmp_path / "file" / "a.jsonl", r"file/a\.jsonl cannot be written: .*/file is a file, not a folder"),
        (tmp_path / "full.jsonl", "No space left"),
    ):
        with pytest.raises(SinkUnavailable, match=words):
            write(JsonLinesSink(place), row(1))


def test_a_write_for_which_there_is_no_room_is_undone_and_reported(sink, path):
    def fill_up():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50,) * 2)  # room for half a row
        with pytest.raises(SinkUnavailable, match="cannot be written: File too large"):
            write(JsonLinesSink(path), row(2, text="long " * 100))

    write(sink, row(1))
    before = path.read_bytes()
    at_once(fill_up, ())
    assert path.read_bytes() == before


def _append(path, first, count):
    sink = JsonLinesSink(path)
    for number in range(first, first + count):
        write(sink, row(number, text="x" * 20_000), again=False)


def test_processes_that_append_at_once_do_not_tear_lines(path):
    at_once(_append, *((path, number * 1000, 150) for number in range(3)))
    assert len(set(titles(path))) == len(titles(path)) == 450
