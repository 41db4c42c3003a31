"""The console owns the embedded Redis of a folder, and other commands use it meanwhile."""

import signal
import urllib.request
from pathlib import Path

import pytest

from tests.console.conftest import Exemplar
from tests.console.web.running import running_console

TASK = """\
tasks:
  news:
    example: http://127.0.0.1:9/a/1.html
    pattern: http://127.0.0.1:9/a/{id}.html
    every: 1h
    output: out/{task}.jsonl
"""


@pytest.mark.timeout(240)
def test_other_commands_share_its_redis_and_a_run_is_sent_there(tmp_path: Path, exemplar: Exemplar) -> None:
    (tmp_path / "tasks.yaml").write_text(TASK, "utf-8")
    with running_console(tmp_path / "tasks.yaml", stop=signal.SIGINT) as home:
        assert exemplar("status", "--json").code == 0
        exemplar("run", "--once").failed(3, "start the tasks there")
        exemplar("console", "--port", "1").failed(3, "`exemplar console` (process", "; stop it first")
        exemplar("console", "--host", "0.0.0.0").failed(2, "EXEMPLAR_CONSOLE_PASSWORD")
        with urllib.request.urlopen(home) as answer:
            assert "news" in answer.read().decode()
    assert (tmp_path / ".exemplar" / "owner.json").read_text("utf-8") == ""  # it ended in order
