"""WARC: complete files that warcio reads, each page once."""

import os

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from tests.workers.helpers import FETCHED_AT, news, url
from tests.workers.kills import dying_at
from tests.workers.page_sink_suite import PageSinkSuite, StoppedClock, source, write
from workers.errors import OutputError, SinkUnavailable
from workers.page_store import StoredPage
from workers.sinks import SourcePage, open_sink
from workers.sinks.warc import WarcSink


def records(*paths):
    found = []
    for path in paths:
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                headers = record.http_headers.headers if record.http_headers else None
                found.append(
                    (record.rec_type, dict(record.rec_headers.headers), headers, record.content_stream().read())
                )
    return found


def is_valid(path):
    class Options:
        verbose = False
        inputs = (str(path),)

    checker = Checker(Options())
    checker.process_all()
    return not checker.exit_value


class TestWarc(PageSinkSuite):
    def open(self, folder, **more):
        return WarcSink(self.path(folder), **more)

    def path(self, folder):
        return folder / "warc" / "gazette.warc.gz"

    def read(self, folder):
        found = records(*sorted(path for path in (folder / "warc").iterdir() if path.suffix in (".gz", ".open")))
        return [(each[1]["WARC-Target-URI"], each[3]) for each in found if each[0] == "response"]


@pytest.fixture
def clock():
    return StoppedClock()


def complete(folder):
    return sorted(path.name for path in folder.glob("*.warc.gz"))


def test_a_page_is_a_response_for_each_part_and_its_row_in_metadata(tmp_path):
    parts = (StoredPage(url(2), b"second", "text/html", FETCHED_AT),)
    page = StoredPage(
        url(1), b"first", "text/html; charset=gbk", FETCHED_AT, {"x-robots-tag": ["noai", "a\r\nb: c"]}, parts
    )
    row = {**source(1).rows[0], "canonical_url": "http://x.example/\ud800"}
    sink = WarcSink(tmp_path / "a.warc.gz")
    write(sink, SourcePage(url(9), page, (row,)), source(3, kind="refused"))
    [info, first, second, metadata] = records(tmp_path / "a.warc.gz.open")
    assert info[0] == "warcinfo"
    assert first[2] == [
        ("Content-Type", "text/html; charset=gbk"),
        ("x-robots-tag", "noai"),
        ("x-robots-tag", "a b: c"),
    ]
    assert (first[3], second[3], second[1]["WARC-Target-URI"]) == (b"first", b"second", url(2))
    assert first[1]["WARC-Date"] == "2026-03-12T08:30:00.000000Z"
    assert metadata[1]["WARC-Concurrent-To"] == first[1]["WARC-Record-ID"]
    assert b"task: gazette\r\ncanonical_url: http://x.example/?\r\nversion: 1\r\n" in metadata[3]
    assert f"requested_url: {url(9)}".encode() in metadata[3]


def test_a_file_that_is_large_or_old_is_complete(tmp_path, clock, monkeypatch):
    monkeypatch.setattr("workers.sinks.warc.LARGEST", 2000)
    sink = WarcSink(tmp_path / "a.warc.gz", clock=clock)
    write(sink, *(source(number) for number in range(5)))
    assert complete(tmp_path) == []
    write(sink, source(5))  # the file before was large
    assert len(complete(tmp_path)) == 1
    clock.now += 86_400
    write(sink, source(0), source(5))  # both are known, in files that are complete
    assert len(complete(tmp_path)) == 2
    assert not (tmp_path / "a.warc.gz.open").exists()
    assert all(is_valid(tmp_path / name) for name in complete(tmp_path))
    assert len([each for each in records(*tmp_path.glob("*.warc.gz")) if each[0] == "response"]) == 6


@pytest.mark.parametrize("form", ["{date}", "{date:%Y-%m-%d}"])
def test_pages_of_another_day_begin_a_new_file(tmp_path, clock, form):
    sink = WarcSink(tmp_path / form / "a.warc.gz", clock=clock)
    write(sink, source(1))
    clock.now += 86_300  # the day of fetching counts
    write(sink, source(1), source(2))
    assert [path.parent.name for path in tmp_path.glob("*/*.open")] == ["2026-03-12"]
    write(sink, source(4, at=86_300), source(3), source(1), source(5, at=86_300))
    [first] = tmp_path.glob("*/*.warc.gz")
    [second] = tmp_path.glob("*/*.open")
    assert (first.parent.name, second.parent.name) == ("2026-03-12", "2026-03-13")
    assert [len([each for each in records(path) if each[0] == "response"]) for path in (first, second)] == [3, 2]
    write(sink, source(1), source(2))  # they are known
    assert second.exists()
    sink.close()
    (tmp_path / "all" / "a.warc.gz.index").unlink()
    write(WarcSink(tmp_path / form / "a.warc.gz", clock=clock), source(6, at=86_300))
    assert len([each for each in records(second) if each[0] == "response"]) == 3


def test_a_page_of_two_days_is_there_once_if_the_second_file_fails(tmp_path, clock):
    sink = WarcSink(tmp_path / "{date}" / "a.warc.gz", clock=clock)
    (tmp_path / "2026-03-13").write_text("no folder")
    with pytest.raises(SinkUnavailable):
        write(sink, source(1), source(2, at=86_300))
    (tmp_path / "2026-03-13").unlink()
    write(sink, source(1), source(2, at=86_300))
    paths = [*tmp_path.glob("*/*.warc.gz"), *tmp_path.glob("*/*.open")]
    assert sorted(each[3] for each in records(*paths) if each[0] == "response") == [news(1), news(2)]


def test_a_path_that_leads_out_of_its_root_is_refused(tmp_path, clock):
    (tmp_path / "outside").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "2026-03-12").symlink_to(tmp_path / "outside")
    with pytest.raises(SinkUnavailable, match="outside"):
        write(WarcSink(tmp_path / "root" / "{date}" / "a.warc.gz", clock=clock), source(1))
    with pytest.raises(OutputError, match="unknown placeholder"):
        open_sink("{day}.warc.gz", "gazette", tmp_path)
    with pytest.raises(OutputError, match=r"cannot have \. or \.\."):
        open_sink("{date}/../a.warc.gz", "gazette", tmp_path)


@pytest.mark.parametrize("index", [True, False])
def test_a_torn_tail_is_cut_at_the_last_complete_record(tmp_path, index):
    sink = WarcSink(tmp_path / "a.warc.gz")
    write(sink, source(1))
    size = (tmp_path / "a.warc.gz.open").stat().st_size
    sink.close()
    with (tmp_path / "a.warc.gz.open").open("ab") as file:
        file.write((tmp_path / "a.warc.gz.open").read_bytes()[: size // 2 + 7][-200:])
    if not index:
        (tmp_path / "a.warc.gz.index").unlink()
    sink = WarcSink(tmp_path / "a.warc.gz")
    write(sink, source(2))
    assert [each[3] for each in records(tmp_path / "a.warc.gz.open") if each[0] == "response"] == [news(1), news(2)]


def test_the_first_records_of_a_process_that_died_before_it_noted_them_are_cut(tmp_path):
    sink = WarcSink(tmp_path / "a.warc.gz")
    with dying_at(os, "fdatasync"):
        write(sink, source(1))
    sink.close()
    assert (tmp_path / "a.warc.gz.open").stat().st_size
    write(WarcSink(tmp_path / "a.warc.gz"), source(1), source(2))
    assert [each[3] for each in records(tmp_path / "a.warc.gz.open") if each[0] == "response"] == [news(1), news(2)]


def test_a_file_that_was_renamed_before_its_process_died_is_complete(tmp_path):
    sink = WarcSink(tmp_path / "a.warc.gz")
    write(sink, source(1))
    sink.close()
    (tmp_path / "a.warc.gz.open").rename(tmp_path / "a-1.warc.gz")
    write(WarcSink(tmp_path / "a.warc.gz"), source(1), source(2))
    found = records(tmp_path / "a-1.warc.gz", tmp_path / "a.warc.gz.open")
    assert [each[3] for each in found if each[0] == "response"] == [news(1), news(2)]
