"""`exemplar run` killed while it starts: no process that it started remains."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.redis_servers import eventually
from tests.samples import sample

MARK = "EXEMPLAR_TEST_MARK"
LIMIT = 60.0  # seconds until a test gives up waiting
KILLS = sample(5, 100)
STEP = sample(0.1, 0.05)  # seconds between the moments of two kills
PARENT, START_TIME = 1, 19  # fields of /proc/PID/stat after the name
CHILDREN = ("redis-server", "console.extraction_process", "crawler.scheduling.crawl_process")

pytestmark = pytest.mark.timeout(300)


class MarkedRuns:
    """Runs in new interpreters, as users have them; `marked` finds all of their processes by a variable."""

    def __init__(self, folder: Path, environment: dict[str, str]):
        self.folder, self.mark = folder, uuid.uuid4().hex
        self.environment = environment | {MARK: self.mark}
        self.known: set[tuple[int, str]] = set()  # processes that were found, with their start times

    def start(self) -> "subprocess.Popen[bytes]":
        folder, null = Path(tempfile.mkdtemp(dir=self.folder)), subprocess.DEVNULL
        shutil.copy(self.folder / "tasks.yaml", folder)
        command = [sys.executable, "-m", "console", "run", "--json"]
        return subprocess.Popen(
            command, cwd=folder, env=self.environment, stdin=null, stdout=null, stderr=null, start_new_session=True
        )

    def marked(self) -> dict[int, str]:
        """Return the command line of each living process, by process id.

        A Redis server overwrites its environment, so children of known processes belong to them, too.
        """
        found = {}
        parents = {pid for pid, _ in self.known}
        for path in Path("/proc").glob("[0-9]*"):
            try:
                fields = (path / "stat").read_text().rpartition(")")[2].split()
                process = int(path.name), fields[START_TIME]
                is_child = int(fields[PARENT]) in parents
                is_marked = process in self.known or self.mark.encode() in (path / "environ").read_bytes()
                if fields[0] != "Z" and (is_child or is_marked):
                    found[process[0]] = (path / "cmdline").read_text().replace("\0", " ")
                    self.known.add(process)
            except OSError:
                continue  # it has ended meanwhile
        return found


@pytest.fixture
def runs(folder: Path, environment: dict[str, str]) -> Iterator[MarkedRuns]:
    runs = MarkedRuns(folder, environment)
    yield runs
    for pid in runs.marked():
        os.kill(pid, signal.SIGKILL)


def test_kills_at_drawn_moments_of_the_start_leave_no_process(runs: MarkedRuns) -> None:
    for number in range(KILLS):
        start_and_kill(runs, number)
    eventually(lambda: runs.marked() == {}, LIMIT)


def start_and_kill(runs: MarkedRuns, number: int) -> None:
    process = runs.start()
    if number % 4:  # else before any child; between fork and exec a child has the run's own command line
        program = CHILDREN[number % 4 - 1]
        eventually(lambda: any(program in line for pid, line in runs.marked().items() if pid != process.pid), LIMIT)
    time.sleep(number // 4 * 4 * STEP)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
