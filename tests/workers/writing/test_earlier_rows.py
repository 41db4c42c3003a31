"""The earlier version of a row, for people who compare the two: read from a file output of the task."""

import gzip

import pytest

from tests.workers.sink_suite import row
from workers.sinks import JsonLinesSink, SqliteSink
from workers.writing.outputs import Output, earlier_row


@pytest.mark.parametrize(("kind", "name"), [(JsonLinesSink, "out.jsonl"), (SqliteSink, "out.db")])
def test_it_is_that_of_the_version_in_any_file_of_the_output(tmp_path, kind, name):
    first = dict(row(1)) | {"title": "First", "text": "the first text"}
    output = Output(name, kind(tmp_path / name), pause=1.0, patience=1.0)
    with output.exclusive():
        output.write([first, first | {"version": 2, "text": "the second text"}], again=frozenset())
    found = earlier_row([output], first | {"version": 3}, 1)
    assert (found["title"], found["text"]) == ("First", "the first text")
    assert earlier_row([output], first | {"version": 5}, 4) is None
    if name == "out.jsonl":  # its file was moved aside and compressed since
        (tmp_path / "out.jsonl.1.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
        (tmp_path / name).unlink()
        assert earlier_row([output], first | {"version": 3}, 2)["text"] == "the second text"
