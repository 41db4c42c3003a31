"""Calls of the command line: each in a process of its own, as a user makes them, or quickly in this one.

`tests.forks` starts most of the processes.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
from click.testing import CliRunner

from console.cli import main
from tests.forks import Fork, can_fork
from tests.redis_servers import eventually
from tests.written_rows import rows_so_far
from workers import redaction

LIMIT = 110.0  # seconds that a call may take
IMPATIENT = {  # a run gives up an output, and pages that are to be tried again, sooner
    "TEST_CONSTANTS": "console.runner.STUCK_AFTER_PROBLEM=4 crawler.run.section_articles.PATIENCE=1"
}
AT_HOME = {"EXEMPLAR_ALLOW_HOSTS": "127.0.0.1", "EXEMPLAR_CONTACT": "a@b.org"}  # what the sample site needs


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def accounting(self) -> dict[str, dict[str, Any]]:
        return {row["task"]: row for row in self.events[-1]["tasks"]}

    def succeeded(self, *texts: str) -> "Done":
        """Assert exit code 0, and that each text is printed."""
        assert (self.code, [text for text in texts if text not in self.out]) == (0, []), self.out + self.err
        return self

    def failed(self, code: int, *texts: str) -> "Done":
        """Assert an exit code, and that each text is in the messages, however their lines break; no traceback is."""
        said = " ".join(self.err.split())
        missing = [text for text in texts if text not in self.err and text not in said]
        assert (self.code, missing, "Traceback" in said) == (code, [], False), self.out + self.err
        return self


def call(folder: Path, environment: Mapping[str, str], arguments: Sequence[str], stdin: bytes = b"") -> Done:
    """Call `exemplar` in a folder. Raises `subprocess.TimeoutExpired` if it takes long."""
    if can_fork(environment):
        process = Fork("console", arguments, folder, environment, stdin)
        try:
            out, err = process.communicate(LIMIT)
        finally:
            process.kill()
        return Done(process.returncode or 0, out, err)
    command = [sys.executable, "-m", "console", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, input=stdin, capture_output=True, timeout=LIMIT)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def call_here(*arguments: str, stdin: bytes = b"", **variables: str) -> Done:
    """Call `exemplar` in the present folder and in this process: of commands that start no others."""
    own = {name: None for name in os.environ if name.startswith(("EXEMPLAR_", "REDIS_URL"))}
    with patch.object(sys, "argv", ["exemplar", *arguments]), patch.object(redaction, "_known", {}):
        done = CliRunner().invoke(click.Command("exemplar", callback=main), env=own | variables, input=stdin)
    if not isinstance(done.exception, SystemExit | None):
        raise AssertionError(done.output) from done.exception
    return Done(done.exit_code, done.stdout, done.stderr)


def edit(folder: Path, before: str, after: str) -> None:
    """Replace a text of the task list where it occurs first."""
    file = folder / "tasks.yaml"
    text = file.read_text("utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), "utf-8")


def until_written(folder: Path, number: int) -> None:
    """Wait until the tasks of the sample site have written some rows."""
    eventually(lambda: sum(map(rows_so_far, (folder / "out").glob("*.jsonl"))) >= number, 90)
