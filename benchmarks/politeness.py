"""A check that several spiders keep a host's pace: `python -m benchmarks.politeness` evaluates the server's log.

    floor        spiders on one host: the smallest gaps between `--requests` requests
    retry-after  one response `429, Retry-After: 3` among them: requests before its end, and the first one after it
    turn         the time for a permit, including round trips to Redis

Each spider is a process of its own with a task of its own, against one Redis. The server records the
arrival of each request's last byte, in a process of its own; delays of that process by other load of the machine are
also printed.
"""

import argparse
import asyncio
import itertools
import json
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

import redis

from benchmarks.processes import start
from crawler.politeness.pace import Pace
from tests.redis_servers import BINARIES
from tests.redis_servers import running as redis_server

ALLOWED = 0.02  # seconds of jitter that are allowed
RETRY_AFTER = 3  # seconds
PERMITS = 2000
NAP = 0.005  # seconds of each sleep by which delays are measured

PAGE = b"<html><head><title>An article</title></head><body><h1>An article</h1><p>" + b"Some words of text. " * 200
HEAD = "HTTP/1.1 {} OK\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n"


class RefusingSite:
    """A section with `articles` articles for each of some tasks. The `refused`th request gets a 429."""

    def __init__(self, articles: int, refused: int | None):
        self.articles, self.refused = articles, refused
        self.log: list[tuple[float, str, int]] = []
        self.held_up: list[float] = []

    async def watch(self) -> None:
        """Record the delays of this process by other load: the excess of each sleep that was too long."""
        while True:
            began = time.monotonic()
            await asyncio.sleep(NAP)
            if (late := time.monotonic() - began - NAP) > ALLOWED:
                self.held_up.append(late)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Respond to the requests of one connection."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                came, path = time.monotonic(), head.split(b" ")[1].decode()
                status, kind, body, more = self.answer(path)
                self.log.append((came, path, status))
                writer.write(HEAD.format(status, kind, len(body), more).encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def answer(self, path: str) -> tuple[int, str, bytes, str]:
        """Return status, type, body and further headers of a response."""
        if path == "/robots.txt":
            return 404, "text/plain", b"", ""
        if len(self.log) == self.refused:
            return 429, "text/html", b"", f"Retry-After: {RETRY_AFTER}\r\n"
        if path.endswith("/"):
            links = "".join(
                f'<li><a href="{path}{number}.html">Article {number}</a>' for number in range(self.articles)
            )
            return 200, "text/html", f"<html><body><h1>News</h1><ul>{links}</ul>".encode(), ""
        return 200, "text/html", PAGE, ""


def host(articles: int, refused: int | None, pipe: Connection) -> None:
    """Run the server in this process: send its port, and at the end its log."""

    async def run() -> None:
        site = RefusingSite(articles, refused)
        server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
        watch = asyncio.ensure_future(site.watch())
        pipe.send(server.sockets[0].getsockname()[1])
        await asyncio.get_running_loop().run_in_executor(None, pipe.recv)
        watch.cancel()
        pipe.send((site.log, site.held_up))

    asyncio.run(run())


def crawl(spiders: int, requests: int, floor: float, refused: int | None = None) -> list[tuple[float, str, int]]:
    """Run the spiders to their end; return the host's log, by time."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=host, args=(-(-requests // spiders), refused, theirs))
    server.start()
    base = f"http://127.0.0.1:{ours.recv()}"
    tasks = "".join(
        f"  task{n}: {{example: '{base}/{n}/0.html', pattern: '{base}/{n}/{{id}}.html', start: '{base}/{n}/', "
        f"every: 1h, output: out.jsonl, delay: {floor}}}\n"
        for n in range(spiders)
    )
    with redis_server(BINARIES[0]) as url, tempfile.TemporaryDirectory() as name:
        folder, pipe = Path(name), subprocess.PIPE
        (folder / "tasks.yaml").write_text(f"settings: {{allow_hosts: [127.0.0.1]}}\ntasks:\n{tasks}", "utf-8")
        children = [start(folder, url, "crawl", "--json", f"task{n}", stdout=pipe) for n in range(spiders)]
        for child in children:
            report = json.loads(child.communicate()[0].splitlines()[-1])
            if report["outcome"] != "finished" or report["failed"]:
                print(f"a spider: {report}", file=sys.stderr)
    ours.send("end")
    log, held_up = ours.recv()
    server.join()
    if held_up:
        longest = max(held_up) * 1000
        print(f"(other load delayed the server {len(held_up)} times by more than 20 ms, by {longest:.0f} ms at most)")
    return sorted(log)


def measure_floor(spiders: int, requests: int, floor: float) -> bool:
    """Print the smallest gaps; return whether the target is met."""
    times = [came for came, _, _ in crawl(spiders, requests, floor)]
    gaps = sorted(later - earlier for earlier, later in itertools.pairwise(times))
    close = sum(gap < floor - ALLOWED for gap in gaps)
    print(
        f"floor: {len(times)} requests of {spiders} spiders, floor {floor:g} s: smallest gaps "
        f"{', '.join(f'{gap * 1000:.1f}' for gap in gaps[:3])} ms, median {statistics.median(gaps) * 1000:.1f} ms; "
        f"{close} below {(floor - ALLOWED) * 1000:.0f} ms"
    )
    return close == 0


def measure_retry_after(spiders: int, requests: int, floor: float) -> bool:
    """Print the requests before the end of Retry-After; return whether the target is met."""
    log = crawl(spiders, requests, floor, refused=requests // 2)
    [told] = [came for came, _, status in log if status == 429]
    after = [came - told for came, _, _ in log if came > told]
    early = [gap for gap in after if gap < RETRY_AFTER - ALLOWED]
    first = min(gap for gap in after if gap >= RETRY_AFTER - ALLOWED)
    print(
        f"retry-after: {spiders} spiders, floor {floor:g} s: {len(early)} requests within {RETRY_AFTER} s"
        f"{f' (the last {max(early) * 1000:.0f} ms after the 429)' if early else ''}; the first after {first:.2f} s"
    )
    return all(gap < 1.0 for gap in early) and first < RETRY_AFTER + 1


def measure_permits() -> None:
    """Print the time of a request for a permit."""
    with redis_server(BINARIES[0]) as url:
        pace = Pace(redis.Redis.from_url(url))
        for what, interval in (("granted", 1e-6), ("not yet", 1000.0), ("without interval", 0.0)):
            began, used = time.perf_counter(), time.process_time()
            for _ in range(PERMITS):
                pace.request_permit(f"{what[0]}.example:80", interval)
            wall, cpu = time.perf_counter() - began, time.process_time() - used
            print(f"permit: {what}: {wall / PERMITS * 1000:.3f} ms, of them {cpu / PERMITS * 1000:.3f} ms of CPU here")


def main() -> int:
    """Measure all three; exit code 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--spiders", type=int, default=3)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--floor", type=float, default=0.2, help="seconds")
    said = parser.parse_args()
    measure_permits()
    kept = measure_floor(said.spiders, said.requests, said.floor)
    for floor in (0.0, said.floor):
        kept &= measure_retry_after(said.spiders, 1500 if floor == 0 else 120, floor)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
