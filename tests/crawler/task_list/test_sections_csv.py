"""Tasks from a spreadsheet, added to tasks.yaml."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crawler.task_list.edit import add_task, append_tasks
from crawler.task_list.file import load
from crawler.task_list.mistakes import TaskError, TaskFileError
from crawler.task_list.sections_csv import read_sections
from tests import samples

ROW = {"name": "a", "example": "http://h/a/1", "pattern": "/a/{id}"}
HEAD = "name,example,pattern\n"
LIST = """\
# our sections
defaults:
    every:   1h   # odd spacing stays
    output: out/{task}.jsonl
tasks:
    # the first
    first:
        example: 'http://h/1'
        pattern: "/{id}"
        # a comment inside

    # about the end of the list
# and of the file
settings:
    delay: 2
"""


@pytest.fixture
def tasks_yaml(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.yaml"
    path.write_text(LIST, encoding="utf-8")
    return path


def sheet(folder: Path, content: str | bytes) -> Path:
    path = folder / "sections.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def mistakes_of(folder: Path, content: str | bytes) -> list[str]:
    path = sheet(folder, content)
    with pytest.raises(TaskFileError) as caught:
        append_tasks(folder / "tasks.yaml", read_sections(path), sheet=str(path))
    return [line.removeprefix(f"{folder}/") for line in str(caught.value).splitlines()]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_spreadsheets_as_programs_save_them(tmp_path, encoding, delimiter):
    rows = [["名称", "示例", "规律", "周期"], ["快报", "http://h/1", "/{id}", "2h"], ["", "", "", ""]]
    text = "\r\n".join(delimiter.join(row) for row in rows)
    assert read_sections(sheet(tmp_path, text.encode(encoding))) == {
        2: {"name": "快报", "example": "http://h/1", "pattern": "/{id}", "every": "2h"}
    }


def test_a_cell_may_have_several_values(tmp_path):
    text = 'name,example,pattern,start,output\na,http://h/1,/{id},"http://h/b;c; /d\n/e",a.db; b.jsonl\n'
    keys = {"start": ["http://h/b;c", "/d", "/e"], "output": ["a.db", "b.jsonl"]}
    assert read_sections(sheet(tmp_path, text)) == {
        2: {"name": "a", "example": "http://h/1", "pattern": "/{id}"} | keys
    }


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", ":1:1: columns are missing: name"),
        ("name,example,patern\n", ":1:1: patern: unknown column; did you mean 'pattern'?"),
        ("名称,示例,规侓\n", ":1:1: 规侓: unknown column; known: 名称, 示例, 规律"),
        ("name,example\n", ":1:1: columns are missing: pattern (规律)"),
        (HEAD, ":1:1: no rows below the header"),
        (HEAD + ",http://h/1,/{id}\n", ":2:1: tasks.: a task's name may contain only"),
        (HEAD + "a,http://h/1,/{id},x\n", ":2:1: 'x': the column of this cell has no name"),
        ('name,example,pattern\n"a,http://h/1\n', ":2:1: not CSV"),
        (HEAD.encode() + b"\xff\xff\xff", "neither UTF-8 nor GB18030"),
        (b"PK\x03\x04", "a workbook, not CSV; save it as CSV UTF-8"),
        ("pattern,name,example\n/{idd},a,http://h/1\n", ":2:1: tasks.a.pattern: unknown placeholder {idd}"),
        (HEAD + "a,h.cn/1,/{id}\n", ":2:1: tasks.a.example: invalid URL 'h.cn/1'"),
        (HEAD + "a,http://h/1,/{id}\na,http://h/2,/{id}\n", ":3:1: tasks.a: duplicate name"),
        (HEAD + "first,http://h/2,/{id}\n", ":2:1: tasks.first: already exists with different keys"),
    ],
)
def test_mistake_names_row_and_key_and_nothing_is_written(tmp_path, tasks_yaml, content, says):
    says = f"sections.csv{says}" if says.startswith(":") else says
    assert any(says in line for line in mistakes_of(tmp_path, content))
    assert tasks_yaml.read_text(encoding="utf-8") == LIST


def test_no_such_spreadsheet_is_a_mistake_too(tmp_path):
    with pytest.raises(TaskFileError, match="cannot be read"):
        read_sections(tmp_path / "none.csv")


def test_the_rest_of_the_file_stays_as_it_is(tasks_yaml):
    assert append_tasks(tasks_yaml, {1: ROW | {"start": ["/a", "/b"], "keep": {"keywords": ["x: y"]}}}) == ["a"]
    added = """\
    a:
        example: http://h/a/1
        pattern: /a/{id}
        start:
            - /a
            - /b
        keep:
            keywords:
                - 'x: y'
"""
    before, comment, after = LIST.partition("        # a comment inside\n")
    assert tasks_yaml.read_text(encoding="utf-8") == before + comment + added + after


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("ending", ["", "\n"])
def test_a_list_at_the_end_of_the_file_grows(tasks_yaml, newline, ending):
    text = LIST.partition("        # a comment")[0].rstrip("\n") + ending
    tasks_yaml.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", newline).encode())
    append_tasks(tasks_yaml, {1: ROW})
    raw = tasks_yaml.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf#")
    assert raw.count(b"\r\n") in (0, raw.count(b"\n"))
    assert [*load(tasks_yaml).tasks] == ["first", "a"]


def test_what_is_there_already_is_passed_over(tasks_yaml):
    same = {"name": "first", "example": "http://h/1", "pattern": "/{id}", "every": "1h"}
    assert append_tasks(tasks_yaml, dict(enumerate([same, ROW], 1))) == ["a"]
    assert append_tasks(tasks_yaml, dict(enumerate([same, ROW], 1))) == []


def test_a_list_in_braces_is_refused(tasks_yaml):
    text = "defaults: {every: 1h, output: a.db}\ntasks: {b: {example: 'http://h/1', pattern: '/{id}'}}\n"
    tasks_yaml.write_text(text)
    with pytest.raises(TaskError, match="by hand"):
        append_tasks(tasks_yaml, {1: ROW})
    assert tasks_yaml.read_text() == text


def test_the_file_keeps_its_mode_and_a_link_stays_a_link(tasks_yaml, tmp_path):
    tasks_yaml.chmod(0o640)
    link = tmp_path / "link.yaml"
    link.symlink_to(tasks_yaml)
    append_tasks(link, {1: ROW})
    assert link.is_symlink()
    assert tasks_yaml.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


@settings(max_examples=samples.sample(30, 100))
@example(["one\x85", "a\u2028b\u2029"])
@given(st.lists(st.text(min_size=1).filter(lambda text: "\0" not in text), min_size=1, max_size=3, unique=True))
def test_any_text_comes_back_from_yaml(tmp_path_factory, words):
    file = tmp_path_factory.mktemp("csv") / "tasks.yaml"
    file.write_text(LIST, encoding="utf-8")
    append_tasks(file, {1: ROW | {"keep": words}})
    assert load(file).tasks["a"].keep.keywords == tuple(words)


def test_a_missing_list_is_made_with_its_first_task_or_not_at_all(tmp_path, monkeypatch):
    monkeypatch.setenv("EXEMPLAR_CONTACT", "a@b.org")
    file = tmp_path / "new.yaml"
    with pytest.raises(TaskFileError):
        add_task(file, ROW | {"every": "soon", "output": "a.db"})
    assert not file.exists()
    assert add_task(file, ROW | {"every": "1h", "output": "a.db"})
    assert ([*load(file).tasks], load(file).settings.contact) == (["a"], "a@b.org")
    assert not add_task(file, ROW | {"every": "1h", "output": "a.db"})
