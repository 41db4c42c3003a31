"""Batches as objects: their names, what is looked up where, and the suite of batch sinks on folders of this machine."""

import csv
import gzip
import io
import json
from abc import abstractmethod
from datetime import date
from pathlib import Path

import pytest
import zstandard

from tests.workers.batch_sink_suite import BatchSinkSuite, batch, keys
from tests.workers.kills import KILLS
from tests.workers.sink_suite import row
from workers.errors import OutputError, SinkUnavailable
from workers.sinks import OutputOptions, Target, open_sink, store_sink
from workers.sinks.formats import GzipLines
from workers.sinks.store_sink import StoreSink, object_names
from workers.sinks.stores import FolderStore, address_of
from workers.variables import expand_address

DAY = date(2026, 3, 12)
ID = "0" * 31 + "1"


def lines(path, data):
    """The rows of an object."""
    if path.endswith(".gz"):
        data = gzip.decompress(data)
    elif path.endswith(".zst"):
        data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
    return [json.loads(line) for line in data.decode("utf-8").split("\n")[:-1]]


class FilesOfLines(BatchSinkSuite):
    """Files that the tests see in a folder."""

    kills = KILLS // 2

    @abstractmethod
    def folder(self, place):
        """Return the folder of all files; it may not exist."""

    def files(self, place):
        """The bytes of the files that a reader sees, by path."""
        return {path: path.read_bytes() for path in sorted(self.folder(place).rglob("[!.]*")) if path.is_file()}

    def read(self, place):
        return [one for path, data in self.files(place).items() for one in lines(str(path), data)]

    def test_leftovers_of_a_killed_process_and_of_a_check_are_removed(self, sink, place):
        sink.write(batch(1, row(1)))
        [path] = self.files(place)
        path.with_name(f".{path.name}.0123456789ab.part").write_bytes(b"half")
        sink.write(batch(1, row(1), again=True))
        assert [*path.parent.iterdir()] == [path]
        sink.check()
        assert [*self.folder(place).rglob(".*")] == []


class FolderOutput(FilesOfLines):
    """Files of this machine below `place`/deep."""

    @pytest.fixture
    def place(self, tmp_path):
        (tmp_path / "files").mkdir()
        (tmp_path / "file").touch()
        (tmp_path / "deep").symlink_to("files")
        return tmp_path

    def folder(self, place):
        return place / "deep"

    def take_away(self, place):
        """A file is in the place of the folder, from one moment to the next."""
        self._lead_to(place, "file")

    def bring_back(self, place):
        self._lead_to(place, "files")

    def _lead_to(self, place, name):
        (place / "new").symlink_to(name)
        (place / "new").rename(place / "deep")


class TestFolderOfLines(FolderOutput):
    def open(self, place):
        return open_sink(f"file://{place}/deep/{{task}}/", "t", place)

    def test_a_folder_that_is_away_has_no_names_to_look_rows_up(self, place):
        self.take_away(place)
        with pytest.raises(SinkUnavailable):
            FolderStore(address("file:///x")).names(f"{place}/deep/t", "")
        assert FolderStore(address("file:///x")).names(f"{place}/none/t", "") == []

    def test_a_process_that_lost_its_batch_shows_no_half_file(self, place):
        """Another process took the batch over, and removed the temporary file of the first."""
        sink = self.open(place)

        class Slow(FolderStore):
            def write(self, connection, path, data):
                super().write(connection, path, data[:10])
                sink.write(batch(1, row(1), again=True))

        slow = StoreSink(Slow(address("file:///slow")), sink._names, GzipLines(OutputOptions()))
        with pytest.raises(SinkUnavailable):
            slow.write(batch(1, row(1), again=True))
        assert self.keys(place) == keys([row(1)])

    def test_a_row_is_looked_up_on_its_day_and_the_days_beside_it_only(self, sink, place):
        sink.write(batch(1, row(1), row(2, fetched_at="2026-01-01T00:00:00+00:00")))
        next_day = row(1, fetched_at="2026-03-13T23:00:00+00:00")
        sink.write(batch(2, next_day, again=True))
        assert len(self.read(place)) == 2
        files = {path.parent.name: path for path in self.files(place)}
        files["2026-01-01"].write_bytes(b"never read")
        sink.write(batch(3, next_day, again=True))

    def test_a_version_that_is_there_with_another_text_gets_the_next_number(self, sink, place):
        second = row(1, version=2, content_hash="2" * 64)
        other = row(1, version=2, content_hash="3" * 64)
        sink.write(batch(1, row(1), second))
        sink.write(batch(2, row(1, content_hash="4" * 64), other, again=True))
        sink.write(batch(3, other, second, again=True))
        assert self.keys(place) == keys([row(1), second, row(1, version=3)])

    def test_a_search_that_takes_long_goes_on_at_the_next_try(self, place, monkeypatch):
        sink = self.open(place)
        for number in range(3):
            sink.write(batch(number, row(number)))
        monkeypatch.setattr(store_sink, "PATIENCE", -1.0)
        for missing in (2, 1):
            with pytest.raises(SinkUnavailable, match=f"in {missing} of its objects"):
                sink.write(batch(4, row(1), again=True))
        sink.write(batch(4, row(1), again=True))
        assert len(self.read(place)) == 3


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_a_format_that_is_appended_to_files_can_be_an_object_too(tmp_path, suffix):
    sink = open_sink(f"file://{tmp_path}/x/{{task}}.{suffix}", "t", tmp_path)
    sink.write(batch(1, row(1, title="=1+1"), row(2)))
    sink.write(batch(2, row(2), row(3), again=True))
    files = [path.read_text("utf-8") for path in sorted((tmp_path / "x").rglob(f"*.{suffix}"))]
    found = [
        one for text in files for one in csv.DictReader(io.StringIO(text), delimiter="\t" if suffix == "tsv" else ",")
    ]
    assert [one["title"] for one in found] == ["'=1+1", "题 2", "题 3"]


@pytest.mark.parametrize(
    ("path", "name", "root"),
    [
        ("b/news/", f"b/news/2026-03-12/{ID}.jsonl.gz", "b/news"),
        ("b/", f"b/2026-03-12/{ID}.jsonl.gz", "b"),
        ("b/news.jsonl.zst", f"b/news/2026-03-12/{ID}.jsonl.zst", "b/news"),
        ("b/news/{date}/", f"b/news/2026-03-12/{ID}.jsonl.gz", "b/news"),
        ("b/{date}/all.jsonl", f"b/2026-03-12/all/{ID}.jsonl", "b"),
        ("b/x-{date}-{batch}.jsonl.gz", f"b/x-2026-03-12-{ID}.jsonl.gz", "b"),
        ("b/[a]+/{batch}-{date}.jsonl", f"b/[a]+/{ID}-2026-03-12.jsonl", "b/[a]+"),
    ],
)
def test_names_of_objects(path, name, root):
    names = object_names(path, "o")
    assert names.path(DAY, ID) == name
    assert names.root == root
    folder, start = names.folder_and_start(DAY)
    assert name.startswith(f"{folder}/{start}")
    others = [name.replace("-12", "-13"), name + ".part", name.replace(ID, "x"), names.path(DAY, "f" * 32)]
    assert names.of_day(DAY, [name, *others], "f" * 32) == [name]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("b/news", "ends in / or one of .jsonl"),
        ("b/news.txt", "ends in / or one of .jsonl"),
        ("b/{dat}.jsonl", "unknown {dat}"),
        ("b/x-{batch}.jsonl", "{date} too"),
        ("b/{date}/{batch}/x.jsonl", "last part"),
        ("b/../{date}/", "remove .."),
    ],
)
def test_mistakes_in_paths(path, words):
    with pytest.raises(OutputError, match="output o: ") as error:
        object_names(path, "o")
    assert words in str(error.value)


def address(text, **variables):
    return address_of(Target(expand_address(text, variables), text, "t", Path("/")))


def test_parts_of_addresses(monkeypatch):
    found = address("sftp://me@host:2222/a/b@c/?known_hosts=/k&key=~/id")
    assert (found.user, found.host, found.port, found.place) == ("me", "host", 2222, "/a/b@c/")
    assert found.options == {"known_hosts": "/k", "key": "~/id"}
    assert found.name == "sftp://me@host:2222/a/b@c/"
    assert (address("sftp://host:22/a@b/").host, address("sftp://host:22/a@b/").user) == ("host", "")
    assert address("gcs://bucket/a/").storage.name == "gcs"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("s3://key:s3cret@bucket/a/", "read from the environment"),
        ("s3:///a/", "name of a bucket"),
        ("s3://{date}/a/", "name of a bucket"),
        ("s3://bucket/?reggion=x", "unknown option reggion; known options: endpoint"),
        ("s3://bucket/?secret=s3cret", "unknown option secret"),
        ("s3://bucket/?endpoint=host:80", "write the endpoint as"),
        ("sftp:///a/", "user@host"),
        ("sftp://host:x/a/", "Port could not be cast to integer"),
        ("file://host/a/", "absolute path"),
    ],
)
def test_mistakes_in_addresses(tmp_path, text, words):
    with pytest.raises(OutputError) as error:
        open_sink(text, "t", tmp_path)
    assert words in str(error.value)
    assert "s3cret" not in str(error.value)
