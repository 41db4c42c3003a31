"""`exemplar export`: from which output, to which, and what it says; `exemplar schema`."""

import json
from functools import partial
from pathlib import Path

import jsonschema
import pytest

from tests.console.calls import call_here
from tests.console.conftest import Crawled, Exemplar
from tests.workers.test_rows import row
from tests.written_rows import rows_of
from workers.rows import Row
from workers.sinks.row_schema import FIELDS, row_schema

TASKS = """\
tasks:
  news:
    example: http://127.0.0.1/1
    pattern: /{id}
    every: 1h
    output:
      - {to: short.jsonl, fields: [url, title]}
      - {to: zh.jsonl, where: {language: zh}}
      - all.jsonl
      - rows.db
"""


def made(count: int, **more: object) -> list[Row]:
    return [row(task="news", canonical_url=f"http://a.example/{n}", **more) for n in range(count)]


def write_lines(path: Path, rows: list[Row]) -> None:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")


@pytest.fixture
def export(tmp_path: Path, in_process: Exemplar) -> Exemplar:
    """`exemplar export news` in a folder whose all.jsonl has rows of two tasks."""
    (tmp_path / "tasks.yaml").write_text(TASKS, "utf-8")
    write_lines(tmp_path / "all.jsonl", [*made(3), row(task="other"), *made(5)[3:]])
    return partial(in_process, "export", "news")


def test_another_kind_and_json(tmp_path: Path, export: Exemplar) -> None:
    done = export("--to", "${TARGET}", "--json", TARGET="sqlite:///deep/new.db?password=hunter2")
    assert json.loads(done.out) == {
        "task": "news", "from": "all.jsonl", "to": "${TARGET}", "read": 5, "written": 5, "left_out": 0, "refused": [],
    }  # fmt: skip
    assert "hunter2" not in done.out + done.err


def test_rows_since_a_day(tmp_path: Path, export: Exemplar) -> None:
    write_lines(
        tmp_path / "all.jsonl",
        [{**one, "fetched_at": f"2026-01-0{n + 1}T00:00:00+00:00"} for n, one in enumerate(made(5))],
    )
    export("--to", "new.jsonl", "--since", "2026-01-03")
    assert [one["fetched_at"][:10] for one in rows_of(tmp_path / "new.jsonl")] == [
        "2026-01-03",
        "2026-01-04",
        "2026-01-05",
    ]


def test_an_output_of_the_task_gets_what_tasks_yaml_says(tmp_path: Path, export: Exemplar) -> None:
    write_lines(tmp_path / "all.jsonl", [*made(3), *({**one, "language": "zh", "version": 2} for one in made(3))])
    done = export("--to", "zh.jsonl")
    assert done.out == "news: 3 rows from all.jsonl are in zh.jsonl, 3 left out by `where`\n"
    assert {one["version"] for one in rows_of(tmp_path / "zh.jsonl")} == {2}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--to a.docx", "--to: unknown kind of output .docx"),
        ("--to a.jsonl --from short.jsonl", "output short.jsonl has only some fields of the rows; name another with"),
        ("--to ./all.jsonl --from all.jsonl", "--from and --to are the same output: ./all.jsonl"),
        ("--to a.warc.gz", "--to a.warc.gz: rows have no pages; name an output of rows"),
        ("--to a.jsonl --from out/{foo}.jsonl", "--from: output out/{foo}.jsonl: unknown placeholder {foo}; known: "),
        ("--to a.jsonl --from x.docx", "rows cannot be read from x.docx; they can be read from jsonl, "),
    ],
)
def test_what_cannot_be_exported_is_refused(arguments: str, words: str, tmp_path: Path, export: Exemplar) -> None:
    export(*arguments.split()).failed(2, words)
    assert not (tmp_path / "a.jsonl").exists()


def test_an_unavailable_target_is_named(export: Exemplar) -> None:
    export("--to", "/proc/no/a.jsonl").failed(3, "cannot be written")


# The schema


def test_the_schema_of_a_row() -> None:
    assert json.loads(call_here("schema").out) == row_schema()


def test_the_rows_of_the_sample_site_fit_the_schema_and_can_be_exported(crawled: Crawled, in_process: Exemplar) -> None:
    tmp_path = crawled.folder
    rows = rows_of(tmp_path / "out/en-stories.jsonl")
    validator = jsonschema.Draft202012Validator(row_schema(), format_checker=jsonschema.FormatChecker())
    for one in rows:
        validator.validate(one)
        assert set(one) == set(FIELDS)
    in_process("export", "en-stories", "--to", "again.db").succeeded()
    assert in_process("export", "en-stories", "--from", "again.db", "--to", "again.jsonl").code == 0
    assert rows_of(tmp_path / "again.jsonl") == rows
