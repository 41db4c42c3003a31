"""WARC: complete files that warcio reads, each page once."""

import os

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from tests.workers.helpers import FETCHED_AT, news, url
from tests.workers.kills import dying_at
from tests.workers.page_sink_suite import PageSinkSuite, source, write
from workers.errors import OutputError, SinkUnavailable
from workers.page_store import StoredPage
from workers.sinks import SourcePage, open_sink
from workers.sinks.warc import WarcSink

FILE = "a-2026-03-12.warc.gz"


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
        found = records(*sorted((folder / "warc").glob("*.warc.gz")))
        return [(each[1]["WARC-Target-URI"], each[3]) for each in found if each[0] == "response"]


def pages_in(*paths):
    return [record[3] for record in records(*paths) if record[0] == "response"]


def test_a_page_is_a_response_for_each_part_and_its_row_in_metadata(tmp_path):
    parts = (StoredPage(url(2), b"second", "text/html", FETCHED_AT),)
    page = StoredPage(
        url(1), b"first", "text/html; charset=gbk", FETCHED_AT, {"x-robots-tag": ["noai", "a\r\nb: c"]}, parts
    )
    row = {**source(1).rows[0], "canonical_url": "http://x.example/\ud800"}
    sink = WarcSink(tmp_path / "a.warc.gz")
    write(sink, SourcePage(url(9), page, (row,)), source(3, kind="refused"))
    [info, first, second, metadata] = records(tmp_path / FILE)
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


@pytest.mark.parametrize("name", ["{date}/a.warc.gz", "{date:%Y-%m-%d}/a.warc.gz", "a.warc.gz"])
def test_a_file_has_the_pages_of_a_day_each_once_also_without_its_index(tmp_path, name):
    sink = WarcSink(tmp_path / name)
    write(sink, source(1))
    write(sink, source(4, at=86_300), source(2), source(1), source(5, at=86_300))
    first, second = sorted(tmp_path.rglob("*.warc.gz"))
    assert ("2026-03-12" in str(first), "2026-03-13" in str(second)) == (True, True)
    assert [pages_in(path) for path in (first, second)] == [[news(1), news(2)], [news(4), news(5)]]
    assert is_valid(first)
    sink.close()
    [index] = tmp_path.rglob("*.index")
    index.unlink()
    write(WarcSink(tmp_path / name), source(6, at=86_300))
    assert pages_in(second) == [news(4), news(5), news(6)]


def test_pages_of_two_days_are_there_once_if_the_second_file_fails(tmp_path):
    sink = WarcSink(tmp_path / "{date}" / "a.warc.gz")
    (tmp_path / "2026-03-13").write_text("no folder")
    with pytest.raises(SinkUnavailable):
        write(sink, source(1), source(2, at=86_300))
    (tmp_path / "2026-03-13").unlink()
    write(sink, source(1), source(2, at=86_300))
    assert sorted(pages_in(*tmp_path.rglob("*.warc.gz"))) == [news(1), news(2)]


def test_a_path_that_leads_out_of_its_root_is_refused(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "2026-03-12").symlink_to(tmp_path / "outside")
    with pytest.raises(SinkUnavailable, match="outside"):
        write(WarcSink(tmp_path / "root" / "{date}" / "a.warc.gz"), source(1))
    with pytest.raises(OutputError, match="unknown placeholder"):
        open_sink("{day}.warc.gz", "gazette", tmp_path)
    with pytest.raises(OutputError, match=r"cannot have \. or \.\."):
        open_sink("{date}/../a.warc.gz", "gazette", tmp_path)


def test_records_of_a_process_that_died_before_it_noted_them_are_cut(tmp_path):
    for pages in ([source(1)], [source(1), source(2)]):
        sink = WarcSink(tmp_path / "a.warc.gz")
        with dying_at(os, "fdatasync"):
            write(sink, *pages)
        sink.close()
        assert (tmp_path / FILE).stat().st_size
        write(WarcSink(tmp_path / "a.warc.gz"), *pages)
    assert pages_in(tmp_path / FILE) == [news(1), news(2)]


def test_a_file_that_was_removed_begins_again(tmp_path):
    sink = WarcSink(tmp_path / "a.warc.gz")
    write(sink, source(1))
    (tmp_path / FILE).unlink()
    write(sink, source(1), source(2))
    assert pages_in(tmp_path / FILE) == [news(2)]
