"""Markdown files: the suite of sinks, their names, and front matter."""

import json
import re

import pytest
import yaml

from tests.samples import sample
from tests.workers.naughty import NAUGHTY, as_stored, naughty_row, naughty_rows
from tests.workers.sink_suite import TornSuite, row, write
from workers.errors import OutputError
from workers.sinks import OutputOptions, open_sink
from workers.sinks.interface import written_row
from workers.sinks.markdown import TITLE_BYTES, file_name_of, front_matter, read_front_matter

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parts(path):
    """The front matter and the body of a file."""
    _, front, body = re.split(rb"^---\n", path.read_bytes(), maxsplit=2, flags=re.MULTILINE)
    return front.decode(), body.decode().removeprefix("\n")


def files(folder):
    return sorted(path for path in folder.rglob("*.md") if path.is_file())


def names(folder):
    return [path.name for path in files(folder)]


class TestMarkdown(TornSuite):
    """Each version in a file of its own; the front matter has the text, too."""

    test_a_file_that_was_moved_aside_is_begun_anew_and_read = None  # a file is an article
    fields = tuple((name, name) for name in naughty_row(0, "") if name != "blocks")

    def path(self, folder):
        return folder / "deep" / "{title}.{version}.md"

    def open(self, folder):
        options = OutputOptions(fields=self.fields)
        return open_sink("deep/{title}.{version}.md", "t", folder, options=options)

    def read(self, folder):
        return [yaml.load(parts(path)[0], LOADER) for path in files(folder / "deep")]

    def forget_unsynced(self, folder, keep):
        """Names of files may be on disk without their content, as an earlier version left them."""
        rows = sorted(self.read(folder), key=lambda one: one["canonical_url"])
        for path in files(folder):
            kept = [
                one
                for one in rows[:keep]
                if one["canonical_url"] == read_front_matter(path.read_bytes())["canonical_url"]
            ]
            if not kept:
                path.write_bytes(b"\0" * 100)
        [listed] = (folder / "deep").glob(".output-*/rows.jsonl")
        lines = listed.read_bytes().splitlines(keepends=True)
        listed.write_bytes(b"".join(lines[:keep]) + lines[keep][:50] + b"\0" * 700)

    def make_older(self, folder):
        for path in files(folder):
            path.write_bytes(re.sub(rb"^listed_on: .*\n", b"", path.read_bytes(), flags=re.MULTILINE))
        [listed] = (folder / "deep").glob(".output-*/rows.jsonl")
        rows = [json.loads(line) for line in listed.read_bytes().splitlines()]
        listed.write_text(
            "".join(json.dumps({k: v for k, v in one.items() if k != "listed_on"}) + "\n" for one in rows)
        )

    def test_naughty_rows_come_back(self, tmp_path):
        sink = open_sink("deep/{title}.{version}.md", "t", tmp_path, OutputOptions(fields=self.fields))
        rows = list(naughty_rows())[:: sample(7, 1)]  # each has a file, which is synchronised
        for start in range(0, len(rows), 10):
            write(sink, *rows[start : start + 10], again=False)
        write(sink, *rows[::7])
        stored = {one["canonical_url"]: one for one in self.read(tmp_path)}
        assert len(stored) == len(rows) == len(files(tmp_path))
        for was in rows:
            expected = json.loads(
                as_stored(json.dumps({k: v for k, v in was.items() if k != "blocks"}, ensure_ascii=False))
            )
            assert stored[was["canonical_url"]] == expected
        assert sink.has([written_row(one) for one in rows]) == [True] * len(rows)
        assert all(path.parent == tmp_path / "deep" for path in files(tmp_path))


def test_front_matter_is_read_alike_by_others_and_by_us():
    texts = [as_stored(text) for text in NAUGHTY if len(text) < 5000]
    fields = {f"t{number}": text for number, text in enumerate(texts)}
    fields |= {"list": texts[:50], "nested": [{"a\u2028": texts[9], "n": None}], "y": 1e-05, "NO": 1e300, "a b: c": 0.5}
    fields |= {"no": True, "none": None, "number": -3, "12:30": [], "": {}}
    text = front_matter(fields)
    inner = text.removeprefix("---\n").removesuffix("---\n")
    assert yaml.load(inner, LOADER) == fields
    assert read_front_matter(text.encode()) == fields


def test_any_title_becomes_a_safe_file_name():
    unsafe = re.compile(r'[\x00-\x1f\x7f-\x9f/\\:*?"<>|\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]')
    for text in (*NAUGHTY, None):
        name = file_name_of(text)
        assert 0 < len(name.encode()) <= TITLE_BYTES
        assert not name.startswith((".", "-", " ", "~/")), name
        assert not name.endswith((".", " ")), name
        assert not unsafe.search(name), name
        assert name not in ("con", "CON", "NUL")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("中文，标点。“引号” 题", "中文，标点。“引号”-题"),
        ("../../etc/passwd", "etc-passwd"),
        ("a/b\\c: d?", "a-b-c-d"),
        (".hidden", "hidden"),
        ("", "untitled"),
        ("CON", "CON_"),
        ("长" * 100, "长" * 26),
        ("e\u0301", "é"),
    ],
)
def test_what_a_title_becomes(title, name):
    assert file_name_of(title) == name


def test_articles_of_one_title_have_files_of_their_own(tmp_path):
    sink = open_sink("{date}/{title}.md", "t", tmp_path)
    write(sink, row(1, title="A"), row(2, title="A"))
    write(sink, row(3, title="A"))
    write(open_sink("{date}/{title}.md", "t", tmp_path), row(1, title="A"), row(2, title="A"), row(3, title="A"))
    assert len(names(tmp_path)) == 3
    assert all(re.fullmatch(r"A(-[0-9a-f]{12})?\.md", name) for name in names(tmp_path / "2026-03-12"))
    assert "A.md" in names(tmp_path)


def test_a_new_version_replaces_the_file_also_under_another_title_and_day(tmp_path):
    sink = open_sink("{date}/{title}.md", "t", tmp_path)
    write(sink, row(1, title="A"), again=False)
    newer = row(1, title="B", version=2, fetched_at="2026-04-01T00:00:00+00:00", content_hash="2")
    write(sink, newer, again=False)
    write(sink, row(1, title="A"), newer)
    [path] = files(tmp_path)
    assert path == tmp_path / "2026-03-12" / "A.md"
    assert yaml.load(parts(path)[0], LOADER)["title"] == "B"
    assert sink.has([written_row(row(1)), written_row(newer)]) == [True, True]


def test_a_file_of_a_person_is_never_replaced(tmp_path):
    (tmp_path / "A.md").write_text("my notes")
    sink = open_sink("{title}.md", "t", tmp_path)
    write(sink, row(1, title="A"))
    write(sink, row(1, title="A"))
    assert (tmp_path / "A.md").read_text() == "my notes"
    assert len(names(tmp_path)) == 2


def test_a_row_whose_file_was_removed_is_not_there_and_may_be_written_again(tmp_path):
    sink = open_sink("{title}.md", "t", tmp_path)
    write(sink, row(1))
    files(tmp_path)[0].unlink()
    assert sink.has([written_row(row(1))]) == [False]
    assert list(sink.newest("t")) == []
    write(sink, row(1))
    assert len(files(tmp_path)) == 1


@pytest.mark.parametrize(
    ("output", "message"),
    [("notes.md", "add {title} or {id}"), ("{author}.md", "unknown placeholder {author}")],
)
def test_what_is_wrong_is_said(tmp_path, output, message):
    with pytest.raises(OutputError) as refused:
        open_sink(output, "t", tmp_path)
    assert message in str(refused.value)


def test_check_writes_no_article(tmp_path):
    open_sink("out/{title}.md", "t", tmp_path).check()
    assert files(tmp_path) == []
    assert [path for path in (tmp_path / "out").iterdir() if not path.name.startswith(".")] == []
