"""Processes of our programs that need not start Python and load our packages, which takes most of a second each time.

One process loads all modules, and each program is a fork of it, with a folder, an environment and files of its own. The
programs that such a program starts, spiders and extraction processes, are forks of it in turn.
`EXEMPLAR_TEST_LONG=1` (`tests.samples`) starts Python anew for each program.
"""

import atexit
import logging
import multiprocessing
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from multiprocessing.util import _exit_function  # type: ignore[attr-defined]  # typeshed leaves it out
from pathlib import Path
from typing import Any, Union
from unittest.mock import patch

from tests.samples import IS_LONG

# Variables so named may differ; Python has read the others. Tests whose LANG differs start Python anew.
OWN = (
    "EXEMPLAR_", "HOOK", "HTTP_PROXY", "KEY", "LC_ALL", "NUMBERS", "PASSWORD", "PATH", "PW", "PYTEST_", "PYTHONPATH",
    "REDIS_URL", "SCRAPY_", "SESSION", "TEST_", "all_proxy", "http_proxy",
)  # fmt: skip
PROGRAMS = (
    "console",
    "console.extraction_process",
    "crawler.scheduling.crawl_process",
)
CONSTANTS = "TEST_CONSTANTS"  # variable with numbers that a fork uses in place of ours: `package.module.NAME=1.5 …`
MOST_FILES = 4096  # that a process has open


def can_fork(environment: Mapping[str, str]) -> bool:
    """Whether a fork does the same as a new Python with this environment."""
    differing = {name for name in {*environment, *os.environ} if environment.get(name) != os.environ.get(name)}
    folders = {folder for folder in environment.get("PYTHONPATH", "").split(os.pathsep) if folder}
    return not IS_LONG and folders <= set(sys.path) and all(name.startswith(OWN) for name in differing)


class Fork:
    """`python -m PROGRAM ARGUMENTS`, with the part of `subprocess.Popen` that tests use."""

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

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; return its exit code. Raises `subprocess.TimeoutExpired`."""
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired([str(self.pid)], timeout or 0)
        return self.returncode

    def said(self) -> str:
        """What it has written to its standard error so far."""
        file = self._files / "2"
        return file.read_text("utf-8") if file.exists() else ""

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end; return what it wrote. Raises `subprocess.TimeoutExpired`."""
        self.wait(timeout)
        out, err = ((self._files / name).read_text("utf-8") if self._files.exists() else "" for name in "12")
        shutil.rmtree(self._files, ignore_errors=True)
        return out, err


Started = Union[Fork, "subprocess.Popen[str]"]


def start(program: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Started:
    """Start `python -m PROGRAM ARGUMENTS` in a folder; what it prints is for `communicate`."""
    if can_fork(environment):
        return Fork(program, arguments, folder, environment)
    command = [sys.executable, "-m", program, *arguments]
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(command, cwd=folder, env=environment, stdin=null, stdout=pipe, stderr=pipe, text=True)


def began(process: Started) -> None:
    """Wait until a program has written a line to its standard error, or has ended."""
    if not isinstance(process, Fork):
        assert process.stderr is not None
        process.stderr.readline()
        return
    while "\n" not in process.said() and process.poll() is None:
        time.sleep(0.05)


def _run(program: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], files: Path) -> None:
    os.chdir(folder)
    sys.path.insert(0, str(folder))  # as Python does for `-m`
    for number, flags in enumerate((os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT)):
        opened = os.open(files / str(number), flags | os.O_APPEND, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    try:
        with patch.object(subprocess, "Popen", ForkingPopen):
            sys.exit(_be(program, arguments, environment))
    finally:
        atexit._run_exitfuncs()


class ForkingPopen(subprocess.Popen[Any]):
    """What `subprocess.Popen` is in a fork: `programs` of our own that it starts are forks of it."""

    programs: Sequence[str] = PROGRAMS

    def __init__(self, command: Any, **options: Any) -> None:
        environment = dict(options.get("env") or os.environ)
        is_ours = isinstance(command, list) and command[:2] == [sys.executable, "-m"] and command[2] in self.programs
        if is_ours and can_fork(environment):
            prepare = options.get("preexec_fn")
            files = sorted(options.get("pass_fds", ()))
            options["preexec_fn"] = partial(_become, self.be, command[2], command[3:], environment, prepare, files)
        super().__init__(command, **options)

    @staticmethod
    def be(program: str, arguments: Sequence[str], environment: Mapping[str, str]) -> int:
        """Run `python -m PROGRAM ARGUMENTS` in a fork and return its exit code."""
        return _be(program, arguments, environment)


def _become(
    be: Callable[[str, Sequence[str], Mapping[str, str]], int],
    program: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    prepare: Callable[[], None] | None,
    files: Sequence[int],
) -> None:
    """Be another program in this process, a fork whose folder and standard files are set up. Does not return.

    `be`: runs the program. `prepare`: what is called first, as `subprocess` calls it before it starts a program.
    `files`: the open files that the program gets, in order.
    """
    if prepare is not None:
        prepare()
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for before, kept in zip([2, *files], [*files, MOST_FILES], strict=True):
        os.closerange(before + 1, kept)  # among them the pipe by which `subprocess` learns that the program has started
    atexit._clear()
    atexit.register(_exit_function)
    logging.getLogger().handlers.clear()
    code = 1
    try:
        code = be(program, arguments, environment)
    except BaseException:
        traceback.print_exc()
    finally:
        threading._shutdown()  # type: ignore[attr-defined]  # as at the end of Python: ends the threads of executors, too
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(code)


def _be(program: str, arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run `python -m PROGRAM ARGUMENTS` in this process and return its exit code."""
    os.environ.clear()
    os.environ.update(environment)
    for module, name, number in re.findall(r"([\w.]+)\.(\w+)=(\S+)", environment.get(CONSTANTS, "")):
        setattr(import_module(module), name, float(number))
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
    sys.argv = [program, *arguments]
    if not hasattr(sys.modules.get(program), "__path__"):
        sys.modules.pop(program, None)  # it is loaded anew, as the main module
    try:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0
        print(ended.code, file=sys.stderr)
        return 1
    return 0
