"""`exemplar run` killed while it starts: no process that it started remains."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.samples import sample
from tests.site.server import SiteServer

MARK = "EXEMPLAR_TEST_MARK"
LIMIT = 60.0  # seconds until a test gives up waiting
KILLS = sample(5, 100)
STEP = sample(0.1, 0.05)  # seconds between the moments of two kills
PARENT, START_TIME = 1, 19  # fields of /proc/PID/stat after the name
CHILDREN = ("redis-server", "console.extraction_process", "crawler.scheduling.crawl_process")

pytestmark = pytest.mark.timeout(300)


class MarkedRuns:
    """Runs in new interpreters, as users have them; `marked` finds all of their processes by a variable."""

    def __init__(self, folder: Path, site: SiteServer, environment: dict[str, str]):
        self.folder, self.site = folder, site
        self.mark = f"{MARK}={uuid.uuid4().hex}"
        self.environment = environment | dict([self.mark.split("=")])
        self.count = 0
        self.known: set[tuple[int, str]] = set()  # processes that were found, with their start times

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        (folder / "tasks.yaml").write_text((self.folder / "tasks.yaml").read_text("utf-8"), "utf-8")
        command = [sys.executable, "-m", "console", *(arguments or ("run", "--json"))]
        null = subprocess.DEVNULL
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

    def wait_for_child(self, process: "subprocess.Popen[bytes]", program: str) -> None:
        """Wait until the run has a child of this program; between fork and exec it has the run's own command line."""
        until(lambda: any(program in line for pid, line in self.marked().items() if pid != process.pid))

    def end(self) -> None:
        for pid in self.marked():
            os.kill(pid, signal.SIGKILL)


def until(is_so: Callable[[], object]) -> None:
    limit = time.monotonic() + LIMIT
    while not is_so():
        assert time.monotonic() < limit
        time.sleep(0.02)


def kill(process: "subprocess.Popen[bytes]") -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture
def runs(folder: Path, site: SiteServer, environment: dict[str, str]) -> Iterator[MarkedRuns]:
    runs = MarkedRuns(folder, site, environment)
    yield runs
    runs.end()


def left_by(runs: MarkedRuns) -> dict[int, str]:
    limit = time.monotonic() + LIMIT
    while (left := runs.marked()) and time.monotonic() < limit:
        time.sleep(0.1)
    return left


def test_kills_at_drawn_moments_of_the_start_leave_no_process(runs: MarkedRuns) -> None:
    for number in range(KILLS):
        process = runs.start()
        if number % 4:  # else before any child
            runs.wait_for_child(process, CHILDREN[number % 4 - 1])
        time.sleep(number // 4 * 4 * STEP)
        kill(process)
    assert left_by(runs) == {}
