"""The command line as a new user meets it: mistakes, repeated commands, and edits after a run."""

import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path

import pytest
import redis
from rich.console import Console

from console.overview import TaskOverview
from console.progress import accounting_table
from console.runner import Accounting
from console.status_table import table
from evaluation.sample_site import Response
from tests.console.calls import AT_HOME, edit
from tests.console.conftest import Exemplar
from tests.console.test_add import EXAMPLES, LIST
from tests.console.test_add import here as here
from tests.forks import Fork
from tests.redis_servers import eventually
from tests.site.server import SiteServer
from tests.written_rows import rows_of
from workers.keys import SCHEDULE
from workers.page_store import LARGEST_PAGE
from workers.redis_access.embedded import Embedded
from workers.task_state.task_figures import TaskFigures
from workers.url_states import FINAL_STATES, OPEN_STATES, Counts

pytestmark = pytest.mark.timeout(240)
CRAWLED = ("zh-news: crawl finished", "en-stories: crawl finished")


def interrupted(process: Fork) -> int:
    """Press Ctrl-C; return the exit code. Again where a busy machine reads before it handles the first."""
    for _ in range(4):
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return process.wait(15)  # a busy machine takes seconds to end it; a second one would kill it then
    raise AssertionError("Ctrl-C does not end the question")


def test_ctrl_c_while_pages_are_read_ends_a_command(
    site: SiteServer, tmp_path: Path, environment: dict[str, str]
) -> None:
    is_asked, is_over = threading.Event(), threading.Event()
    site.override("/", answer=lambda request: (is_asked.set(), is_over.wait(60), Response(404, {}, b""))[2])
    process = Fork("console", ["add", site.url + EXAMPLES["zh"]], tmp_path, environment | AT_HOME)
    assert is_asked.wait(60)
    assert interrupted(process) == 130
    is_over.set()
    assert not (tmp_path / "tasks.yaml").exists()


# -- add


def test_pages_of_a_new_section_are_fetched_as_defaults_say(site: SiteServer, here: Path, exemplar: Exemplar) -> None:
    (here / "tasks.yaml").write_text(LIST.replace("tasks:", "defaults: {robots: false, every: 3h}\ntasks:"), "utf-8")
    assert exemplar("add", site.url + EXAMPLES["zh"]).code == 0
    assert "/robots.txt" not in [request.path for request in site.requests]
    assert "every: 1h" not in (here / "tasks.yaml").read_text("utf-8")


# -- try, check, extract


PAGE = f"<title>T</title><h1>T</h1><p>{'The ferry was late again today. ' * 20}</p>"


def test_an_output_with_a_suffix_is_a_file_that_a_repeated_run_replaces(tmp_path: Path, in_process: Exemplar) -> None:
    for name in ("page.html", "other.html"):
        (tmp_path / name).write_text(PAGE, "utf-8")
    for _ in range(2):
        done = in_process("extract", "page.html", "other.html", "--output", "res.json")
        assert (done.code, "wrote res.json: 2 pages" in done.err) == (0, True)
        assert [row["file"] for row in rows_of(tmp_path / "res.json")] == ["page.html", "other.html"]


def test_an_output_with_a_slash_is_a_folder_whose_files_a_repeated_run_replaces(
    tmp_path: Path, in_process: Exemplar
) -> None:
    (tmp_path / "page.html").write_text(PAGE, "utf-8")
    for _ in range(2):
        assert in_process("extract", "page.html", "--output", "texts/").code == 0
    assert [file.name for file in (tmp_path / "texts").iterdir()] == ["page.txt"]
    in_process("extract", "page.html", "--output", "page.html/").failed(2, "page.html is a file")
    in_process("extract", "page.html", "--output", "/proc/res.json").failed(1, "'/proc/res.json'")


@pytest.mark.parametrize("source", ["/dev/zero", "-"])
def test_input_without_an_end_is_refused(source: str, in_process: Exemplar) -> None:
    in_process("extract", source, stdin=bytes(LARGEST_PAGE + 1) if source == "-" else b"").failed(
        1, f"{source}: larger than 32 MB"
    )


# -- run


def test_a_run_of_chosen_tasks_runs_no_other_and_prints_lines_for_a_person(folder: Path, exemplar: Exemplar) -> None:
    edit(folder, "defaults:\n", "defaults:\n  limit: 2\n")
    done = exemplar("run", "zh-news", "--once").succeeded("zh-news starts now", "zh-news: crawl finished; ")
    assert "{" not in done.out
    assert done.out.splitlines()[-1] == "rows are in out/zh-news.jsonl, out/articles.db"
    assert [file.name for file in (folder / "out").glob("*.jsonl")] == ["zh-news.jsonl"]
    exemplar("run", "zh-new", "--once").failed(2, "did you mean 'zh-news'")


def test_a_run_starts_what_is_new_or_due_at_once(folder: Path, environment: dict[str, str]) -> None:
    edit(folder, "defaults:\n", "defaults:\n  limit: 2\n")
    with running(folder, environment) as process:
        read_until(process, "en-stories starts now", "zh-news starts now", *CRAWLED)
    let_the_next_run_be_far(folder)
    with running(folder, environment) as process:
        read_until(process, "zh-news starts next at ", "en-stories starts next at ")
        edit(folder, "  zh-news:", "  zh-again:")
        read_until(process, "zh-again starts now", "exemplar rename zh-news zh-again", "zh-again: crawl finished")


def let_the_next_run_be_far(folder: Path) -> None:
    with Embedded(folder / ".exemplar") as url, redis.Redis.from_url(url) as connection:
        connection.zadd(SCHEDULE, dict.fromkeys(connection.zrange(SCHEDULE, 0, -1), time.time() + 3000))


@contextmanager
def running(folder: Path, environment: dict[str, str], *arguments: str) -> Iterator[Fork]:
    """Run `exemplar run` while the block runs."""
    process = Fork("console", ["run", *arguments], folder, environment)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def read_until(process: Fork, *texts: str) -> None:
    """Wait until each of the texts was printed."""
    file = process._files / "1"
    eventually(file.exists)
    eventually(lambda: process.poll() is not None or all(text in file.read_text("utf-8") for text in texts), 100)
    printed = file.read_text("utf-8")
    assert [text for text in texts if text not in printed] == [], printed


def task_with(name: str, counts: Counts, **facts: float) -> dict[str, TaskOverview]:
    return {name: TaskOverview(name, "running", "1h", figures=TaskFigures(counts, None, ()), **facts)}


def test_names_are_whole_at_60_columns() -> None:
    tasks = task_with("the-news-of-harbour", Counts(7777, dict.fromkeys((*OPEN_STATES, *FINAL_STATES), 7777)))
    shown = StringIO()
    Console(file=shown, width=60).print(table(tasks, 60))
    accounting = Accounting()
    accounting.after = {
        "the-news-of-harbour": Counts(7777, dict.fromkeys((*OPEN_STATES, *FINAL_STATES), 0) | {"written": 7777})
    }
    Console(file=shown, width=60).print(accounting_table(accounting))
    assert shown.getvalue().count("the-news-of-harbour") == 2
    assert "…" not in shown.getvalue()
