"""One task of tasks.yaml is changed as text; everything else stays as it is."""

from pathlib import Path

import pytest

from crawler.task_list.change import changed_task, task_block
from crawler.task_list.file import load
from crawler.task_list.mistakes import TaskError, TaskFileError

TEXT = """\
# the list of the harbour office
defaults:
  every: 1h
tasks:
  news:   # the main one
    example: https://a.example/n/1.html
    pattern: https://a.example/n/{id}.html

    # weekly digest too
    output:
      - out/{task}.jsonl
  # about the next one
  notices:
      example: https://a.example/o/1.html
      pattern: https://a.example/o/{id}.html
      output: out/{task}.jsonl

settings:
  contact: https://example.org/x
"""
NEWS = """\
example: https://a.example/n/1.html
pattern: https://a.example/n/{id}.html

# weekly digest too
output:
  - out/{task}.jsonl
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.yaml"
    path.write_text(TEXT, "utf-8")
    return path


@pytest.mark.parametrize("name", ["news", "notices"])
def test_the_same_keys_leave_the_file_as_it_is(file: Path, name: str) -> None:
    assert not changed_task(file, name, task_block(file, name))
    assert file.read_text("utf-8") == TEXT


@pytest.mark.parametrize("name", ["news", "notices"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_only_the_changed_line_differs(file: Path, name: str, mark: str) -> None:
    file.write_text(mark + TEXT, "utf-8")
    assert changed_task(file, name, task_block(file, name) + "every: 2h\n")
    after = file.read_text("utf-8")
    added = {*after.splitlines()} - {*(mark + TEXT).splitlines()}
    assert {line.strip() for line in added} == {"every: 2h"}
    assert str(load(file)[name].every) == "2h"
    assert after.startswith(mark + "# the list")


@pytest.mark.parametrize(
    ("block", "error"),
    [
        (NEWS + "every: soon\n", TaskFileError),
        ("example: [\n", TaskFileError),
        (NEWS + "x: 1\n", TaskFileError),
    ],
)
def test_a_mistake_leaves_the_file_as_it_is(file: Path, block: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        changed_task(file, "news", block)
    assert file.read_text("utf-8") == TEXT


def test_a_mistake_has_its_place_in_the_new_keys(file: Path) -> None:
    with pytest.raises(TaskFileError) as caught:
        changed_task(file, "news", NEWS + "every: soon\n")
    [found] = caught.value.mistakes
    assert (found.file, found.line, found.column) == ("news", NEWS.count("\n") + 1, 8)


def test_an_unknown_task_is_an_error(file: Path) -> None:
    with pytest.raises(TaskError, match="did you mean 'news'"):
        task_block(file, "nws")
    with pytest.raises(TaskError, match="cannot be read"):
        task_block(file.parent / "none.yaml", "news")


def test_a_task_in_braces_is_changed_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "tasks.yaml"
    keys = "example: 'https://a.example/1.html', pattern: 'https://a.example/{id}.html', every: 1h, output: a.jsonl"
    file.write_text(f"tasks:\n  news: {{{keys}}}\n", "utf-8")
    with pytest.raises(TaskError, match="by hand"):
        task_block(file, "news")
