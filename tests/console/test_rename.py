"""`exemplar rename`: the rows that were written stay rows of the task, wherever its outputs are afterwards."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from console.commands import rename as rename_command
from console.web.api_types import ArticleQuery
from console.web.article_index import ArticleIndex
from console.web.config import ConsoleConfig
from console.web.data import ConsoleData
from crawler.task_list import edit
from crawler.task_list.file import load
from evaluation.sample_site import truth
from tests.console.calls import call_here
from tests.console.conftest import Crawled, Exemplar
from tests.written_rows import rows_of

pytestmark = pytest.mark.timeout(180)


def lines(*paths: Path) -> list[dict[str, object]]:
    return [row for path in paths for row in rows_of(path)]


def urls(folder: Path) -> list[object]:
    """The URLs of the rows in all lines of the task, under its former name and under the present one."""
    names = ("zh-news.jsonl", "zh-news.jsonl.1", "lanpu.jsonl", "lanpu.jsonl.1")
    return sorted(str(row["canonical_url"]) for row in lines(*(folder / "out" / name for name in names)))


def rotate(folder: Path) -> None:
    """Move a part of the rows aside, as `logrotate` does."""
    file = folder / "out" / "zh-news.jsonl"
    text = file.read_text("utf-8").splitlines(keepends=True)
    file.with_name("zh-news.jsonl.1").write_text("".join(text[:5]), "utf-8")
    file.write_text("".join(text[5:]), "utf-8")


def exported(exemplar: Exemplar, *options: str) -> int:
    done = exemplar("export", "lanpu", "--to", "all.csv", "--json", *options).succeeded()
    return int(done.events[0]["written"])


def indexed(folder: Path, task: str) -> int:
    """How many articles the console shows for a task."""
    data = ConsoleData.__new__(ConsoleData)
    data.config, data.index = ConsoleConfig(folder / "tasks.yaml"), ArticleIndex(folder / ".console")
    data._stopping = threading.Event()
    data.update_index()
    found = data.index.search(ArticleQuery(task=task), most=99)
    assert all(article.task == task for article in found.articles)
    return found.count


def test_all_readers_see_the_rows_of_a_renamed_task(crawled: Crawled, in_process: Exemplar) -> None:
    folder = crawled.folder
    rotate(folder)
    assert indexed(folder, "zh-news") == 16
    done = in_process("rename", "zh-news", "lanpu").succeeded()
    assert load(folder / "tasks.yaml")["lanpu"].outputs()[0] == "out/zh-news.jsonl"
    assert "the outputs stay where they are: out/zh-news.jsonl" in done.err
    assert len(lines(*(folder / "out").glob("zh-news.jsonl*"))) == 16
    assert exported(in_process) == 16
    assert exported(in_process, "--from", "out/articles.db") == 16
    assert (indexed(folder, "lanpu"), indexed(folder, "zh-news")) == (16, 0)
    assert load(folder / "tasks.yaml")["lanpu"].formerly == ("zh-news",)


def test_after_a_rename_nothing_is_written_twice_even_if_redis_is_emptied(crawled: Crawled, exemplar: Exemplar) -> None:
    folder = crawled.folder
    rotate(folder)
    before = urls(folder)
    assert exemplar("rename", "zh-news", "lanpu").code == 0
    asked = len(crawled.site.requests)
    assert exemplar("run", "lanpu", "--once").code == 0
    assert truth("zh")[0].path not in [request.path for request in crawled.site.requests[asked:]]
    assert urls(folder) == before
    shutil.rmtree(folder / ".exemplar")
    assert exemplar("run", "lanpu", "--once").code == 0
    assert urls(folder) == before


class Killed(BaseException):
    pass


STEPS = ("rename_kept_pages", "replace_text", "rename_task", "_publish")


def killed_after(step: Callable[..., object]) -> Callable[..., object]:
    def instead(*args: object, **more: object) -> object:
        step(*args, **more)
        raise Killed

    return instead


def test_a_rename_that_was_killed_is_completed_by_the_same_command(
    crawled: Crawled, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    rotate(crawled.folder)
    states = []
    for step in (None, *STEPS):
        folder = tmp_path_factory.mktemp("renamed")
        shutil.copytree(crawled.folder, folder, dirs_exist_ok=True)
        monkeypatch.chdir(folder)
        if step is not None:
            with monkeypatch.context() as broken:
                broken.setattr(rename_command, step, killed_after(getattr(rename_command, step)))
                with pytest.raises(Killed):
                    call_here("rename", "zh-news", "lanpu")
        call_here("rename", "zh-news", "lanpu").succeeded()
        states.append((step, renamed_state(folder)))
    _, whole = states[0]
    assert [step for step, state in states if state != whole] == []


def renamed_state(folder: Path) -> tuple[object, ...]:
    """The task list, the lines of all files of rows, and the counts of the ledgers."""
    written = {file.name: file.read_bytes() for file in (folder / "out").iterdir() if file.is_file()}
    [status] = call_here("status", "--json", "--tasks", str(folder / "tasks.yaml")).events
    counts = {task["task"]: (task["state"], task["counts"]) for task in status["tasks"]}
    return (folder / "tasks.yaml").read_text("utf-8"), written, counts


def test_a_rename_that_would_mix_two_tasks_is_refused(folder: Path, in_process: Exemplar) -> None:
    in_process("rename", "zh-news", "en-stories").failed(2, "already has a task en-stories")
    in_process("rename", "zh-new", "lanpu").failed(2, "did you mean 'zh-news'")


# What becomes of tasks.yaml

TASK = "example: http://a.example/1\n    pattern: /{id}\n    every: 1h\n"


def renamed(folder: Path, text: str, old: str = "news", new: str = "town", **choices: bool) -> str:
    file = folder / "tasks.yaml"
    file.write_bytes(text.encode())
    return edit.renamed_task(file, old, new, **({"has_run": True, "keeps_outputs": True} | choices))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_former_name_is_noted_and_takes_the_place_in_the_outputs(newline: str, tmp_path: Path) -> None:
    text = f"""tasks:
  news:
    {TASK}    output:
    - {{to: 'o/{{task}}.jsonl', fields: [url]}}  # short
    - a.db
    # of the delay
    delay: 2
  other:
    {TASK}    output: '{{task}}.jsonl'
"""
    changed = renamed(tmp_path, text.replace("\n", newline))
    wanted = text.replace("  news:\n", "  town:\n    formerly: [news]\n").replace(
        "output:\n    - {to: 'o/{task}.jsonl', fields: [url]}  # short\n    - a.db\n",
        "output: [{to: o/news.jsonl, fields: [url]}, a.db]\n",
    )
    assert changed == wanted.replace("\n", newline)


def test_outputs_of_the_defaults_become_those_of_the_task(tmp_path: Path) -> None:
    text = f"defaults:\n  output: [{{to: 'o/{{task}}.jsonl', batch: 9}}]\ntasks:\n  news:\n    {TASK}"
    changed = renamed(tmp_path, text.replace(", batch: 9", ", where: {language: zh}"))
    assert "    output: [{to: o/news.jsonl, where: {language: zh}}]\n" in changed
    assert "defaults:\n  output: [{to: 'o/{task}.jsonl', where: {language: zh}}]\n" in changed


def test_a_name_that_was_noted_before_stays_noted(tmp_path: Path) -> None:
    text = f"tasks:\n  news:\n    formerly: [old, town]\n    # of the example\n    {TASK}    output: a.jsonl\n"
    changed = renamed(tmp_path, text)
    assert changed == text.replace("news", "town").replace("[old, town]", "[news, old]")
    (tmp_path / "tasks.yaml").write_text(changed)
    assert edit.renamed_task(tmp_path / "tasks.yaml", "news", "town", has_run=True) == changed


def test_a_task_in_braces_is_renamed_too(tmp_path: Path) -> None:
    braces = "tasks:\n  news: {output: '{task}.jsonl', example: 'http://a.example/1', pattern: '/{id}', every: 1h}\n"
    changed = renamed(tmp_path, braces)
    assert changed == braces.replace("news: {", "town: {formerly: [news], ").replace("'{task}.jsonl'", "news.jsonl")
    moved_ = renamed(tmp_path, braces, keeps_outputs=False)
    assert moved_ == braces.replace("news: {", "town: {formerly: [news], ")
    assert renamed(tmp_path, braces, has_run=False, keeps_outputs=False) == braces.replace("news", "town")


def test_a_task_that_shares_its_keys_with_another_is_renamed_by_hand(tmp_path: Path) -> None:
    text = f"tasks:\n  a: &keys\n    {TASK}    output: a.db\n  news: *keys\n"
    with pytest.raises(edit.TaskError, match=r"by hand, give it the name town, the key formerly: \[news"):
        renamed(tmp_path, text)
    assert (tmp_path / "tasks.yaml").read_text() == text
