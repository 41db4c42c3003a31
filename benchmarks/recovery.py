"""Recovery after kills: the time until another process works on the pages of a killed process.

    python -m benchmarks.recovery --kills 50

A scheduler, two crawl workers and two supervisors of extraction workers on a site on loopback, as on two machines. One
kind of process after another gets SIGKILL at random times; a killed scheduler, crawl worker or supervisor is started
again immediately, as by a service manager. The measure, for each page that the process had, is the time from the kill
until another process has the page (extraction) or it is requested again (crawling).
"""

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import cast

import redis

from benchmarks.numbered_site import TASK, NumberedSite
from benchmarks.pages import deliver
from benchmarks.processes import percentile, start, wait_until
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.redis_access.connection import connect
from workers.redis_access.embedded import Embedded

KINDS = ("extraction worker", "supervisor", "spider", "crawl worker")
LONGEST = 90.0  # seconds that a recovery may take
ALREADY_SENT = 0.2  # seconds in which Redis still executes what a killed process has sent: these pages are not lost
BACKLOG = 2000  # pages that wait for extraction during kills of extraction workers


class TimedSite(NumberedSite):
    """Records when each article was last requested."""

    def __init__(self, pages: int):
        self.last: dict[str, float] = {}
        super().__init__(pages)

    def page(self, path: str) -> bytes:
        """Return the page at a path; empty if there is none."""
        self.last[path] = time.monotonic()
        return super().page(path)


class TrialCluster:
    """The processes of the benchmark: two of each kind that is killed, and a scheduler."""

    def __init__(self, folder: Path, url: str):
        self.folder, self.url = folder, url
        self.processes: dict[str, list[subprocess.Popen[bytes]]] = {}

    def start(self, kind: str, *arguments: str) -> "subprocess.Popen[bytes]":
        """Start a process of a kind."""
        quiet = subprocess.DEVNULL
        process = start(self.folder, self.url, *arguments, stdout=quiet, stderr=quiet)
        self.processes.setdefault(kind, []).append(process)
        return process

    def kill(self, kind: str, pid: int, *arguments: str) -> float:
        """Kill a process and start another one in its place. Returns when it was killed."""
        os.kill(pid, signal.SIGKILL)
        killed = time.monotonic()
        for process in [process for process in self.processes.get(kind, []) if process.pid == pid]:
            process.wait()
            self.processes[kind].remove(process)
            self.start(kind, *arguments)
        return killed

    def close(self) -> None:
        """End all processes."""
        processes = [process for several in self.processes.values() for process in several]
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def main() -> int:
    """Kill, measure, print; return 1 if a 99th percentile is above 15 s."""
    arguments = _arguments()
    chance = random.Random(arguments.seed)
    times: dict[str, list[float]] = {}
    with (
        tempfile.TemporaryDirectory(prefix="recovery-") as name,
        Embedded(Path(name) / "redis") as url,
        TimedSite(arguments.pages) as site,
    ):
        cluster, connection = TrialCluster(Path(name), url), connect(url)
        site.publish(connection, Path(name), every="1m", delay=arguments.delay)
        try:
            for kind in arguments.kinds or KINDS:
                measure = _kill_extraction if kind in KINDS[:2] else _kill_crawling
                times[kind] = measure(kind, cluster, connection, site, arguments.kills, chance)
                _print_times(kind, times[kind], arguments.kills)
        finally:
            cluster.close()
    return int(any(percentile(seconds, 0.99) > 15 for seconds in times.values()))


def _kill_extraction(
    kind: str, cluster: TrialCluster, connection: "redis.Redis", site: TimedSite, kills: int, chance: random.Random
) -> list[float]:
    command = ("work", "extract", "-n", "2")
    while len(cluster.processes.get("supervisor", [])) < 2:
        cluster.start("supervisor", *command)
    ledger, feeder, times, killed_processes = Ledger(connection, TASK), _Feeder(connection, site), [], 0
    while killed_processes < kills:
        wait_until(lambda: feeder.feed() and len(set(connection.hvals(ledger.keys["holders"]))) > 2, "workers at work")
        time.sleep(chance.uniform(0.5, 2.0))
        feeder.feed()
        holders = [raw.decode() for raw in cast(list[bytes], connection.hvals(ledger.keys["holders"]))]
        if not holders:
            continue
        victim = chance.choice(sorted(set(holders)))
        supervisor = int(victim.rsplit("-", 2)[1])
        pid = _pid_of(connection, victim) if kind == "extraction worker" else supervisor
        if pid is None:
            continue  # the worker ended meanwhile
        mine = victim if kind == "extraction worker" else victim.rsplit("-", 1)[0]
        killed = cluster.kill("supervisor", pid, *command)
        killed_processes += 1
        times += _until_taken(connection, ledger, mine, killed)
    return times


def _pid_of(connection: "redis.Redis", worker: str) -> int | None:
    """Return the process id of an extraction worker; None if it does not run."""
    pid = int(cast("bytes | None", connection.hget(f"rq:worker:{worker}", "pid")) or 0)
    return pid if pid and Path(f"/proc/{pid}").exists() else None


def _until_taken(connection: "redis.Redis", ledger: Ledger, mine: str, killed: float) -> list[float]:
    """Wait until all pages that the killed workers held are settled or held by others."""

    def held() -> dict[bytes, bytes]:
        return cast(dict[bytes, bytes], connection.hgetall(ledger.keys["holders"]))

    waiting = {name for name, holder in held().items() if holder.decode().startswith(mine)}
    times = []
    while waiting and time.monotonic() - killed < LONGEST:
        holders = held()
        for name in list(waiting):
            holder = holders.get(name)
            taken = (
                not holder.decode().startswith(mine) if holder else not connection.hexists(ledger.keys["open"], name)
            )
            if taken:
                waiting.discard(name)
                times.append(time.monotonic() - killed)
        time.sleep(0.01)
    return times + [LONGEST] * len(waiting)


def _kill_crawling(
    kind: str, cluster: TrialCluster, connection: "redis.Redis", site: TimedSite, kills: int, chance: random.Random
) -> list[float]:
    command = ("work", "crawl", "-n", "1")
    if "scheduler" not in cluster.processes:
        cluster.start("scheduler", "schedule", "tasks.yaml")
    while len(cluster.processes.get("crawl worker", [])) < 2:
        cluster.start("crawl worker", *command)
    ledger, times = Ledger(connection, TASK), []
    for _ in range(kills):
        wait_until(lambda: _process_of(cluster) and connection.zcard(ledger.keys["leased"]) > 2, "a spider at work")
        time.sleep(chance.uniform(0.5, 3.0))
        worker, spider = _process_of(cluster) or (0, 0)
        if not worker:
            continue
        killed = cluster.kill("crawl worker", spider if kind == "spider" else worker, *command)
        time.sleep(ALREADY_SENT)
        names = cast(list[bytes], connection.zrange(ledger.keys["leased"], 0, -1))
        records = [connection.hget(ledger.keys["open"], name) for name in names]
        paths = [json.loads(record)["url"].removeprefix(site.url) for record in records if record]
        limit = time.monotonic() + LONGEST
        while any(site.last.get(path, 0.0) < killed for path in paths) and time.monotonic() < limit:
            time.sleep(0.01)
        times += [max(site.last.get(path, 0.0) - killed, 0.0) or LONGEST for path in paths]
    return times


def _process_of(cluster: TrialCluster) -> tuple[int, int] | None:
    """Return the process ids of a crawl worker and its crawl process."""
    for worker in cluster.processes.get("crawl worker", []):
        with suppress(OSError):
            children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()
            for child in children:
                if "crawl_process" in Path(f"/proc/{child}/cmdline").read_text():
                    return worker.pid, int(child)
    return None


class _Feeder:
    """Delivers pages of the site, each once, so that a backlog waits."""

    def __init__(self, connection: "redis.Redis", site: TimedSite):
        self.site = site
        self.inbox, self.ledger = Inbox(connection), Ledger(connection, TASK)
        self.number = 10_000_000 + int(time.time()) % 1_000_000 * 10

    def feed(self) -> bool:
        """Fill the backlog; return True."""
        while self.inbox.waiting_jobs() < BACKLOG // 10:
            deliver(self.ledger, self.inbox, [self.site.stored(self.number + place) for place in range(100)])
            self.number += 100
        return True


def _print_times(kind: str, times: list[float], kills: int) -> None:
    p50 = statistics.median(times) if times else 0.0
    print(
        f"{kind:18} {kills:4} kills {len(times):5} pages   p50 {p50:5.1f} s   "
        f"p99 {percentile(times, 0.99):5.1f} s   longest {max(times, default=0.0):5.1f} s",
        flush=True,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recovery", description=__doc__.split("\n\n")[0])
    parser.add_argument("--kills", type=int, default=50, help="of each kind")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, help="[default: all]")
    parser.add_argument("--pages", type=int, default=50_000, help="articles of the site")
    parser.add_argument("--delay", type=float, default=0.05, help="seconds between two requests")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
