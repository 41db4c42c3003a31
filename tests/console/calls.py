"""Calls of the command line, each in a process of its own, as a user makes them; `tests.forks` starts most of them."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.forks import Fork, can_fork

LIMIT = 110.0  # seconds that a call may take


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
