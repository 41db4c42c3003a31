"""`exemplar run` with an output that gets its rows in batches."""

import json
from pathlib import Path

import pytest

from tests.chaos.cluster import REPOSITORY, SHIM
from tests.console.conftest import Exemplar
from tests.workers.batch_folder import read_batches, read_rows

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def queued(folder: Path, environment: dict[str, str]) -> Path:
    """The sample site's tasks, each with a file and a target of batches."""
    file = folder / "tasks.yaml"
    text = file.read_text("utf-8").replace("      - out/articles.db\n", "      - 'folder:targets/{task}'\n")
    file.write_text(text, "utf-8")
    environment |= {"CHAOS_TARGETS": "1", "PYTHONPATH": f"{SHIM}:{REPOSITORY}"}
    return folder


def test_a_run_ends_when_all_rows_are_delivered(queued: Path, exemplar: Exemplar) -> None:
    done = exemplar("run", "--once", "--json").succeeded()
    for task, row in done.accounting.items():
        rows = read_rows(queued / "targets" / task)
        assert len({row["url"] for row in rows}) == len(rows) == row["written"] > 0
        assert len(read_batches(queued / "targets" / task)) == 1  # at the end, not before


def test_a_run_reports_a_target_that_is_away_and_the_next_one_delivers(queued: Path, exemplar: Exemplar) -> None:
    for task in ("zh-news", "en-stories"):
        (queued / "targets" / task).mkdir(parents=True, exist_ok=True)
        (queued / "targets" / task / "away").touch()
    done = exemplar("run", "--once", "--json").failed(1, "is away")
    assert "output unavailable; pages and rows are kept for the next run" in done.events[-1]["problems"]
    [state] = exemplar("status", "--json").events
    waiting = {row["task"]: row["waiting"] for row in state["outputs"]}
    assert waiting == {task: row["written"] for task, row in done.accounting.items()}
    assert all(row["problem"].endswith("is away") and row["since"] for row in state["outputs"])
    [line] = [line for line in exemplar("status").out.splitlines() if "of zh-news" in line]
    assert line.startswith(f"output folder:targets/zh-news of zh-news: {waiting['zh-news']} rows waiting since ")
    for task in waiting:
        (queued / "targets" / task / "away").unlink()
    assert exemplar("run", "--once", "--json").code == 0
    assert {task: len(read_rows(queued / "targets" / task)) for task in waiting} == waiting
    assert json.loads(exemplar("status", "--json").out)["outputs"] == []
