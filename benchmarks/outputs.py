"""Losses and duplicates in one output, whose rows are delivered while processes are killed and its target is
interrupted.

    python -m benchmarks.outputs --kind postgresql
    python -m benchmarks.outputs disk/out.jsonl
    python -m benchmarks.outputs 'postgresql://user@localhost/db?table=articles' --count 'psql … -Atc "select url …"' \\
        --stop 'pg_ctl stop …' --start 'pg_ctl start …'

A real Redis with pages that wait, real extraction workers and a real delivery process. At random times a worker or the
delivery process gets SIGKILL (`--kills`), and the target is interrupted (`--interruptions`). At the end the output is
read and its rows are counted by URL: missing rows, and rows that occur more than once.

`--kind` starts, interrupts and reads a target of that kind (`benchmarks.output_targets`). Any other output is
interrupted by the commands `--stop` and `--start`; without them the folder of a file is moved away. Its reader depends
on its kind (`benchmarks.output_readers`); for others the command `--count` prints the URL of each row on a line.
"""

import argparse
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import redis

from crawler.rendering.memory import below
from workers.extraction_config import ExtractionConfig
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.processes import die_with_parent
from workers.redis_access.connection import client
from workers.redis_access.embedded import Embedded
from workers.reporting.worker_reports import WorkerTimes
from workers.sinks import OutputOptions, is_queued, kind_of
from workers.worker_processes.supervised_delivery import PROCESS_NAME
from workers.worker_processes.supervisor import Supervisor
from workers.writing.refused_rows import refused_count
from workers.writing.row_queue import rows_waiting

from .output_readers import READERS, read_command
from .output_targets import DISK, TARGETS, FolderTarget, OutputTarget, target_of
from .pages import deliver, publish_config
from .processes import wait_until

TASK = "bench"
SITE = "http://bench.example/a/"
AT_ONCE = 500  # pages that are delivered together
LONGEST = 1800.0  # seconds that a measurement may take
AWAY = (2.0, 6.0)  # seconds of an interruption
FIRST = datetime(2026, 3, 12, tzinfo=UTC)  # when the first page was fetched; each further page one second later
KEPT = 30 * 86400.0  # seconds for which pages are kept
TIMES = WorkerTimes(sink_pause=1.0, page_lease=5.0, renew_every=1.0)
_WORDS = """
    harbour tide gauge mast council storm pier winter ferry lantern bakery market orchard bridge school river clock
    museum garden library marsh engine station village charter meadow festival regatta workshop quarry
"""


@dataclass(frozen=True)
class Measured:
    """The result of a measurement."""

    rows: int
    lost: int
    twice: int
    refused: int
    kills: int
    interruptions: int
    seconds: float


def url_of(number: int) -> str:
    """Return the URL of a page."""
    return f"{SITE}{number}.html"


def page(number: int) -> bytes:
    """Return an article whose text differs from those of other numbers."""
    chance = random.Random(number)
    text = "".join(f"<p>Story {number}: {' '.join(chance.choices(_WORDS.split(), k=14))}.</p>" for _ in range(6))
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Story {number} - The Gazette</title></head>'
        f'<body><div class="nav"><a href="/">Home</a></div><div class="main"><h1>Story {number}</h1>'
        f'<div class="story">{text}</div></div><div class="foot">The Gazette</div></body></html>'
    ).encode()


class CommandTarget(OutputTarget):
    """An output that commands interrupt and read."""

    def __init__(self, options: argparse.Namespace):
        super().__init__(options.output)
        self._options = options

    def take_away(self) -> None:
        """Run the command that stops it."""
        subprocess.run(self._options.stop or "true", shell=True, check=True)

    def bring_back(self) -> None:
        """Run the command that starts it."""
        subprocess.run(self._options.start or "true", shell=True, check=True)

    def urls(self) -> Iterator[str]:
        """Yield the lines of the command that reads it."""
        if not self._options.count:
            raise SystemExit(f"no reader for {self.output}: give a command that prints the URLs, --count")
        yield from read_command(self._options.count)


class OutputRun:
    """The delivery of pages to an output, with kills and interruptions at random times. `folder`: of relative paths."""

    def __init__(self, url: str, folder: Path, target: OutputTarget, options: argparse.Namespace):
        self.url, self.folder, self.target, self.options = url, folder, target, options
        self.redis: redis.Redis = client(url)
        self.randomly = random.Random(options.seed)
        self.kills = self.interruptions = 0

    def measure(self) -> Measured:
        """Deliver all pages, wait until all rows are in the output, and count them."""
        options, started = self.options, time.monotonic()
        self._publish()
        self._hand_over()
        faults = ["kill"] * options.kills + ["interruption"] * options.interruptions
        self.randomly.shuffle(faults)
        with self._supervised() as supervisor:
            for number, fault in enumerate(faults, 1):
                self._wait_for(options.rows * number / (len(faults) + 1))
                if fault == "kill":
                    self._kill(supervisor)
                else:
                    self._interrupt()
            self._wait_for(options.rows)
        urls = Counter(self.target.urls())
        first = max(1, options.rows + 1 - (self.target.newest or options.rows))
        expected = {url_of(number) for number in range(first, options.rows + 1)}
        return Measured(
            rows=len(urls),
            lost=len(expected - urls.keys()),
            twice=sum(times - 1 for times in urls.values()) + len(urls.keys() - expected),
            refused=refused_count(self.redis, TASK, self.target.output),
            kills=self.kills,
            interruptions=self.interruptions,
            seconds=time.monotonic() - started,
        )

    def _publish(self) -> None:
        options, output = self.options, self.target.output
        output_options = OutputOptions(batch_rows=options.batch_rows, batch_seconds=options.batch_seconds)
        config = ExtractionConfig(
            TASK,
            url_of(0),
            r"http://bench\.example/a/\d+\.html",
            (output,),
            str(self.folder),
            near_duplicates="keep",
            durability=options.durability,
            output_options={output: output_options.to_json()},
            keep_pages=KEPT if self.target.keeps_pages else None,
            pages_folder=f"{DISK}/{{task}}",
        )
        publish_config(self.redis, config, page(0))

    def _hand_over(self) -> None:
        ledger, inbox = Ledger(self.redis, TASK), Inbox(self.redis)
        for start in range(1, self.options.rows + 1, AT_ONCE):
            numbers = range(start, min(start + AT_ONCE, self.options.rows + 1))
            deliver(ledger, inbox, [_stored(number) for number in numbers])

    @contextmanager
    def _supervised(self) -> Iterator[int]:
        """Run a supervisor with workers; yields its process id. It inherits no port of a target in this process."""
        process = multiprocessing.get_context("spawn").Process(
            target=_supervise, args=(self.url, self.options.workers, os.getpid())
        )
        process.start()
        try:
            yield process.pid or 0
        finally:
            process.terminate()
            process.join(60)
            process.kill()

    def _done(self) -> int:
        """Return how many rows are in the output according to Redis."""
        return Ledger(self.redis, TASK).counts().states["written"] - rows_waiting(self.redis, TASK)

    def _wait_for(self, rows: float) -> None:
        wait_until(lambda: self._done() >= rows, f"{rows:.0f} of {self.options.rows} rows", LONGEST)

    def _kill(self, supervisor: int) -> None:
        """Kill a worker or, with the same probability, the delivery process if there is one."""
        time.sleep(self.randomly.uniform(0.0, 0.2))
        limit = time.monotonic() + LONGEST
        while time.monotonic() < limit:
            with suppress(FileNotFoundError, ProcessLookupError):  # the process ended meanwhile
                if victims := self._victims(supervisor):
                    os.kill(self.randomly.choice(victims), signal.SIGKILL)
                    self.kills += 1
                    return
            time.sleep(0.02)  # all workers are being replaced

    def _victims(self, supervisor: int) -> list[int]:
        children = below(supervisor)
        names = {pid: Path(f"/proc/{pid}/comm").read_text().strip() for pid in children}
        deliveries = [pid for pid, name in names.items() if name == PROCESS_NAME]
        workers = [pid for pid in children if pid not in deliveries]
        return deliveries if deliveries and (self.randomly.random() < 0.5 or not workers) else workers

    def _interrupt(self) -> None:
        """Make the target unavailable for some seconds."""
        self.target.take_away()
        time.sleep(self.randomly.uniform(*AWAY))
        self.target.bring_back()
        self.interruptions += 1


def _stored(number: int) -> StoredPage:
    at = FIRST + timedelta(seconds=number)
    return StoredPage(url_of(number), page(number), "text/html; charset=utf-8", at)


def _body(url: str) -> bytes:
    """Return the body of the page with this URL."""
    return page(int(url.removeprefix(SITE).removesuffix(".html")))


def _supervise(url: str, workers: int, parent: int) -> None:
    die_with_parent(parent=parent)
    supervisor = Supervisor(url, workers, times=TIMES, sweep_every=0.2, pause_after_early_exit=0.05)
    signal.signal(signal.SIGTERM, supervisor.stop)
    supervisor.run(on_problem=lambda problem, is_over: print(problem.in_words(is_over), file=sys.stderr))


@contextmanager
def _target(options: argparse.Namespace, folder: Path) -> Iterator[OutputTarget]:
    """Yield the target of a kind, or that of a given output."""
    if options.kind:
        with target_of(options.kind, folder, _body) as target:
            yield target
        return
    path = folder / options.output.partition("://")[2] if "://" in options.output else folder / options.output
    reader = next((reader for mark, reader in READERS.items() if mark in options.output), None)
    if reader is None or options.count or options.stop:
        yield CommandTarget(options)
    else:
        yield FolderTarget(options.output, path.parent, lambda: reader(path))


def main() -> int:
    """Measure, print the figures, and return 1 if rows were lost or duplicated, or the output had another fault."""
    options = _arguments()
    with tempfile.TemporaryDirectory(prefix="out-") as name, Embedded(Path(name) / "redis") as url:
        folder = (options.folder or Path(name)).absolute()
        with _target(options, folder) as target:
            measured = OutputRun(url, folder, target, options).measure()
            note = f"; {target.note()}" if target.note() else ""
    kind = kind_of(target.output)
    how = "queued" if kind and is_queued(target.output, TASK) else "direct"
    print(
        f"{options.kind or (kind.name if kind else '?')} ({how}): {measured.rows} of {target.newest or options.rows} "
        f"rows, {measured.lost} lost, {measured.twice} twice, {measured.refused} refused; {measured.kills} kills, "
        f"{measured.interruptions} interruptions, {measured.seconds:.0f} s{note}"
    )
    for fault in target.faults[:10]:
        print(f"fault: {fault}")
    return int(bool(measured.lost or measured.twice or target.faults))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", help="as in tasks.yaml, such as disk/out.jsonl")
    parser.add_argument("--kind", choices=sorted(TARGETS), help="a target of its own instead of an output")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--interruptions", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--stop", default="", help="command that interrupts the target")
    parser.add_argument("--start", default="", help="command that brings it back")
    parser.add_argument("--count", default="", help="command that prints the URL of each row in the output")
    parser.add_argument("--folder", type=Path, help="of relative outputs; by default a temporary one")
    parser.add_argument("--durability", choices=("safe", "fast"), default="safe")
    parser.add_argument("--batch-rows", type=int, default=100)
    parser.add_argument("--batch-seconds", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if bool(options.kind) == bool(options.output):
        parser.error("give an output or --kind")
    return options


if __name__ == "__main__":
    sys.exit(main())
