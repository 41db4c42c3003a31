"""A check that several spiders keep a host's pace: `python -m benchmarks.politeness` evaluates the server's log.

    floor        spiders on one host: the smallest gaps between `--requests` requests
    retry-after  one response `429, Retry-After: 3` among them: requests before its end, and the first one after it

Each spider is a process of its own with a task of its own, against one Redis. The site records the arrival of each
request in threads of this process, which has nothing else to do.
"""

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.processes import start
from tests.http_site import HttpSite, Response
from tests.redis_servers import BINARIES
from tests.redis_servers import running as redis_server

ALLOWED = 0.02  # seconds of jitter that are allowed
RETRY_AFTER = 3  # seconds

PAGE = b"<html><head><title>An article</title></head><body><h1>An article</h1><p>" + b"Some words of text. " * 200


class RefusingSite(HttpSite):
    """A section with `articles` articles for each of some tasks. The `refused`th request gets a 429."""

    def __init__(self, articles: int, refused: int | None):
        super().__init__(self._respond)
        self.articles, self.refused = articles, refused
        self.log: list[tuple[float, str, int]] = []

    def _respond(self, path: str) -> Response:
        came, number = time.monotonic(), len(self.log)
        status, headers, body = self._answer(path, number)
        self.log.append((came, path, status))
        return status, headers, body

    def _answer(self, path: str, number: int) -> Response:
        if path == "/robots.txt":
            return 404, {}, b""
        if number == self.refused:
            return 429, {"Retry-After": str(RETRY_AFTER)}, b""
        if path.endswith("/"):
            articles = range(self.articles)
            links = "".join(f'<li><a href="{path}{place}.html">Article {place}</a>' for place in articles)
            return 200, {}, f"<html><body><h1>News</h1><ul>{links}</ul>".encode()
        return 200, {}, PAGE


def crawl(spiders: int, requests: int, floor: float, refused: int | None = None) -> list[tuple[float, str, int]]:
    """Run the spiders to their end; return the host's log, by time."""
    with (
        redis_server(BINARIES[0]) as url,
        tempfile.TemporaryDirectory() as name,
        RefusingSite(-(-requests // spiders), refused) as site,
    ):
        tasks = "".join(
            f"  task{n}: {{example: '{site.url}/{n}/0.html', pattern: '{site.url}/{n}/{{id}}.html', "
            f"start: '{site.url}/{n}/', every: 1h, output: out.jsonl, delay: {floor}}}\n"
            for n in range(spiders)
        )
        folder, pipe = Path(name), subprocess.PIPE
        (folder / "tasks.yaml").write_text(f"settings: {{allow_hosts: [127.0.0.1]}}\ntasks:\n{tasks}", "utf-8")
        children = [start(folder, url, "crawl", "--json", f"task{n}", stdout=pipe) for n in range(spiders)]
        for child in children:
            report = json.loads(child.communicate()[0].splitlines()[-1])
            if report["outcome"] != "finished" or report["failed"]:
                print(f"a spider: {report}", file=sys.stderr)
    return sorted(site.log)


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


def main() -> int:
    """Measure both; exit code 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--spiders", type=int, default=3)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--floor", type=float, default=0.2, help="seconds")
    said = parser.parse_args()
    kept = measure_floor(said.spiders, said.requests, said.floor)
    for floor in (0.0, said.floor):
        kept &= measure_retry_after(said.spiders, 1500 if floor == 0 else 120, floor)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
