"""`exemplar check` tries the outputs: what it creates, what it says, and that it ends in time."""

import json
import shutil
import threading
import time
from functools import partial
from pathlib import Path

import pytest
import redis

from console.output_checks import OutputToTry, TriedOutput, emptied_outputs, outputs_to_try, try_output, try_outputs
from crawler.task_list.file import loads
from tests.console.conftest import Crawled, Exemplar
from tests.workers.test_rows import row
from workers.errors import SinkUnavailable
from workers.ledger import Ledger
from workers.sinks import KINDS, Kind
from workers.sinks.kinds import Target
from workers.url_states import Found, fingerprint

TASK = "    example: http://127.0.0.1/1\n    pattern: /{id}\n    every: 1h\n"
SECRET = "hunter2"
ROW = json.dumps(row(task="news")) + "\n"


@pytest.fixture
def check(in_process: Exemplar) -> Exemplar:
    """`exemplar check` in a folder of its own, in this process."""
    return partial(in_process, "check")


def write_tasks(folder: Path, *outputs: str, more: str = "") -> Path:
    """Write a task list with a task for each of `outputs`."""
    tasks = "".join(f"  t{number}:\n{TASK}    output: {output}\n" for number, output in enumerate(outputs))
    file = folder / "tasks.yaml"
    file.write_text(f"settings: {{contact: 'a@b.example'}}\ntasks:\n{tasks}{more}", "utf-8")
    return file


def test_an_unavailable_output_is_named_with_its_task(tmp_path: Path, check: Exemplar) -> None:
    (tmp_path / "file").touch()
    write_tasks(tmp_path, "good.jsonl", "file/{task}.jsonl")
    done = check().failed(3, "unavailable: task t1: output file/t1.jsonl: ")
    assert "2 outputs tried, 1 of them failed" in done.out
    result = json.loads(check("--json").out)
    assert (result["ok"], [row["outcome"] for row in result["outputs"]]) == (False, ["ok", "unavailable"])


def test_an_output_that_cannot_work_as_written_counts_as_a_mistake(tmp_path: Path, check: Exemplar) -> None:
    write_tasks(tmp_path, "'${NOT_SET_ANYWHERE}'", "'${ROWS}'")
    done = check(ROWS="rows.docx").failed(2)
    assert done.err.count("NOT_SET_ANYWHERE is not set") == 1
    assert "invalid: task t1: output ${ROWS}: unknown kind of output" in done.err


def test_a_password_in_the_file_is_noted_and_never_shown(tmp_path: Path, check: Exemplar) -> None:
    write_tasks(tmp_path, f"'sqlite:///a.db?password={SECRET}'")
    for arguments in ([], ["--json"], ["--no-outputs"]):
        done = check(*arguments)
        text = done.out + done.err
        assert "output sqlite:///a.db?password=*** contains a password, token or key; write ${NAME}" in text
        assert SECRET not in text


def test_tasks_that_share_an_output_try_it_once() -> None:
    text = f"tasks:\n{''.join(f'  t{n}:{chr(10)}{TASK}    output: a.db{chr(10)}' for n in range(5))}"
    [output] = outputs_to_try(loads(text))
    assert output.name == "tasks t0, t1, t2 and 2 more: output a.db"


def tries(*names: str) -> list[OutputToTry]:
    return [OutputToTry(name, ("t",), Path()) for name in names]


def test_an_output_that_does_not_answer_does_not_hold_up_the_others() -> None:
    release = threading.Event()

    def try_one(output: OutputToTry) -> TriedOutput:
        if output.output == "stalls":
            release.wait(60)
        return TriedOutput(output, "ok")

    outputs = tries("a", "stalls", "b", "stalls", "c", "d")
    started = time.monotonic()
    results = try_outputs(outputs, limit=0.3, at_a_time=2, try_one=try_one)
    release.set()
    assert time.monotonic() - started < 5
    assert [result.of for result in results] == outputs
    assert [result.outcome for result in results] == ["ok", "unavailable", "ok", "unavailable", "ok", "ok"]
    assert results[1].problem == "no answer within 0.3 seconds"


@pytest.mark.parametrize("error", [SinkUnavailable, RuntimeError])
def test_no_error_of_a_library_shows_a_secret(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(target: Target) -> object:
        raise error(f"cannot connect to {target.address}: wrong password {SECRET!r}")

    kind = Kind("broken", "nothing:nothing", schemes=("broken",))
    monkeypatch.setitem(KINDS, "broken", kind)
    monkeypatch.setattr(Kind, "open", lambda self, target: opened(target))
    monkeypatch.setenv("BROKEN", f"broken://me:{SECRET}@h/x")
    for output in ("${BROKEN}", f"broken://me:{SECRET}@h/x"):
        result = try_output(OutputToTry(output, ("t",), Path()))
        assert result.outcome == "unavailable"
        assert SECRET not in f"{result.problem} {result.of.name}"
        assert "cannot connect to broken://me:***@h/x" in result.problem


DELETED = [
    ("out", ["zh-news: output out/zh-news.jsonl", "zh-news: output out/articles.db"]),
    ("out/zh-news.jsonl", ["zh-news: output out/zh-news.jsonl"]),
]


@pytest.mark.parametrize(("place", "outputs"), DELETED)
def test_outputs_that_lost_their_rows_are_named(
    place: str, outputs: list[str], crawled: Crawled, in_process: Exemplar
) -> None:
    assert "has no row" not in in_process("status").out + in_process("check").err
    deleted = crawled.folder / place
    shutil.rmtree(deleted) if deleted.is_dir() else deleted.unlink()
    for done in (in_process("status"), in_process("check"), in_process("status")):  # `check` creates the files again
        said = " ".join(f"{done.out} {done.err}".split())
        assert done.code == 0, done.err
        assert said.count(" has no row, but 16 URLs count as written") == len(outputs)
        assert all(f"task {output} has no row" in said for output in outputs)
        assert "exemplar export zh-news --to out/zh-news.jsonl; to fetch them again: exemplar forget zh-news" in said
    assert json.loads(in_process("status", "--json").out)["emptied"]


@pytest.mark.parametrize(
    ("output", "files", "is_empty"),
    [
        ("a.csv", {}, True), ("a.csv", {"a.csv": ""}, True), ("a.csv", {"a.csv": "x"}, False),
        ("a.csv", {"a.csv": "", "a.csv.1": "x"}, False), ("p/{date}.csv", {"p/.output-1/lock": "x"}, True),
        ("p/{date}.csv", {"p/2026-01-01.csv": "x"}, False), ("a.jsonl", {"a.jsonl.1": ROW}, False),
        ("a.jsonl", {"a.jsonl": ""}, True), ("{to: a.csv, where: {language: zh}}", {}, False),
        ("webhook+http://127.0.0.1:9/", {}, False), ("{to: a.jsonl, fields: [title]}", {"a.jsonl": ""}, True),
        ("{to: a.jsonl, fields: [title]}", {"a.jsonl": '{"title": "A"}'}, False),
    ],
)  # fmt: skip
def test_a_file_output_without_a_row_has_lost_them_if_urls_count_as_written(
    output: str, files: dict[str, str], is_empty: bool, connection: redis.Redis, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    keys = "example: http://127.0.0.1/1\n    pattern: /{id}\n    every: 1h\n"
    tasks = loads(f"tasks:\n  news:\n    {keys}    output: {output}\n", folder=tmp_path)
    assert emptied_outputs(tasks, connection) == []
    ledger = Ledger(connection, "news")
    ledger.add([Found("http://127.0.0.1/1", 0.0)])
    ledger.settle(fingerprint("http://127.0.0.1/1"), "written", "")
    assert bool(emptied_outputs(tasks, connection)) is is_empty
