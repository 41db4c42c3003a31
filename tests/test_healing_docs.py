"""docs/healing.md: its task list is valid, and its commands do what they say, in their order, after a redesign."""

import shlex
from pathlib import Path

import pytest
import redis
from click.testing import CliRunner

from console.cli import exemplar
from crawler.task_list.file import loads
from tests.docs.documents import DOCS, blocks
from tests.workers.helpers import HandClock
from tests.workers.redesigned import RedesignedSection
from workers.redesign.proposals import proposal_of

TEXT = (DOCS / "healing.md").read_text("utf-8")
TASK = "en-stories"


def test_its_task_list_is_valid() -> None:
    [text] = blocks(TEXT, "yaml")
    assert loads(text)[TASK].redesign == "propose"


def test_its_commands_run(
    connection: "redis.Redis", redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = RedesignedSection(connection, tmp_path, HandClock(), task=TASK)
    section.come("classic", range(6))
    section.come("new", range(6, 10))
    section.worker.close()
    monkeypatch.setenv("REDIS_URL", redis_url)
    monkeypatch.chdir(tmp_path)
    proposal = proposal_of(connection, TASK)
    assert proposal is not None
    commands = [line for block in blocks(TEXT, "sh") for line in block.splitlines()]
    assert len(commands) >= 7
    states = []
    for command in commands:
        _, *arguments = shlex.split(command.replace("URL", proposal.url))
        done = CliRunner().invoke(exemplar, arguments)
        assert done.exit_code == 0, (command, done.output)
        proposal = proposal_of(connection, TASK)
        assert proposal is not None
        states.append(proposal.state)
    assert states[-2:] == ["dismissed", "adopted"]
