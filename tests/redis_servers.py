"""Redis servers of a test's own: with little memory, of each version that is installed."""

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workers.embedded import answers
from workers.redis_binary import installed_binaries

BINARIES = [str(binary.path) for binary in installed_binaries()]
START_WAIT = 10.0  # seconds


@contextmanager
def running(binary: str, *options: str) -> Iterator[str]:
    """Yield the URL of a server that runs with these options."""
    with tempfile.TemporaryDirectory(prefix="rd-") as folder:
        socket = Path(folder) / "s"
        arguments = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", folder, *options]
        server = subprocess.Popen([binary, *arguments], stdout=subprocess.DEVNULL)
        try:
            limit = time.monotonic() + START_WAIT
            while not answers(f"unix://{socket}"):
                assert time.monotonic() < limit, "the server does not answer"
                time.sleep(0.02)
            yield f"unix://{socket}"
        finally:
            server.kill()
            server.wait()
