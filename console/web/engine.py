"""The process `exemplar run` as a child of the console, for one machine: started and stopped by a click.

The console owns the embedded Redis, and the child uses it. The child ends with the console.
"""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

from console.web.snapshot import TaskListFile
from workers.processes import ended_by, ending_with_parent

STOP_WAIT = 30.0  # seconds until a run that does not end is killed
LOG_TAIL = 2000  # bytes of the log that are shown


class LocalRun:
    """Starts and stops `exemplar run` for a task list. `url`: of the Redis that it uses."""

    def __init__(self, url: str, tasks: TaskListFile, folder: Path):
        self.url, self.tasks = url, tasks
        self.log = folder / "run.log"
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._started = threading.Event()
        self._problem = ""

    @property
    def is_running(self) -> bool:
        """Whether the child is alive."""
        return self._process is not None and self._process.poll() is None

    @property
    def problem(self) -> str:
        """Return why the last run ended, with the end of its log; empty while it runs, or after it was stopped."""
        return "" if self.is_running else self._problem

    def start(self) -> None:
        """Start the child if it is not running."""
        with self._lock:
            if self.is_running:
                return
            self.log.parent.mkdir(parents=True, exist_ok=True)
            self._problem = ""
            self._started.clear()
            # The kernel ends a child when the *thread* that started it ends, so this thread waits for the child.
            threading.Thread(target=self._keep, name="local-run", daemon=True).start()
            self._started.wait(10.0)

    def stop(self) -> None:
        """End the child: spiders hand over the pages that they fetched, workers finish their present pages."""
        with self._lock:
            process = self._process
            if process is None or process.poll() is not None:
                return
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(STOP_WAIT)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            self._problem = ""

    def _keep(self) -> None:
        with self.log.open("wb") as log:
            self._process = process = self._start_child(log)
            self._started.set()
            code = process.wait()
        if code not in (0, -signal.SIGTERM):
            self._problem = f"{ended_by(code)}: {self._end_of_log()}"

    def _start_child(self, log: IO[bytes]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "console", "run", str(self.tasks.path), "--json"],
            env={**os.environ, "REDIS_URL": self.url},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
            preexec_fn=ending_with_parent(signal.SIGTERM),
        )

    def _end_of_log(self) -> str:
        try:
            return self.log.read_bytes()[-LOG_TAIL:].decode("utf-8", "replace").strip()
        except OSError:
            return ""
