"""The command line as a user calls it: a process of its own, in a folder of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from console.sample_site import SiteServer, tasks_yaml


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


Exemplar = Callable[..., Done]


@pytest.fixture
def site() -> Iterator[SiteServer]:
    with SiteServer() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path, site: SiteServer) -> Path:
    (tmp_path / "tasks.yaml").write_text(tasks_yaml(site.url), "utf-8")
    return tmp_path


@pytest.fixture
def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("EXEMPLAR_", "REDIS_URL"))}


@pytest.fixture
def exemplar(tmp_path: Path, environment: dict[str, str]) -> Exemplar:
    def call(*arguments: str, stdin: bytes = b"", **variables: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "console", *arguments],
            cwd=tmp_path,
            env=environment | variables,
            input=stdin,
            capture_output=True,
            timeout=110,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call
