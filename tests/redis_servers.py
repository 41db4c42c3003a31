"""Redis servers of a test's own: with little memory, a password, an ACL file, TLS, or Sentinels."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis

from workers.processes import ending_with_parent
from workers.redis_access.embedded import answers
from workers.redis_access.redis_binary import installed_binaries

SYSTEM = shutil.which("redis-server")
BINARIES = [str(binary.path) for binary in installed_binaries()]
START_WAIT = 60.0  # seconds, on a loaded machine


def started(binary: str, folder: Path, *options: str, **more: str) -> "subprocess.Popen[bytes]":
    """Start a server on the unix socket `s` of a folder, and wait until it answers. `more`: environment variables."""
    command = [binary, "--port", "0", "--unixsocket", str(folder / "s"), "--save", "", "--dir", str(folder), *options]
    return _up(command, lambda: answers(f"unix://{folder / 's'}"), **more)


@contextmanager
def running(binary: str, *options: str, **more: str) -> Iterator[str]:
    """Yield the URL of a server on a unix socket that runs with these options. `more`: environment variables."""
    with tempfile.TemporaryDirectory(prefix="rd-") as folder:
        server = started(binary, Path(folder), *options, **more)
        try:
            yield f"unix://{folder}/s"
        finally:
            server.kill()
            server.wait()


def free_port() -> int:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return int(unused.getsockname()[1])


@contextmanager
def redis_server(
    folder: Path, port: int, *options: str, binary: str = BINARIES[0], wait_for: int = 0
) -> Iterator["subprocess.Popen[bytes]"]:
    """A server on 127.0.0.1 that keeps its files in `folder`; it is up when the block begins, and ended after it.

    `wait_for`: the port at which it is expected, if not `port`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    arguments = [
        binary, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder),
        "--repl-diskless-sync-delay", "0", *options,
    ]  # fmt: skip
    with _running(arguments, wait_for or port) as process:
        yield process


@contextmanager
def sentinel(folder: Path, port: int, service: str, primary: int, binary: str) -> Iterator["subprocess.Popen[bytes]"]:
    """One Sentinel that watches a primary and promotes its replica half a second after it is away."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "sentinel.conf"
    file.write_text(
        f"port {port}\nbind 127.0.0.1\ndir {folder}\n"
        f"sentinel monitor {service} 127.0.0.1 {primary} 1\n"
        f"sentinel down-after-milliseconds {service} 500\n"
        f"sentinel failover-timeout {service} 5000\n"
    )
    with _running([binary, str(file), "--sentinel"], port) as process:
        yield process


@contextmanager
def _running(arguments: list[str], port: int) -> Iterator["subprocess.Popen[bytes]"]:
    process = _up(arguments, lambda: listens(port))
    try:
        yield process
    finally:
        process.kill()
        process.wait(10)


def _up(command: list[str], answers: Callable[[], bool], **more: str) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, env=os.environ | more, preexec_fn=ending_with_parent()
    )
    limit = time.monotonic() + START_WAIT
    while not answers():
        assert process.poll() is None, f"{command[0]} does not start"
        assert time.monotonic() < limit, f"{command[0]} does not answer"
        time.sleep(0.02)
    return process


def listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def eventually(condition: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Wait until a condition is true; return its value. Redis may be away meanwhile."""
    limit = time.monotonic() + seconds
    while True:
        with contextlib.suppress(redis.RedisError):
            if found := condition():
                return found
        assert time.monotonic() < limit, f"not so within {seconds} s"
        time.sleep(0.05)
