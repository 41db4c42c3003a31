"""A real console as a process of its own, for tests with a browser."""

import os
import signal
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.forks import start
from tests.redis_servers import free_port

START_WAIT = 60.0  # seconds
STOP_WAIT = 60.0
WAIT = 90_000  # milliseconds; a loaded machine runs a task in a quarter of it


@contextmanager
def running_console(tasks: Path, *, stop: signal.Signals = signal.SIGTERM, **environment: str) -> Iterator[str]:
    """Yield the address of a console for a task list, which need not exist; then stop it and expect exit code 0."""
    port = free_port()
    own = {name: value for name, value in os.environ.items() if not name.startswith(("EXEMPLAR_", "REDIS_URL"))}
    variables = {**own, "EXEMPLAR_ALLOW_HOSTS": "127.0.0.1", **environment}
    process = start("console", ["console", "--tasks", str(tasks), "--port", str(port)], tasks.parent, variables)
    address = f"http://127.0.0.1:{port}"
    try:
        limit = time.monotonic() + START_WAIT
        while not _answers(address):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < limit, "the console does not answer"
            time.sleep(0.1)
        yield address
    finally:
        process.send_signal(stop)
        said = process.communicate(timeout=STOP_WAIT)
    assert process.returncode == 0, said


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/login", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def wait_for(page: Page, address: str, text: str) -> None:
    """Wait until a page has a text, and show it."""
    for _ in range(WAIT // 1000):
        if text in unescape(page.request.get(address).text()):  # much less work than to show it
            page.goto(address)
            if text in page.inner_text("main"):
                return
        page.wait_for_timeout(1000)
    page.goto(address)
    pytest.fail(f"{text!r} is not on {address}: {page.inner_text('main')}")
