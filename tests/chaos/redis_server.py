"""A real Redis server that can be killed, rolled back by a second, emptied or filled."""

import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path

import redis

from tests.redis_servers import START_WAIT
from tests.workers.servers import Server

SAMPLE_EVERY = 0.2  # seconds between looks at the size of the append-only file
REMEMBERED = 10.0  # seconds of them that are kept
OPTIONS = {
    "appendfsync": "everysec",
    "auto-aof-rewrite-percentage": "0",  # one file that only grows: it can be cut
}


class RedisServer(Server):
    """A server on a unix socket, with an append-only file in `folder`, which stays."""

    def __init__(self, folder: Path):
        settings = {**OPTIONS, "logfile": str(folder / "log")}
        super().__init__(*(part for name, value in settings.items() for part in (f"--{name}", value)), folder=folder)
        self._sizes: deque[tuple[float, int]] = deque(maxlen=int(REMEMBERED / SAMPLE_EVERY))
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

    def roll_back_to(self, moment: float) -> int:
        """Lose what was written after a moment of the monotonic clock: a failover, or a power cut. Returns the bytes
        lost.
        """
        self.kill()
        size = next(size for at, size in reversed(self._sizes) if at <= moment)
        lost = self.size() - size
        self.roll_back(size)
        return lost

    def wait_until_written(self, text: bytes) -> None:
        """Wait until the append-only file holds a text, and its size with it is known."""
        limit = time.monotonic() + START_WAIT
        while time.monotonic() < limit:
            if text in self.file.read_bytes() and self._sizes and self._sizes[-1][1] == self.size():
                return
            time.sleep(SAMPLE_EVERY)
        raise TimeoutError(f"the append-only file does not hold {text!r}")

    def _sample(self) -> None:
        while not self._stopping.wait(SAMPLE_EVERY):
            with suppress(OSError):
                size = self.size()
                self._sizes.append((time.monotonic(), size))  # the file had this size at that time, or more
