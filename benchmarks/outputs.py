"""Losses and duplicates in one output: rows on their way to it while processes are killed and its target goes away.

    python -m benchmarks.outputs out.jsonl
    python -m benchmarks.outputs 'postgresql://user@localhost/db?table=articles' --count 'psql … -Atc "select url …"' \\
        --stop 'pg_ctl stop …' --start 'pg_ctl start …'

A real Redis with pages that wait, real extraction workers and a real delivery process. At random times a worker or the
delivery process gets SIGKILL (`--kills`), and the target is interrupted (`--interruptions`): by the commands `--stop`
and `--start`; without them the folder of a file output is moved away, so that nobody can make it anew. At the end the
output is read and its rows are counted by URL: those that are missing, and those that are there more than once.

The reader of an output depends on its kind (`READERS`). For others `--count` is a command that prints the URL of each
row on a line of its own.
"""

import argparse
import csv
import gzip
import io
import json
import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import redis
import zstandard

from workers import keys
from workers.connection import client
from workers.embedded import Embedded
from workers.extraction_config import ExtractionConfig, keep_example
from workers.inbox import Inbox, StoredPage
from workers.ledger import Ledger
from workers.processes import die_with_parent
from workers.refused_rows import refused_count
from workers.row_queue import rows_waiting
from workers.sinks import OutputOptions, is_queued, kind_of
from workers.supervised_delivery import PROCESS_NAME
from workers.supervisor import Supervisor
from workers.url_states import Found, fingerprint
from workers.worker_times import WorkerTimes

TASK = "bench"
SITE = "http://bench.example/a/"
AT_ONCE = 500  # pages that are delivered together
LONGEST = 1800.0  # seconds that a measurement may take
AWAY = (2.0, 6.0)  # seconds of an interruption
TIMES = WorkerTimes(sink_pause=1.0, page_lease=5.0, renew_every=1.0)
_WORDS = """
    harbour tide gauge mast council storm pier winter ferry lantern bakery market orchard bridge school river clock
    museum garden library marsh engine station village charter meadow festival regatta workshop quarry
"""

Reader = Callable[[Path], Iterator[str]]  # from a path to the URL of each row


@dataclass(frozen=True)
class Measured:
    """What came of a measurement."""

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
    """Return an article that says something else than those of other numbers."""
    chance = random.Random(number)
    text = "".join(f"<p>Story {number}: {' '.join(chance.choices(_WORDS.split(), k=14))}.</p>" for _ in range(6))
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Story {number} - The Gazette</title></head>'
        f'<body><div class="nav"><a href="/">Home</a></div><div class="main"><h1>Story {number}</h1>'
        f'<div class="story">{text}</div></div><div class="foot">The Gazette</div></body></html>'
    ).encode()


# -- readers -----------------------------------------------------------------------------------------------------------


def read_jsonl(path: Path) -> Iterator[str]:
    """Yield the URLs of JSON lines, plain or compressed; of a folder those of all its files."""
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if (file.is_file() and ".jsonl" in file.name) or ".ndjson" in file.name:
            yield from (json.loads(line)["url"] for line in _text_of(file).splitlines() if line)


def read_csv(path: Path) -> Iterator[str]:
    """Yield the URLs of a CSV file."""
    csv.field_size_limit(2**30)
    yield from (row["url"] for row in csv.DictReader(io.StringIO(_text_of(path).removeprefix("\ufeff"), newline="")))


def read_sqlite(path: Path) -> Iterator[str]:
    """Yield the URLs of a database."""
    with closing(sqlite3.connect(path)) as database:
        yield from (url for (url,) in database.execute("SELECT url FROM articles"))


def read_parquet(path: Path) -> Iterator[str]:
    """Yield the URLs of the Parquet files of a folder, or of one. Those of `out.parquet` are in the folder `out`."""
    from pyarrow import parquet

    path = path if path.exists() else path.with_suffix("")
    for file in sorted(path.rglob("*.parquet")) if path.is_dir() else [path]:
        yield from parquet.read_table(file, columns=["url"]).column("url").to_pylist()


def read_folder(path: Path) -> Iterator[str]:
    """Yield the URLs of a folder of Markdown files: the first `url:` of each."""
    for file in sorted(path.rglob("*.md")):
        yield next(
            line.partition(":")[2].strip().strip("\"'") for line in _text_of(file).splitlines() if line[:4] == "url:"
        )


def read_command(command: str) -> list[str]:
    """Return the lines that a command prints."""
    return subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout.splitlines()


READERS: Mapping[str, Reader] = {  # by what the address contains
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".csv": read_csv,
    ".db": read_sqlite,
    ".sqlite": read_sqlite,
    ".parquet": read_parquet,
    ".md": read_folder,
    "markdown": read_folder,
}


def _text_of(file: Path) -> str:
    data = file.read_bytes()
    if file.suffix == ".gz":
        data = gzip.decompress(data)
    elif file.suffix == ".zst":
        data = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    return data.decode("utf-8")


# -- the run -----------------------------------------------------------------------------------------------------------


class OutputRun:
    """Pages on their way to an output, with kills and interruptions at random times. `folder`: of relative paths."""

    def __init__(self, url: str, folder: Path, options: argparse.Namespace):
        self.url, self.folder, self.options = url, folder, options
        self.redis: redis.Redis = client(url)
        self.randomly = random.Random(options.seed)
        self.path = folder / options.output.partition("://")[2] if "://" in options.output else folder / options.output
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
        urls = Counter(self._read())
        lost = sum(url_of(number) not in urls for number in range(1, options.rows + 1))
        twice = sum(number - 1 for number in urls.values())
        refused = refused_count(self.redis, TASK, options.output)
        seconds = time.monotonic() - started
        return Measured(len(urls), lost, twice, refused, self.kills, self.interruptions, seconds)

    def _publish(self) -> None:
        options = self.options
        output_options = OutputOptions(batch_rows=options.batch_rows, batch_seconds=options.batch_seconds)
        config = ExtractionConfig(
            TASK,
            url_of(0),
            r"http://bench\.example/a/\d+\.html",
            (options.output,),
            str(self.folder),
            near_duplicates="keep",
            durability=options.durability,
            output_options={options.output: output_options.to_json()},
        )
        self.redis.hset(keys.CONFIGS, TASK, config.to_json())
        keep_example(self.redis, TASK, _stored(0), url_of(0))

    def _hand_over(self) -> None:
        ledger, inbox = Ledger(self.redis, TASK), Inbox(self.redis)
        for start in range(1, self.options.rows + 1, AT_ONCE):
            numbers = range(start, min(start + AT_ONCE, self.options.rows + 1))
            ledger.add([Found(url_of(number)) for number in numbers])
            ledger.lease(len(numbers))
            inbox.deliver(ledger, {fingerprint(url_of(number)): _stored(number) for number in numbers})

    @contextmanager
    def _supervised(self) -> Iterator[int]:
        """Run a supervisor with workers; yields its process id."""
        process = multiprocessing.get_context("fork").Process(
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
        """Return how many rows are in the output, as far as Redis knows."""
        return Ledger(self.redis, TASK).counts().states["written"] - rows_waiting(self.redis, TASK)

    def _wait_for(self, rows: float) -> None:
        limit = time.monotonic() + LONGEST
        while self._done() < rows:
            if time.monotonic() > limit:
                raise TimeoutError(f"{self._done()} of {self.options.rows} rows are delivered")
            time.sleep(0.02)

    def _kill(self, supervisor: int) -> None:
        """Kill a worker, or as often the delivery process if there is one."""
        time.sleep(self.randomly.uniform(0.0, 0.2))
        children = [int(pid) for pid in Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()]
        deliveries = [pid for pid in children if Path(f"/proc/{pid}/comm").read_text().strip() == PROCESS_NAME]
        workers = [pid for pid in children if pid not in deliveries]
        chosen = deliveries if deliveries and (self.randomly.random() < 0.5 or not workers) else workers
        if chosen:
            os.kill(self.randomly.choice(chosen), signal.SIGKILL)
            self.kills += 1

    def _interrupt(self) -> None:
        """Let the target be away for some seconds."""
        seconds = self.randomly.uniform(*AWAY)
        if self.options.stop and self.options.start:
            subprocess.run(self.options.stop, shell=True, check=True)
            time.sleep(seconds)
            subprocess.run(self.options.start, shell=True, check=True)
        elif self.path.parent != self.folder and self.path.parent.exists():
            aside = self.path.parent.with_name(self.path.parent.name + "-away")
            self.path.parent.rename(aside)
            self.path.parent.touch()
            time.sleep(seconds)
            self.path.parent.unlink()
            aside.rename(self.path.parent)
        else:
            return
        self.interruptions += 1

    def _read(self) -> Iterator[str]:
        if self.options.count:
            yield from read_command(self.options.count)
            return
        reader = next((reader for mark, reader in READERS.items() if mark in self.options.output), None)
        if reader is None:
            raise SystemExit(f"no reader for {self.options.output}: give a command that prints the URLs, --count")
        yield from reader(self.path)


def _stored(number: int) -> StoredPage:
    return StoredPage(url_of(number), page(number), "text/html; charset=utf-8", datetime(2026, 3, 12, tzinfo=UTC))


def _supervise(url: str, workers: int, parent: int) -> None:
    die_with_parent(parent=parent)
    supervisor = Supervisor(url, workers, times=TIMES, sweep_every=0.2, pause_after_early_exit=0.05)
    signal.signal(signal.SIGTERM, supervisor.stop)
    supervisor.run(on_problem=lambda problem, is_over: print(problem.in_words(is_over), file=sys.stderr))


def main() -> int:
    """Measure, print the figures, and return 1 if rows were lost or came twice."""
    options = _arguments()
    with tempfile.TemporaryDirectory() as name, Embedded(Path(name) / "redis") as url:
        folder = options.folder or Path(name)
        measured = OutputRun(url, folder.absolute(), options).measure()
    kind = kind_of(options.output)
    how = "queued" if kind and is_queued(options.output, TASK) else "direct"
    figures = (
        f"{kind.name if kind else '?'} ({how}): {measured.rows} of {options.rows} rows, {measured.lost} lost, "
        f"{measured.twice} twice, {measured.refused} refused; {measured.kills} kills, "
        f"{measured.interruptions} interruptions, {measured.seconds:.0f} s"
    )
    print(figures)
    return int(bool(measured.lost or measured.twice))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", help="as in tasks.yaml, such as disk/out.jsonl")
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
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
