"""Spiders as a user starts them: child processes against a real site and a real Redis."""

import itertools
import json
import os
import signal
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import redis

from evaluation.sample_site import PATTERNS, truth
from tests.forks import start
from tests.site.server import SiteServer
from workers.ledger import Ledger

REPOSITORY = Path(__file__).parents[2]
LEAST_GAP = 0.5  # of the delay; a busy machine may hold a request for 0.2 s between its turn and its arrival
LONGEST = 100.0  # seconds that any one run may take
ARTICLE = "/zh/news/2026/"


class Ran(NamedTuple):
    """A program that ended: its exit code, what it printed, its standard error."""

    code: int | None
    out: str
    said: str


@dataclass(frozen=True)
class Ended:
    """A spider that ended: `report` is what it printed, `said` its standard error."""

    code: int
    report: dict[str, Any]
    said: str


class Child:
    """A running spider. `scrapy`: Scrapy's own command runs it."""

    def __init__(self, task: str, folder: Path, redis_url: str, *, scrapy: bool = False, **environ: str):
        variables = environment(REDIS_URL=redis_url, **environ)
        if scrapy:
            arguments = ["crawl", "section", "-a", f"task={task}", "-a", f"tasks={folder / 'tasks.yaml'}"]
            self.process = start("scrapy", arguments, REPOSITORY, variables)
        else:
            self.process = start("console", ["crawl", task, "--json"], folder, variables)

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def end(self, within: float = LONGEST) -> Ended:
        out, said = self.process.communicate(timeout=within)
        lines = out.strip().splitlines()
        return Ended(self.process.returncode, json.loads(lines[-1]) if lines else {}, said)

    def stop(self, number: signal.Signals, within: float = LONGEST) -> Ended:
        self.process.send_signal(number)
        return self.end(within)


def environment(**more: str) -> dict[str, str]:
    """This process' environment without what would change a crawl."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("EXEMPLAR_", "REDIS_", "SCRAPY_"))
    }
    return {**kept, "PYTHONPATH": str(REPOSITORY), **more}


def run(
    program: str, arguments: Sequence[str], folder: Path, environ: Mapping[str, str], within: float = LONGEST
) -> Ran:
    """Run `python -m PROGRAM ARGUMENTS` in a folder to its end."""
    process = start(program, arguments, folder, environ)
    try:
        out, said = process.communicate(timeout=within)
        return Ran(process.returncode, out, said)
    finally:
        process.kill()


def crawl(folder: Path, redis_url: str, task: str = "zh-news", *, scrapy: bool = False, **environ: str) -> Ended:
    with Child(task, folder, redis_url, scrapy=scrapy, **environ) as child:
        return child.end()


def write_tasks(
    folder: Path, site_url: str, *, settings: str = "", names: Iterable[str] = ("zh-news",), **keys_: Any
) -> None:
    """A tasks.yaml with the site's Chinese section as tasks of these names; `settings`: a YAML map."""
    chosen = {
        "example": site_url + truth("zh")[3].path,
        "pattern": site_url + PATTERNS["zh"],
        "start": site_url + "/zh/news/",
        "every": "1h",
        "output": "out.jsonl",
        **keys_,
    }
    lines = "".join(f"    {name}: {value}\n" for name, value in chosen.items())
    said = settings or "{contact: https://example.org/our-crawler, allow_hosts: [127.0.0.1], delay: 0}"
    tasks = "".join(f"  {name}:\n{lines}" for name in names)
    (folder / "tasks.yaml").write_text(f"settings: {said}\ntasks:\n{tasks}", "utf-8")


def linked(site: SiteServer) -> set[str]:
    """The paths of the section's articles as its lists name them."""
    return {path for path in site._pages if path.startswith(ARTICLE)}


def asked_for(site: SiteServer, start: str = ARTICLE) -> list[str]:
    """The paths that were requested below `start`, in order."""
    return [request.path for request in site.requests if request.path.startswith(start)]


def gaps(site: SiteServer) -> list[float]:
    """The seconds between two requests that followed each other."""
    times = sorted(request.time for request in site.requests)
    return [later - earlier for earlier, later in itertools.pairwise(times)]


def until(condition: Callable[[], Any], within: float = 60.0) -> None:
    limit = time.monotonic() + within
    while not condition():
        assert time.monotonic() < limit, "it did not come about in time"
        time.sleep(0.01)


def states(connection: "redis.Redis", task: str = "zh-news") -> dict[str, int]:
    return {state: n for state, n in Ledger(connection, task).counts().to_dict().items() if n}


def forget_robots(connection: "redis.Redis") -> None:
    """As if the day were over for which each host's robots.txt counts."""
    for key in connection.scan_iter(match="exemplar:host:*:robots"):
        connection.delete(key)
