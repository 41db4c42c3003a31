"""Processes of our programs that need not start Python and load our packages, which takes most of a second each time.

One process loads all modules, and each program is a fork of it, with a folder, an environment and files of its own.
`EXEMPLAR_TEST_LONG=1` (`tests.samples`) starts Python anew for each program.
"""

import atexit
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from tests.samples import IS_LONG

OWN = ("EXEMPLAR_", "REDIS_URL", "PYTEST_", "PYTHONPATH")  # variables so named may differ; Python has read the others


def can_fork(environment: Mapping[str, str]) -> bool:
    """Whether a fork does the same as a new Python with this environment."""
    differing = {name for name in {*environment, *os.environ} if environment.get(name) != os.environ.get(name)}
    folders = {folder for folder in environment.get("PYTHONPATH", "").split(os.pathsep) if folder}
    return not IS_LONG and folders <= set(sys.path) and all(name.startswith(OWN) for name in differing)


class Fork:
    """A process that calls a function, with the part of `subprocess.Popen` that tests use.

    `program`: MODULE:FUNCTION; its result is the exit code.
    """

    def __init__(
        self, program: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: bytes = b""
    ) -> None:
        forks = multiprocessing.get_context("forkserver")
        forks.set_forkserver_preload(["tests.loaded"])
        self._files = Path(tempfile.mkdtemp(prefix="fork-"))
        (self._files / "0").write_bytes(stdin)
        self._process = forks.Process(target=_run, args=(program, arguments, folder, dict(environment), self._files))
        self._process.start()
        self.pid: int = self._process.pid or 0

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end; return what it wrote. Raises `subprocess.TimeoutExpired`."""
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired([str(self.pid)], timeout or 0)
        out, err = ((self._files / name).read_text("utf-8") if self._files.exists() else "" for name in "12")
        shutil.rmtree(self._files, ignore_errors=True)
        return out, err


def _run(program: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], files: Path) -> None:
    module, _, function = program.partition(":")
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, flags in enumerate((os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT)):
        opened = os.open(files / str(number), flags | os.O_APPEND, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(os.dup(0))
    sys.argv = [module, *arguments]
    try:
        sys.exit(getattr(import_module(module), function)())
    finally:
        atexit._run_exitfuncs()
