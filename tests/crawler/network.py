"""Stands for the network of a child process: names get the answers that a test wants, and each connection is noted.

`python -m tests.crawler.network MODULE ARGUMENT…` runs a module behind it. From the environment: `TEST_NAMES`, JSON of
name → list of answers, each a list of addresses; the last answer stays. `TEST_CONNECTIONS`: a file that gets a line
`address port` for every connection that is begun, and `? name` for every name that is looked up.
"""

import json
import os
import runpy
import socket
import sys
from pathlib import Path
from typing import Any

NAMES, CONNECTIONS = "TEST_NAMES", "TEST_CONNECTIONS"

_getaddrinfo = socket.getaddrinfo
_connect, _connect_ex = socket.socket.connect, socket.socket.connect_ex


def install() -> None:
    """From now on, names and connections of this process are the test's."""
    answers: dict[str, list[list[str]]] = json.loads(os.environ.get(NAMES, "{}"))

    def getaddrinfo(host: Any, port: Any, *more: Any, **named: Any) -> Any:
        name = str(host).rstrip(".").lower()
        if name not in answers:
            return _getaddrinfo(host, port, *more, **named)
        _note(f"? {name}")
        now = answers[name].pop(0) if len(answers[name]) > 1 else answers[name][0]
        return [found for address in now for found in _getaddrinfo(address, port, *more, **named)]

    def connect(self: socket.socket, address: Any) -> None:
        _note_connection(self, address)
        _connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        _note_connection(self, address)
        return _connect_ex(self, address)

    socket.getaddrinfo = getaddrinfo
    changed: Any = socket.socket
    changed.connect, changed.connect_ex = connect, connect_ex


def connections(file: Path) -> list[tuple[str, int]]:
    """What a child connected to: address and port, in order."""
    lines = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
    return [(address, int(port)) for address, port in lines if address != "?"]


def lookups(file: Path) -> list[str]:
    """The test's names that a child looked up, in order."""
    return [line.split()[1] for line in file.read_text().splitlines() if line.startswith("?")]


def _note_connection(one: socket.socket, address: Any) -> None:
    if one.family in (socket.AF_INET, socket.AF_INET6):
        _note(f"{address[0]} {address[1]}")


def _note(line: str) -> None:
    if CONNECTIONS in os.environ:
        with Path(os.environ[CONNECTIONS]).open("a") as file:
            file.write(line + "\n")


if __name__ == "__main__":
    install()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
