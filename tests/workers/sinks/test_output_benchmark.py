"""What `benchmarks.outputs` counts: rows that came again, files that are not whole, and targets that are away."""

import json
import urllib.request
from urllib.error import URLError

import pytest

from benchmarks.output_readers import read_jsonl, read_warc
from benchmarks.output_targets import target_of
from tests.workers.page_sink_suite import source, write
from workers.sinks import warc


def post(port, message, *rows):
    body = json.dumps({"id": message, "rows": [{"id": row, "url": url} for row, url in rows]}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/hook", body, {"webhook-id": message})
    urllib.request.urlopen(request, timeout=5).close()


def port_of(target):
    return int(target.output.partition("127.0.0.1:")[2].partition("/")[0])


def test_a_row_of_a_webhook_may_come_again_with_the_same_id_only(tmp_path):
    with target_of("webhook", tmp_path, bytes) as target:
        port = port_of(target)
        post(port, "m1", ("1", "a"), ("2", "b"))
        post(port, "m1", ("1", "a"), ("2", "b"))
        post(port, "m2", ("3", "b"))
        assert sorted(target.urls()) == ["a", "b", "b"]
        assert target.note() == "2 rows again with the same id"
        assert not target.faults
        post(port, "m2", ("3", "c"))
        list(target.urls())
        assert target.faults == ["message m2 came with two bodies"]


def test_a_receiver_that_is_away_takes_no_connection(tmp_path):
    with target_of("webhook", tmp_path, bytes) as target:
        target.take_away()
        with pytest.raises(URLError, match="refused"):
            post(port_of(target), "m1", ("1", "a"))
        target.bring_back()
        post(port_of(target), "m1", ("1", "a"))
        assert list(target.urls()) == ["a"]


def test_nobody_can_make_a_folder_anew_while_it_is_away(tmp_path):
    with target_of("jsonl", tmp_path, bytes) as target:
        file = tmp_path / target.output
        file.parent.mkdir()
        file.write_text('{"url": "a"}\n')
        target.take_away()
        with pytest.raises(FileExistsError):
            file.parent.mkdir()
        with pytest.raises(NotADirectoryError):
            file.open("a")
        target.bring_back()
        assert list(target.urls()) == ["a"]


def test_parts_of_files_and_hidden_lists_of_rows_are_not_counted(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"url": "a"}\n')
    (tmp_path / ".b.jsonl.0123.part").write_text('{"url": "b"}\n')
    (tmp_path / ".list").mkdir()
    (tmp_path / ".list" / "rows.jsonl").write_text('{"url": "c"}\n')
    assert list(read_jsonl(tmp_path)) == ["a"]


def test_a_warc_file_that_is_not_whole_is_a_fault(tmp_path):
    sink = warc.WarcSink(tmp_path / "out.warc.gz")
    write(sink, source(1), source(2), source(3))
    sink.close()
    assert len(set(read_warc(tmp_path))) == 3
    [file] = tmp_path.glob("*.open")
    for size in (file.stat().st_size - 20, file.stat().st_size - 400):
        file.write_bytes(file.read_bytes()[:size])
        with pytest.raises(ValueError, match=r"out\.warc\.gz"):
            list(read_warc(tmp_path))
