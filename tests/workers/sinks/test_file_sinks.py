"""The suite of sinks for compressed JSON lines, CSV and files of each day, and what is special about each."""

import csv
import gzip
import io
import json
import subprocess

import pytest
import zstandard

from tests.workers.naughty import as_stored, naughty_rows
from tests.workers.sink_suite import LinesSuite, TornSuite, plain, row, write, write_in_groups
from workers.errors import OutputError, SinkUnavailable
from workers.rows import key_of
from workers.sinks import OutputOptions, open_sink
from workers.sinks.csv_format import neutralised, original_text
from workers.sinks.interface import written_row


def opened(output, folder, **options):
    return open_sink(output, "t", folder, options=OutputOptions(**options))


class TestGzip(LinesSuite):
    output = "deep/out.jsonl.gz"
    test_naughty_rows_come_back = None  # the lines are those of one file

    def compress(self, data):
        return gzip.compress(data)

    def decompress(self, path):
        return subprocess.run(["gzip", "-dc", path], capture_output=True, check=True).stdout

    def test_only_the_end_of_the_file_is_read_to_mend_it(self, sink, tmp_path):
        """What lies before is no member at all, and stays as it is."""
        self.path(tmp_path).parent.mkdir()
        begin = b"what another program wrote" * 1000
        torn = self.compress(b"x" * 1000)[:-3]
        self.path(tmp_path).write_bytes(begin + self.compress(json.dumps(row(1)).encode() + b"\n") + torn)
        write(sink, row(2), again=False)
        assert self.path(tmp_path).read_bytes().startswith(begin)
        assert [one.key for one in sink.newest("t")] == [key_of(row(2)), key_of(row(1))]


class TestZstandard(TestGzip):
    output = "deep/out.jsonl.zst"

    def test_a_file_of_another_format_stays_as_it_is(self, sink, tmp_path):
        self.path(tmp_path).parent.mkdir()
        self.path(tmp_path).write_text("my notes\n")
        with pytest.raises(SinkUnavailable, match="move it away"):
            write(sink, row(1))
        assert self.path(tmp_path).read_text() == "my notes\n"

    def compress(self, data):
        return zstandard.ZstdCompressor(write_checksum=True).compress(data)

    def decompress(self, path):
        with path.open("rb") as file:
            return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()


def records(path):
    """The records of a CSV file, with the texts that were written."""
    text = io.StringIO(path.read_bytes().decode(), newline="")
    return [{name: original_text(cell) for name, cell in record.items()} for record in csv.DictReader(text)]


class TestCsv(TornSuite):
    def path(self, folder):
        return folder / "deep" / "out.csv"

    def open(self, folder):
        return open_sink(str(self.path(folder)), "t", folder)

    def read(self, folder):
        rows = []
        for path in sorted(self.path(folder).parent.glob(f"{self.path(folder).name}*"), reverse=True):
            rows += records(path)
        for one in rows:
            one |= {"version": int(one["version"]), "listed_on": one.get("listed_on") or None}
        return rows

    def forget_unsynced(self, folder, keep):
        whole = self.path(folder).read_bytes()
        ends = [len(part) for part in whole.split(b"\r\n")]
        bounds = [sum(ends[: number + 1]) + 2 * (number + 1) for number in range(len(ends))]
        cut = (bounds[keep] + bounds[keep + 1]) // 2
        self.path(folder).write_bytes(whole[:cut] + b"\0" * 700)

    def make_older(self, folder):
        [only] = records(self.path(folder))
        del only["listed_on"]
        with self.path(folder).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, only)
            writer.writeheader()
            writer.writerow(only)

    def test_naughty_rows_come_back_and_no_cell_is_a_formula(self, sink, tmp_path):
        rows = list(naughty_rows())
        write_in_groups(sink, rows)
        stored = records(self.path(tmp_path))
        for one, was in zip(stored, rows, strict=True):
            for name in ("title", "text", "author", "task", "url", "language", "content_hash"):
                assert one[name] == as_stored(was[name])
            for name in ("keywords", "blocks", "parts_missing"):
                assert json.loads(one[name]) == plain(was[name])
            assert (one["confidence"], one["version"], one["published"]) == ("0.5", "1", "")
        for record in csv.reader(io.StringIO(self.path(tmp_path).read_bytes().decode(), newline="")):
            assert not [cell for cell in record if cell[:1] in tuple("=+-@\t\r\n＝＋－＠")]
        assert sink.has([written_row(one) for one in rows]) == [True] * len(rows)
        write(sink, *rows[::7])
        assert len(records(self.path(tmp_path))) == len(rows)
        assert [one.key for one in sink.newest("naughty")] == [key_of(one) for one in reversed(rows)]

    @pytest.mark.parametrize("text", ['a\r\nb "c', 'x"', "line\n" * 50, '""\r\n""', "a,b\n,,\n"])
    def test_a_record_that_is_torn_at_any_byte_is_cut_off(self, tmp_path, text):
        write(self.open(tmp_path), row(1, title=text, text=text), again=False)
        whole = self.path(tmp_path).read_bytes()
        write(self.open(tmp_path), row(2, title=text, text=text), again=False)
        both = self.path(tmp_path).read_bytes()
        for cut in [*range(len(whole) + 1, len(both), 7), len(both) - 1]:
            self.path(tmp_path).write_bytes(both[:cut])
            write(self.open(tmp_path), row(2, title=text, text=text))
            assert self.keys(tmp_path) == [key_of(row(1)), key_of(row(2))], cut

    def test_rows_after_a_quote_that_a_person_left_open_are_not_cut_off(self, tmp_path):
        sink = self.open(tmp_path)
        write(sink, *(row(number) for number in range(9)), again=False)
        broken = self.path(tmp_path).read_bytes().replace("题 2".encode(), '题 " 2'.encode())
        self.path(tmp_path).write_bytes(broken)
        write(self.open(tmp_path), row(9), again=False)
        assert self.path(tmp_path).read_bytes().startswith(broken)

    def test_the_header_of_the_file_decides_the_order_of_columns(self, tmp_path):
        self.path(tmp_path).parent.mkdir()
        names = ["mine", *reversed(["task", "canonical_url", "version", "name"])]
        self.path(tmp_path).write_text("\ufeff" + ",".join(names) + "\n", encoding="utf-8")
        sink = opened(str(self.path(tmp_path)), tmp_path, fields=(("name", "title"),))
        write(sink, row(1), row(2))
        write(sink, row(1))
        text = self.path(tmp_path).read_text("utf-8-sig")
        [first, _] = csv.DictReader(io.StringIO(text))
        assert first == {
            "mine": "", "name": "题 1", "version": "1", "canonical_url": row(1)["canonical_url"], "task": "t",
        }  # fmt: skip

    def test_a_file_of_another_format_is_moved_aside_as_it_is(self, sink, tmp_path):
        self.path(tmp_path).parent.mkdir()
        self.path(tmp_path).write_text('my notes\nof "today')
        write(sink, row(1))
        assert self.path(tmp_path).with_name(f"{self.path(tmp_path).name}.1").read_text() == 'my notes\nof "today'
        assert records(self.path(tmp_path))[0]["title"] == "题 1"

    def test_a_file_without_one_of_the_columns_is_moved_aside(self, tmp_path):
        write(opened(str(self.path(tmp_path)), tmp_path, fields=(("name", "title"),)), row(1))
        sink = opened(str(self.path(tmp_path)), tmp_path, fields=(("name", "title"), ("day", "fetched_at")))
        write(sink, row(1), row(2))
        old, new = (
            records(self.path(tmp_path).with_name(self.path(tmp_path).name + ".1")),
            records(self.path(tmp_path)),
        )
        assert [one["canonical_url"] for one in (*old, *new)] == [row(1)["canonical_url"], row(2)["canonical_url"]]
        assert [*new[0]] == ["name", "day", "task", "canonical_url", "version"]

    def test_a_whole_record_without_its_line_end_is_kept(self, tmp_path):
        sink = opened(str(self.path(tmp_path)), tmp_path, fields=(("task", "task"), ("title", "title")))
        write(sink, row(1))
        names = ["version", "canonical_url", "title", "task"]
        cells = ["1", '"u"', '"x"', '"t"']
        self.path(tmp_path).write_text(f"{','.join(names)}\n{','.join(cells)}")
        write(sink, row(2))
        assert [one["title"] for one in records(self.path(tmp_path))] == ["x", "题 2"]


def test_a_neutralised_text_can_be_read_back():
    for text in ("=1", "'=1", "''", "", "a", "-", "\t", "＝1"):
        assert original_text(neutralised(text)) == text
        assert neutralised(text)[:1] not in tuple("=+-@\t＝")


class TestDays(LinesSuite):
    """One file a day. The rows of the suite are of one day; `forget_unsynced` and the like see its file."""

    output = "deep/{date:%Y/%m-%d}.jsonl"
    test_naughty_rows_come_back = None  # the lines are those of one file

    def path(self, folder):
        return folder / "deep" / "2026" / "03-12.jsonl"

    def root(self, folder):
        return folder / "deep"

    def keys(self, folder):
        lines = [line for path in (folder / "deep").glob("*/*.jsonl") for line in path.read_bytes().splitlines()]
        return sorted(key_of(json.loads(line)) for line in lines)

    def test_a_group_of_several_days_goes_to_their_files(self, sink, tmp_path):
        days = ["2026-03-12T23:59:59+00:00", "2026-03-13T00:30:00+01:00", "2026-03-13T00:00:00+00:00"]
        rows = [row(number, fetched_at=day) for number, day in enumerate(days)]
        write(sink, *rows)
        write(self.open(tmp_path), *rows)
        assert len((tmp_path / "deep/2026/03-12.jsonl").read_bytes().splitlines()) == 2
        assert len((tmp_path / "deep/2026/03-13.jsonl").read_bytes().splitlines()) == 1
        assert next(one.key for one in sink.newest("t")) == key_of(rows[2])
        assert sink.has([written_row(one) for one in rows]) == [True] * 3

    def test_if_one_file_cannot_be_written_no_row_is(self, sink, tmp_path):
        (tmp_path / "deep/2026/03-13.jsonl").mkdir(parents=True)
        with pytest.raises(SinkUnavailable):
            write(sink, row(1), row(2, fetched_at="2026-03-13T00:00:00+00:00"))
        assert self.path(tmp_path).read_bytes() == b""

    def test_a_link_that_leads_out_of_the_folder_is_refused(self, sink, tmp_path):
        (tmp_path / "deep").mkdir()
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "deep" / "2026").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(OutputError, match="remove the symbolic link"):
            write(sink, row(1))
        assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("end", [".jsonl", "-{id}.md"])
@pytest.mark.parametrize(
    ("published", "day"),
    [
        ("2024-12-31", "2024/12-31"),
        ("2024-12-31T23:30:00-08:00", "2024/12-31"),  # the day that the article has, not that of UTC
        *((other, "2026/03-12") for other in (None, "", "soon", "2024", "0024-01-01", "../../../x")),
    ],
)
def test_published_is_the_day_of_the_article_or_that_of_its_fetching(end, published, day, tmp_path):
    for options in (OutputOptions(), OutputOptions(fields=(("url", "url"), ("text", "text")))):
        folder = tmp_path / str(len(options.fields))
        write(open_sink(f"{{published:%Y/%m-%d}}{end}", "t", folder, options=options), row(1, published=published))
        [file] = (path for path in folder.glob("*/*") if not path.parent.name.startswith("."))
        assert f"{file.parent.name}/{file.name[:5]}" == day


def test_a_row_whose_day_of_publication_changes_is_there_once(tmp_path):
    for published in ("2024-12-31", None, "2025-01-01"):
        write(open_sink("{published}.jsonl", "t", tmp_path), row(1, published=published))
    assert [path.name for path in tmp_path.glob("*.jsonl")] == ["2024-12-31.jsonl"]


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("{published:%H}.jsonl", "{published:%H} may contain only %Y"),
        ("out/{published}.db", "sqlite is one file"),
        ("{title}.csv", "unknown placeholder {title}"),
        ("{date:%}.jsonl", "may contain only %Y"),
        ("{date}/../../x.jsonl", "a path cannot have . or .. after a placeholder"),
        ("{date:../%Y}.jsonl", "a path cannot have . or .. after a placeholder"),
    ],
)
def test_a_path_that_cannot_be_followed_is_refused(output, message, tmp_path):
    with pytest.raises(OutputError) as refused:
        open_sink(output, "t", tmp_path)
    assert message in str(refused.value)


@pytest.mark.parametrize("task", ["../x", "a/b", "..", ".hidden"])
def test_a_task_whose_name_leads_elsewhere_is_refused(task, tmp_path):
    with pytest.raises(OutputError, match="cannot be part of a path"):
        open_sink("out/{task}.jsonl", task, tmp_path)


def test_fields_are_chosen_and_renamed_and_rows_still_looked_up(tmp_path):
    fields = (("page", "canonical_url"), ("headline", "title"), ("words", "text"), ("seen", "fetched_at"))
    for suffix in ("jsonl", "jsonl.gz", "jsonl.zst", "csv", "tsv"):
        sink = opened(f"out.{suffix}", tmp_path, fields=fields)
        write(sink, row(1), again=False)
        write(sink, row(1), row(2))
        assert sink.has([written_row(row(number)) for number in (1, 2, 3)]) == [True, True, False]
        assert [one.key for one in sink.newest("t")] == [key_of(row(2)), key_of(row(1))]
    assert json.loads((tmp_path / "out.jsonl").read_bytes().splitlines()[0]) == {
        "page": row(1)["canonical_url"], "headline": "题 1", "words": row(1)["text"], "seen": row(1)["fetched_at"],
        "task": "t", "version": 1,
    }  # fmt: skip


def test_check_creates_the_file_and_writes_no_row(tmp_path):
    for output in ("a/b.jsonl", "a/b.jsonl.gz", "a/b.jsonl.zst", "a/b.csv"):
        open_sink(output, "t", tmp_path).check()
        assert (tmp_path / output).read_bytes() == b""
    open_sink("d/{date}.csv", "t", tmp_path).check()
    assert [path.name for path in (tmp_path / "d").glob("[!.]*")] == []


@pytest.mark.parametrize("output", ["out.jsonl", "out.jsonl.gz"])
def test_a_file_that_ends_in_very_much_that_is_no_row_is_reported_and_not_cut(tmp_path, output):
    path = tmp_path / output
    write(open_sink(output, "t", tmp_path), row(1))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size + (65 << 20))
    with pytest.raises(SinkUnavailable, match="move it away"):
        write(open_sink(output, "t", tmp_path), row(2))
    assert path.stat().st_size > 65 << 20
