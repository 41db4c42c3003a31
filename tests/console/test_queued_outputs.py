"""`exemplar run` with an output that gets its rows in batches."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.console.calls import IMPATIENT, edit
from tests.console.conftest import Exemplar
from tests.workers.http_receiver import Receiver, Request, answering

pytestmark = pytest.mark.timeout(120)
AWAY = "/zh-news"


def away(request: Request, connection: socket.socket) -> None:
    """Refuse the batches of one task only."""
    answering(503 if request.path == AWAY else 200)(request, connection)


def batches(receiver: Receiver, path: str) -> list[list[dict[str, Any]]]:
    """The rows of each batch that arrived at a path."""
    return [json.loads(request.body)["rows"] for request in receiver.requests if request.path == path]


def test_a_run_ends_when_all_rows_are_delivered_and_reports_a_target_that_is_away(
    folder: Path, exemplar: Exemplar
) -> None:
    with Receiver() as receiver:
        receiver.answer = away
        target = f"http://127.0.0.1:{receiver.port}/"
        file = folder / "tasks.yaml"
        file.write_text(file.read_text("utf-8").replace("out/articles.db", f"{target}{{task}}"), "utf-8")
        edit(folder, "defaults:\n", "defaults:\n  limit: 4\n")
        done = exemplar("run", "--once", "--json", **IMPATIENT).failed(1, "the receiver answered 503")
        assert "output unavailable; pages and rows are kept for the next run" in done.events[-1]["problems"]
        [rows] = batches(receiver, "/en-stories")  # one batch, at the end
        assert len({row["url"] for row in rows}) == len(rows) == done.accounting["en-stories"]["written"] > 0
        [state] = exemplar("status", "--json").events
        [output] = state["outputs"]
        waiting = done.accounting["zh-news"]["written"]
        assert (output["task"], output["waiting"]) == ("zh-news", waiting)
        assert "the receiver answered 503" in output["problem"]
        assert output["since"]
        [line] = [line for line in exemplar("status").out.splitlines() if "of zh-news" in line]
        assert line.startswith(f"output {target}zh-news of zh-news: {waiting} rows waiting since ")
        receiver.answer = answering(200)
        assert exemplar("run", "zh-news", "--once", "--json").code == 0
        assert (len(batches(receiver, AWAY)[-1]), len(batches(receiver, "/en-stories"))) == (waiting, 1)
        assert json.loads(exemplar("status", "--json").out)["outputs"] == []
