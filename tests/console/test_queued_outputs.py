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


def test_a_run_ends_when_all_rows_are_delivered_and_reports_a_target_that_is_away(
    queued: Path, exemplar: Exemplar
) -> None:
    present, away = queued / "targets" / "en-stories", queued / "targets" / "zh-news"
    away.mkdir(parents=True)
    (away / "away").touch()
    done = exemplar("run", "--once", "--json").failed(1, "is away")
    assert "output unavailable; pages and rows are kept for the next run" in done.events[-1]["problems"]
    rows = read_rows(present)
    assert len({row["url"] for row in rows}) == len(rows) == done.accounting["en-stories"]["written"] > 0
    assert len(read_batches(present)) == 1  # at the end, not before
    [state] = exemplar("status", "--json").events
    [output] = state["outputs"]
    waiting = done.accounting["zh-news"]["written"]
    assert (output["task"], output["waiting"]) == ("zh-news", waiting)
    assert output["problem"].endswith("is away")
    assert output["since"]
    [line] = [line for line in exemplar("status").out.splitlines() if "of zh-news" in line]
    assert line.startswith(f"output folder:targets/zh-news of zh-news: {waiting} rows waiting since ")
    (away / "away").unlink()
    assert exemplar("run", "zh-news", "--once", "--json").code == 0
    assert (len(read_rows(away)), len(read_rows(present))) == (waiting, len(rows))
    assert json.loads(exemplar("status", "--json").out)["outputs"] == []
