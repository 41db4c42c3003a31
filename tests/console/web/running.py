"""A real console as a process of its own, for tests with a browser."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_WAIT = 60.0  # seconds
STOP_WAIT = 60.0


@contextmanager
def running_console(tasks: Path, **environment: str) -> Iterator[str]:
    """Yield the address of a console for a task list, which need not exist."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {name: value for name, value in os.environ.items() if not name.startswith(("EXEMPLAR_", "REDIS_URL"))}
    with (tasks.parent / "console.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "console", "console", "--tasks", str(tasks), "--port", str(port)],
            env={**own, "EXEMPLAR_ALLOW_HOSTS": "127.0.0.1", **environment},
            stdout=log,
            stderr=log,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        limit = time.monotonic() + START_WAIT
        while not _answers(address):
            assert process.poll() is None, (tasks.parent / "console.log").read_text("utf-8")
            assert time.monotonic() < limit, "the console does not answer"
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(STOP_WAIT)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/login", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
