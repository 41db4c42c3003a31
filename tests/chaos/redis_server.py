"""A real Redis server that can be killed, rolled back by a second, emptied or filled."""

import shutil
import subprocess
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path

import redis

from tests.redis_servers import START_WAIT, started
from workers.redis_access.redis_binary import redis_binary

SAMPLE_EVERY = 0.2  # seconds between looks at the size of the append-only file
REMEMBERED = 10.0  # seconds of them that are kept


def binary() -> str:
    """The system's server if there is one, else the embedded one."""
    return shutil.which("redis-server") or shutil.which("valkey-server") or str(redis_binary().path)


class RedisServer:
    """A server on a unix socket, with an append-only file in `folder`."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.socket = folder / "s"
        self.url = f"unix://{self.socket}"
        self._process: subprocess.Popen[bytes] | None = None
        self._sizes: deque[tuple[float, Path, int]] = deque(maxlen=int(REMEMBERED / SAMPLE_EVERY))
        self._stopping = threading.Event()

    def __enter__(self) -> "RedisServer":
        self.folder.mkdir(parents=True)
        self.start()
        threading.Thread(target=self._sample, name="aof-sizes", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self.kill()

    def client(self) -> "redis.Redis":
        """A client of the test's own, past the proxy."""
        return redis.Redis.from_url(self.url, socket_timeout=5.0)

    def start(self) -> None:
        """Start and wait until it answers."""
        options = {
            "appendonly": "yes",
            "appendfsync": "everysec",
            "auto-aof-rewrite-percentage": "0",  # one file that only grows: it can be cut
            "logfile": str(self.folder / "log"),
        }
        words = [part for name, value in options.items() for part in (f"--{name}", value)]
        self._process = started(binary(), self.folder, *words)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def roll_back(self, moment: float) -> int:
        """Lose what was written after a moment of the monotonic clock: a failover, or a power cut. Returns the bytes
        lost.
        """
        self.kill()
        path, size = next((path, size) for at, path, size in reversed(self._sizes) if at <= moment)
        lost = path.stat().st_size - size
        with path.open("r+b") as file:
            file.truncate(size)
        self.start()
        return lost

    def wait_until_written(self, text: bytes) -> None:
        """Wait until the append-only file holds a text, and its size with it is known."""
        limit = time.monotonic() + START_WAIT
        while time.monotonic() < limit:
            written = next((path for path in self.folder.rglob("*.aof") if text in path.read_bytes()), None)
            if written is not None and self._sizes and self._sizes[-1][1:] == (written, written.stat().st_size):
                return
            time.sleep(SAMPLE_EVERY)
        raise TimeoutError(f"the append-only file does not hold {text!r}")

    def _sample(self) -> None:
        while not self._stopping.wait(SAMPLE_EVERY):
            with suppress(OSError, ValueError):
                path = max(self.folder.rglob("*.aof"), key=lambda path: path.stat().st_mtime_ns)
                size = path.stat().st_size
                self._sizes.append((time.monotonic(), path, size))  # the file had this size at that time, or more
