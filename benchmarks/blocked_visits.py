"""Sites that block a crawler for three visits: `python -m benchmarks.blocked_visits DATA`.

DATA holds stored sites as for `evaluation.sites`. Each site is crawled once with a limit; then it blocks three visits
(`refused`: status 403; `login`: a redirect to a login; `captcha`: a captcha with status 200; `notice`: a page without
any words of these), then it is visited until nothing waits. No server and no pace: a run gets its answers from the
folder, and an hour passes between two visits. The table: articles written, lost (no row with the text that an unblocked
crawl gives), and twice. With `--normal` nothing is blocked: the states of a normal crawl, and its alarms.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, unquote, urlsplit

import redis

from crawler.run.fetches import Answered, Fetch
from crawler.run.run_report import RunOptions
from crawler.run.section_run import SectionRun
from crawler.task_list.file import loads
from crawler.task_list.models import Settings, Task
from crawler.task_list.publication import extraction_config
from evaluation.sites import SITES
from workers import keys
from workers.health.store import present_alarms
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.redis_access.embedded import Embedded
from workers.worker_processes.extraction_worker import ExtractionWorker

BLOCKED_VISITS = 3
MOST_VISITS = 30
HOUR = 3600.0
PATIENCE = 20.0  # seconds for which a run waits for pages that are to be tried again

Answer = tuple[int, str, str, bytes]  # status, URL after redirects, type, body
Site = Callable[[str], Answer]
CAPTCHA = (
    "<html><head><title>{0}</title></head><body><h1>{0}</h1><p>{1}</p><p>Ray: 7f{2}ac{2} 12:00:{2}</p></body></html>"
)


class Blocks:
    """A site that may block. `kind`: how it answers while it blocks; "" while it does not.

    `every`: it blocks each request whose number is divisible by this; `passes`: the URLs that it never blocks.
    """

    def __init__(self, site: Site, kind: str = "", every: int = 1):
        self.site, self.kind, self.every, self.requests = site, kind, every, 0
        self.passes: Callable[[str], bool] = lambda _: False

    def __call__(self, url: str) -> Answer:
        """Return the answer to a request."""
        self.requests += 1
        if not self.kind or self.requests % self.every or self.passes(url) or url.endswith("/robots.txt"):
            return self.site(url)
        number = self.requests % 60
        if self.kind == "refused":
            return 403, url, "text/html", b"<html><title>403 Forbidden</title><body>Forbidden</body></html>"
        if self.kind == "login":
            parts = urlsplit(url)
            target = f"{parts.scheme}://{parts.netloc}/account/enter?next={quote(parts.path, safe='')}"
            return 200, target, "text/html", CAPTCHA.format("Members", "Please log in to go on.", number).encode()
        if self.kind == "captcha":
            body = CAPTCHA.format("安全验证", "请完成安全验证后继续访问", number)
        else:
            text = "This could not be done at the moment. Wait for a little while, please, and then come back to us."
            body = CAPTCHA.format("One moment", text, number)
        return 200, url, "text/html; charset=utf-8", body.encode()


def stored_site(folder: Path, base: str, own_hosts: Mapping[str, str]) -> Site:
    """Return the site in a folder, as a web server serves it. `own_hosts`: texts that are replaced in its pages."""

    def answer(url: str) -> Answer:
        path = folder / unquote(urlsplit(url).path).lstrip("/")
        if path.is_dir():
            path /= "index.html"
        if path.name in ("truth.jsonl", "groups.json") or not path.is_file():
            return 404, url, "text/html", b"<html><title>404</title></html>"
        body = path.read_bytes()
        for host, own in own_hosts.items():
            body = body.replace(host.encode(), own.encode())
        return 200, url, "application/xml" if path.suffix == ".xml" else "text/html", body

    return answer


@dataclass(frozen=True, slots=True)
class Crawl:
    """The crawl of one task by one spider and one worker, visit by visit, in an empty Redis."""

    connection: "redis.Redis"
    task: Task
    site: Site
    folder: Path

    def publish(self) -> None:
        """Publish the task to workers."""
        config = extraction_config(self.task, self.folder, Settings())
        self.connection.hset(keys.CONFIGS, self.task.name, config.to_json())

    def visit(self, **options: Any) -> SectionRun:
        """Run the task once; the clock of pages that are to be tried again goes forward instead of a wait."""
        run = SectionRun(self.connection, self.task, RunOptions(**options))
        worker = ExtractionWorker(self.connection, "benchmark")
        run.begin()
        while True:
            fetches = run.next()
            for fetch in fetches:
                further = [fetch]
                while further:
                    further = run.settle(further[0], self._answered(further[0]))
            run.beat()
            self._extract(run, worker)
            if not fetches:
                pause = run.pause()
                if pause is None:
                    break
                self.pass_time(pause + 1)
        run.end("finished")
        self._extract(run, worker)
        worker.close()
        return run

    def pass_time(self, seconds: float) -> None:
        """Let pages that are to be tried again be due sooner."""
        delayed = Ledger(self.connection, self.task.name).keys["delayed"]
        for name in cast(list[bytes], self.connection.zrange(delayed, 0, -1)):
            self.connection.zincrby(delayed, -seconds, name)

    def until_settled(self) -> int:
        """Visit until nothing waits and no block is suspected; return the number of visits."""
        for visits in range(1, MOST_VISITS):
            self.pass_time(HOUR)
            self.visit()
            kinds = [alarm.kind for alarm in present_alarms(self.connection)]
            if not Ledger(self.connection, self.task.name).counts().open and "blocked" not in kinds:
                return visits
        return MOST_VISITS

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows that were written."""
        path = self.folder / "out.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    def _answered(self, fetch: Fetch) -> Answered:
        status, url, kind, body = self.site(fetch.url)
        return Answered(status, StoredPage(url, body, kind, datetime.now(UTC)))

    def _extract(self, run: SectionRun, worker: ExtractionWorker) -> None:
        run.articles.flush()
        while names := run.ledger.fetched_names(10):
            worker.extract_pages(self.task.name, names)


@dataclass(frozen=True, slots=True)
class AfterBlock:
    """What became of the articles: `written` once and right; `lost`; `twice`; `visits` after the block."""

    written: int
    lost: int
    twice: int
    visits: int
    alarms: tuple[str, ...]

    @classmethod
    def of(cls, rows: list[dict[str, Any]], truth: Mapping[str, str], visits: int, alarms: list[str]) -> "AfterBlock":
        """Return the outcome of a crawl whose unblocked form gives the articles `truth`: canonical URL → title."""
        versions = Counter(row["canonical_url"] for row in rows)
        newest = {row["canonical_url"]: row["title"] for row in rows}
        right = [url for url, title in truth.items() if newest.get(url) == title]
        return cls(len(right), len(truth) - len(right), sum(n > 1 for n in versions.values()), visits, tuple(alarms))


def blocked_visits(crawl: Crawl, blocks: Blocks, kind: str, limit: int, truth: Mapping[str, str]) -> AfterBlock:
    """Crawl `limit` articles, let the site block three visits, and crawl until nothing waits.

    It blocks all its pages at the second of these visits, only its articles at the others.
    """
    crawl.publish()
    if limit:
        crawl.visit(limit=limit)
    blocks.kind = kind
    for visit in range(BLOCKED_VISITS):
        blocks.passes = (lambda url: not crawl.task.pattern.match(url)) if visit != 1 else (lambda _: False)
        crawl.pass_time(HOUR)
        crawl.visit()
    alarms = [str(alarm.kind) for alarm in present_alarms(crawl.connection)]
    blocks.kind = ""
    visits = crawl.until_settled()
    return AfterBlock.of(crawl.rows(), truth, visits, alarms)


def main() -> int:
    """Print the table; exit code 1 if an article is lost or written twice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sites", nargs="*", default=list(SITES))
    parser.add_argument("--kinds", nargs="*", default=["refused", "login", "captcha", "notice"])
    parser.add_argument("--normal", action="store_true", help="only crawl; block nothing")
    arguments = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory(prefix="bl-") as state, Embedded(Path(state)) as url:
        connection = redis.Redis.from_url(url)
        for name in arguments.sites:
            task, base = loads(SITES[name].task_list("stored"))["stored"], SITES[name].base
            flink = {f"{scheme}://flink.apache.org": base for scheme in ("http", "https")}
            own = flink if name == "flink_blog_en" else {}
            blocks = Blocks(stored_site(arguments.data / "sites" / name, base, own))
            connection.flushall()
            normal = Crawl(connection, task, blocks, Path(state) / f"{name}-normal")
            normal.folder.mkdir()
            normal.publish()
            normal.visit()
            normal.until_settled()
            states = {state: n for state, n in Ledger(connection, task.name).counts().states.items() if n}
            alarms = [alarm.in_words() for alarm in present_alarms(connection)]
            print(f"{name:18} normal    {states} alarms: {alarms}", flush=True)
            if arguments.normal:
                continue
            truth = {row["canonical_url"]: row["title"] for row in normal.rows()}
            for kind in arguments.kinds:
                connection.flushall()
                crawl = Crawl(connection, task, blocks, Path(state) / f"{name}-{kind}")
                crawl.folder.mkdir()
                outcome = blocked_visits(crawl, blocks, kind, len(truth) // 2, truth)
                bad += outcome.lost + outcome.twice
                print(f"{name:18} {kind:9} {outcome}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
