"""Calls of the command line, each in a process of its own, as a user makes them.

Python and our packages take most of a second to start and load, and the tests of this folder make hundreds of calls. So
one process loads all modules, and each call is a fork of it, with the folder, environment and files of the call.
`EXEMPLAR_TEST_LONG=1` (`tests.samples`) starts Python anew for each call.
"""

import atexit
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.samples import IS_LONG

LIMIT = 110.0  # seconds that a call may take
OWN = ("EXEMPLAR_", "REDIS_URL", "PYTEST_")  # so begin variables that Python itself does not read


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
    """Call `exemplar` in a folder. The environment of a forked call differs from that of the tests in our variables."""
    differing = {name for name in {*environment, *os.environ} if environment.get(name) != os.environ.get(name)}
    if IS_LONG or not all(name.startswith(OWN) for name in differing):
        return _start(folder, environment, arguments, stdin)
    return _fork(folder, environment, arguments, stdin)


def _start(folder: Path, environment: Mapping[str, str], arguments: Sequence[str], stdin: bytes) -> Done:
    command = [sys.executable, "-m", "console", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, input=stdin, capture_output=True, timeout=LIMIT)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def _fork(folder: Path, environment: Mapping[str, str], arguments: Sequence[str], stdin: bytes) -> Done:
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(["tests.console.loaded"])
    with tempfile.TemporaryDirectory(prefix="call-") as files:
        (Path(files) / "0").write_bytes(stdin)
        process = forks.Process(target=_serve, args=(folder, dict(environment), arguments, Path(files)))
        process.start()
        process.join(LIMIT)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise TimeoutError(f"exemplar {' '.join(arguments)} takes more than {LIMIT:g} seconds")
        out, err = ((Path(files) / name).read_bytes().decode() for name in "12")
    return Done(process.exitcode, out, err)


def _serve(folder: Path, environment: Mapping[str, str], arguments: Sequence[str], files: Path) -> None:
    from console.cli import main

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, flags in enumerate((os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT | os.O_APPEND)):
        os.dup2(os.open(files / str(number), flags, 0o600), number)
    sys.stdin = os.fdopen(os.dup(0))
    sys.argv = ["exemplar", *arguments]
    try:
        main()
    finally:
        atexit._run_exitfuncs()
