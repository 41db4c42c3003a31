"""A Redis whose clock a test sets: its wall clock is off by what a file says (`redis_clock.c`)."""

import os
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.redis_servers import BINARIES, running

SOURCE = Path(__file__).with_suffix(".c")


class RedisWithClock:
    """The server. `url`: where it answers, set when it runs."""

    def __init__(self, folder: Path):
        self.url = ""
        self._file = folder / "clock"
        self.set(0)

    def set(self, seconds: int) -> None:
        """Let its clock be ahead of the real one by some seconds, from now on."""
        with self._file.open("r+b" if self._file.exists() else "wb") as file:  # in place: the server has mapped it
            file.write(struct.pack("l", seconds))


@contextmanager
def redis_with_clock(binary: str = BINARIES[0]) -> Iterator[RedisWithClock]:
    """A server that runs as long as the block."""
    with tempfile.TemporaryDirectory(prefix="rc-") as name:
        library = ["-shared", "-fPIC", "-O1", "-o", f"{name}/clock.so", str(SOURCE), "-ldl"]
        subprocess.run([os.environ.get("CC", "cc"), *library], check=True)
        server = RedisWithClock(Path(name))
        clock = {"REDIS_CLOCK": f"{name}/clock", "LD_PRELOAD": f"{name}/clock.so"}
        with running(binary, **clock) as server.url:
            yield server
