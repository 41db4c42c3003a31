"""The console while others hold connections open, guess passwords, and many tabs are open."""

import socket
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from console.web.connections import WAIT, WAITING_MOST
from tests.console.web.running import running_console

HALVES = (  # requests that are not complete
    b"",
    b"GET /login HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\npassword=",
    b"GET /login HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /login HTTP/1.1\r\n",
)
ATTACKERS = [f"127.0.0.{number}" for number in range(2, 6)]
HALF_OPEN = 600


def connect(home: str, begin: bytes, source: str = "127.0.0.1") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", urlsplit(home).port), 10, (source, 0))
    connection.sendall(begin)
    return connection


def is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        while connection.recv(65536):
            pass
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


@pytest.mark.timeout(120)
def test_half_open_connections_exclude_nobody(tmp_path: Path) -> None:
    with running_console(tmp_path / "tasks.yaml", EXEMPLAR_CONTACT="a@example.org") as home, ExitStack() as held:
        halves = [
            held.enter_context(connect(home, HALVES[number % len(HALVES)], ATTACKERS[number // 4 % len(ATTACKERS)]))
            for number in range(HALF_OPEN)
        ]
        began = time.monotonic()
        with urllib.request.urlopen(f"{home}/login", timeout=10) as answer:
            assert answer.status == 200
        assert sum(map(is_open, halves)) <= len(ATTACKERS) * WAITING_MOST
        while any(map(is_open, halves)):
            assert time.monotonic() - began < 4 * WAIT
            time.sleep(0.2)
