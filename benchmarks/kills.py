"""Losses by killed spiders: one crawl of a large site, whose spider is killed repeatedly at random times.

    python -m benchmarks.kills --pages 2000 --kills 50

A site on loopback that logs its requests, a real Redis, real spider processes that get SIGKILL, and at the end real
extraction workers that write the rows. The figures: rows compared with pages, duplicate rows, and pages that were
requested again although no killed spider had leased them.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from crawler.task_list.file import load
from crawler.task_list.publication import publish
from workers.ledger import Ledger
from workers.redis_access.connection import connect
from workers.redis_access.embedded import Embedded

TASK = "site"
LINKS = 50  # articles of a list page
LIVES = (0.8, 3.5)  # seconds from start to kill
LONGEST = 300.0  # seconds that the last spider may take
_SENTENCE = "The harbour office said on day {n} that ferry {n} will run again from pier {m}, whatever the weather. "


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Ignore connections of killed spiders."""


class NumberedSite:
    """Numbered articles, on list pages with a link to the next; `asked`: the number of requests for each article."""

    def __init__(self, pages: int):
        self.pages, self.asked = pages, Counter[str]()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                """Respond, and count the request."""
                body = site.page(self.path)
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

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

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()


def main() -> int:
    """Crawl, kill, count; return 1 if rows are missing or duplicated, else 0."""
    arguments = _arguments()
    randomly = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as name, Embedded(Path(name) / "redis") as url:
        folder, site = Path(name), NumberedSite(arguments.pages)
        _publish(folder, url, site, arguments.delay)
        ledger = Ledger(connect(url), TASK)
        in_hand = 0
        for _ in range(arguments.kills):
            spider = _spider(folder, url)
            time.sleep(randomly.uniform(*LIVES))
            if spider.poll() == 0 and ledger.counts().open > ledger.counts().states["fetched"]:
                print("a spider ended with 0 although pages were open")
                return 1
            spider.kill()
            spider.wait()
            in_hand += ledger.counts().states["leased"]
        last = _spider(folder, url)
        code = last.wait(LONGEST)
        _extract(folder, url)
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


def _publish(folder: Path, url: str, site: NumberedSite, delay: float) -> None:
    file = folder / "tasks.yaml"
    file.write_text(
        "settings: {contact: https://example.org/our-crawler, allow_hosts: [127.0.0.1]}\n"
        f"tasks:\n  {TASK}:\n    example: {site.url}/a/1.html\n    pattern: /a/{{id}}.html\n"
        f"    start: {site.url}/list/1.html\n    every: 1h\n    output: out.jsonl\n    delay: {delay}\n"
        "    limit: null\n    near_duplicates: keep\n",
        "utf-8",
    )
    publish(connect(url), load(file), file)


def _spider(folder: Path, url: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "console", "crawl", TASK],
        cwd=folder,
        env={**os.environ, "REDIS_URL": url, "PYTHONPATH": str(Path(__file__).parents[1])},
        stdout=subprocess.DEVNULL,
    )


def _extract(folder: Path, url: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "console", "work", "extract", "-n", "2", "--until-empty"],
        cwd=folder,
        env={**os.environ, "REDIS_URL": url, "PYTHONPATH": str(Path(__file__).parents[1])},
        check=True,
        timeout=LONGEST,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kills", description=__doc__.split("\n\n")[0])
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--delay", type=float, default=0.02, help="seconds between two requests")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
