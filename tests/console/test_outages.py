"""What a user sees of a Redis or an output that is away for a while: one line when it begins, one when it is over."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.console.calls import edit, until_written
from tests.console.conftest import Exemplar
from tests.forks import Started, start
from tests.redis_servers import eventually
from tests.workers.servers import Server
from workers.redis_access.connection import client
from workers.reporting.present_problems import present_problems

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


def running(folder: Path, environment: dict[str, str], *arguments: str) -> Started:
    return start("console", ["run", "--json", *arguments], folder, environment)


def test_a_run_waits_for_a_redis_that_is_away_and_says_so_once(
    folder: Path, environment: dict[str, str], server: Server
) -> None:
    edit(folder, "delay: 0", "delay: 0.2")
    process = running(folder, environment | {"REDIS_URL": server.url})
    try:
        until_written(folder, 2)
        server.kill()
        time.sleep(8.0)  # longer than a command is repeated; several tries follow, of which one line is said
        server.start()
        until_written(folder, 12)
    finally:
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    texts = [event["text"] for event in map(json.loads, out.splitlines()) if event["event"] == "trouble"]
    assert len([text for text in texts if text.startswith("Redis is unavailable")]) == 1
    assert len([text for text in texts if text.startswith("Redis is available again")]) == 1
    healed = [text for text in texts if "were added to the ledger" in text]  # a row whose URL was not settled in time
    assert len(texts) == 2 + len(healed), "\n".join(texts)


def test_an_output_that_is_away_for_a_while_is_one_line_and_then_over(
    folder: Path, environment: dict[str, str], exemplar: Exemplar, server: Server
) -> None:
    (folder / "out").write_text("a file where a folder should be")
    process = running(folder, environment | {"REDIS_URL": server.url})
    connection = client(server.url)
    try:
        eventually(lambda: present_problems(connection), 90)
        problems = json.loads(exemplar("status", "--json", REDIS_URL=server.url).out)["problems"]
        assert "cannot be written" in problems[0]["text"]
        shown = exemplar("status", REDIS_URL=server.url).out
        assert "problem: " in shown
        assert "pages/s" in shown
        (folder / "out").unlink()
        until_written(folder, 16)
        eventually(lambda: not present_problems(connection), 90)
    finally:
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    events = [json.loads(line) for line in out.splitlines()]
    began = [event["text"] for event in events if event["event"] == "trouble"]
    ended = [event["text"] for event in events if event["event"] == "over"]
    assert sorted(began) == sorted(ended)
    assert len(set(began)) == len(began)
    assert events[-1]["problems"] == []
