"""Blocks the network while stored pages are read: a peer that tries to fetch their images gets an error immediately."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch


@contextmanager
def offline() -> Iterator[None]:
    """Refuse names and connections within the block, in all threads."""
    with (
        patch.object(socket, "getaddrinfo", _refuse),
        patch.object(socket.socket, "connect", _refuse),
        patch.object(socket.socket, "connect_ex", _refuse),
    ):
        yield


def _refuse(*_: Any, **__: Any) -> Any:
    raise OSError("the evaluation works without the network")
