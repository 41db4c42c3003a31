"""A Redis whose clock a test sets: its wall clock is off by what a file says (`redis_clock.c`)."""

import os
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.redis_servers import BINARIES, START_WAIT
from workers.redis_access.embedded import answers

SOURCE = Path(__file__).with_suffix(".c")


class RedisWithClock:
    """The server. `url`: where it answers."""

    def __init__(self, folder: Path):
        self.url = f"unix://{folder / 's'}"
        self._file = folder / "clock"
        self.set(0)

    def set(self, seconds: int) -> None:
        """Let its clock be ahead of the real one by some seconds, from now on."""
        with self._file.open("r+b" if self._file.exists() else "wb") as file:  # in place: the server has mapped it
            file.write(struct.pack("l", seconds))

    @property
    def environment(self) -> dict[str, str]:
        """What the server process needs in its environment."""
        return {"REDIS_CLOCK": str(self._file), "LD_PRELOAD": str(self._file.with_name("clock.so"))}


@contextmanager
def redis_with_clock(binary: str = BINARIES[0]) -> Iterator[RedisWithClock]:
    """A server that runs as long as the block."""
    with tempfile.TemporaryDirectory(prefix="rc-") as name:
        folder = Path(name)
        library = ["-shared", "-fPIC", "-O1", "-o", str(folder / "clock.so"), str(SOURCE), "-ldl"]
        subprocess.run([os.environ.get("CC", "cc"), *library], check=True)
        server = RedisWithClock(folder)
        options = ["--port", "0", "--unixsocket", str(folder / "s"), "--save", "", "--dir", name]
        process = subprocess.Popen(
            [binary, *options], stdout=subprocess.DEVNULL, env={**os.environ, **server.environment}
        )
        try:
            limit = time.monotonic() + START_WAIT
            while not answers(server.url):
                assert time.monotonic() < limit, "the server does not answer"
                time.sleep(0.02)
            yield server
        finally:
            process.kill()
            process.wait()
