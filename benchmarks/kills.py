"""Losses by killed spiders: one crawl of a large site, whose spider is killed repeatedly at random times.

    python -m benchmarks.kills --pages 2000 --kills 50

A site on loopback that logs its requests, a real Redis, real spider processes that get SIGKILL, and at the end real
extraction workers that write the rows. The figures: rows compared with pages, duplicate rows, and pages that were
requested again although no killed spider had leased them.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import redis

from benchmarks.processes import start
from crawler.task_list.file import load
from crawler.task_list.publication import publish
from tests.http_site import HttpSite, Response
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.redis_access.connection import connect
from workers.redis_access.embedded import Embedded

TASK = "site"
LINKS = 50  # articles of a list page
LIVES = (0.8, 3.5)  # seconds from start to kill
LONGEST = 300.0  # seconds that the last spider may take
_SENTENCE = "The harbour office said on day {n} that ferry {n} will run again from pier {m}, whatever the weather. "


class NumberedSite(HttpSite):
    """Numbered articles, on list pages with a link to the next; `asked`: the number of requests for each article."""

    def __init__(self, pages: int):
        super().__init__(self._respond)
        self.pages, self.asked = pages, Counter[str]()

    def publish(self, connection: "redis.Redis", folder: Path, *, every: str, delay: float) -> None:
        """Publish the task of the site."""
        file = folder / "tasks.yaml"
        file.write_text(
            "settings: {contact: https://example.org/our-crawler, allow_hosts: [127.0.0.1]}\n"
            f"tasks:\n  {TASK}:\n    example: {self.url}/a/1.html\n    pattern: /a/{{id}}.html\n"
            f"    start: {self.url}/list/1.html\n    every: {every}\n    output: out.jsonl\n    delay: {delay}\n"
            "    limit: null\n    near_duplicates: keep\n",
            "utf-8",
        )
        publish(connection, load(file), file)

    def stored(self, number: int) -> StoredPage:
        """Return the page of an article as a spider stores it."""
        path = f"/a/{number}.html"
        return StoredPage(self.url + path, self.page(path), "text/html", datetime.now(UTC))

    def page(self, path: str) -> bytes:
        """Return the page at a path; empty if there is none."""
        kind, _, name = path.strip("/").partition("/")
        if not name.removesuffix(".html").isdigit():
            return b""
        number = int(name.removesuffix(".html"))
        if kind == "list":
            first = (number - 1) * LINKS + 1
            links = [f'<a href="/a/{n}.html">Ferry {n}</a>' for n in range(first, min(first + LINKS, self.pages + 1))]
            more = f'<a href="/list/{number + 1}.html">next</a>' if first + LINKS <= self.pages else ""
            return f"<html><body>{'<br>'.join(links)}<p>{more}</p></body></html>".encode()
        self.asked[path] += 1
        text = "".join(f"<p>{_SENTENCE.format(n=number, m=number * 7 + line)}</p>" for line in range(6))
        title = f"Ferry {number}"
        return f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{text}</body></html>".encode()

    def _respond(self, path: str) -> Response:
        body = self.page(path)
        return 200 if body else 404, {}, body


def main() -> int:
    """Crawl, kill, count; return 1 if rows are missing or duplicated, else 0."""
    arguments = _arguments()
    randomly = random.Random(arguments.seed)
    with (
        tempfile.TemporaryDirectory() as name,
        Embedded(Path(name) / "redis") as url,
        NumberedSite(arguments.pages) as site,
    ):
        folder, connection = Path(name), connect(url)
        site.publish(connection, folder, every="1h", delay=arguments.delay)
        ledger = Ledger(connection, TASK)
        in_hand = 0
        for _ in range(arguments.kills):
            spider = start(folder, url, "crawl", TASK, stdout=subprocess.DEVNULL)
            time.sleep(randomly.uniform(*LIVES))
            if spider.poll() == 0 and ledger.counts().open > ledger.counts().states["fetched"]:
                print("a spider ended with 0 although pages were open")
                return 1
            spider.kill()
            spider.wait()
            in_hand += ledger.counts().states["leased"]
        code = start(folder, url, "crawl", TASK, stdout=subprocess.DEVNULL).wait(LONGEST)
        if start(folder, url, "work", "extract", "-n", "2", "--until-empty").wait(LONGEST):
            raise RuntimeError("the extraction workers failed")
        return _tell(site, folder / "out.jsonl", ledger, in_hand, code)


def _tell(site: NumberedSite, out: Path, ledger: Ledger, in_hand: int, code: int) -> int:
    rows = Counter(json.loads(line)["url"].removeprefix(site.url) for line in out.read_text("utf-8").splitlines())
    again = sum(site.asked.values()) - len(site.asked)
    counts = ledger.counts()
    facts = {
        "pages": site.pages,
        "delivered": len(rows),
        "delivered twice": sum(n - 1 for n in rows.values()),
        "requested again": again,
        "leased when a spider was killed": in_hand,
        "requested again beyond those": max(0, again - in_hand),
        "unaccounted": counts.unaccounted,
        "open": counts.open,
        "last spider's exit code": code,
    }
    for what, value in facts.items():
        print(f"{what:34} {value}")
    whole = len(rows) == site.pages and max(rows.values()) == 1 and not counts.open and not counts.unaccounted
    return 0 if whole and code == 0 and again - in_hand <= 0.01 * site.pages else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kills", description=__doc__.split("\n\n")[0])
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--delay", type=float, default=0.02, help="seconds between two requests")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
