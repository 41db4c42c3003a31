"""CPU of the console for each of its pages, with many tasks and articles.

    python -m benchmarks.web_pages --tasks 1000 --articles 1000000

It makes a task list with ledgers, runs and failures in a separate Redis, writes the articles to JSONL files, builds the
index, and requests each page in turn, with another query and page number each time. It prints, for each page, median,
95th percentile and maximum of this process' CPU time in milliseconds, including rendering; and the rate of the
indexing. `--folder` keeps the files, so that a second call with it does not build them again. The last line is a
scrape of the metrics, with the CPU time of Redis in addition.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import redis
from starlette.testclient import TestClient

from benchmarks.processes import cpu_of_redis, percentile
from console.web.api_types import ArticleQuery
from console.web.app import create_app
from console.web.config import ConsoleConfig
from console.web.context import Web
from console.web.data import ConsoleData
from crawler.run.run_report import RunReport, keep_report
from crawler.scheduling.schedule import Schedule
from crawler.task_list.file import load
from crawler.task_list.publication import periods_of, publish
from workers.ledger import Ledger
from workers.redis_access.connection import connect
from workers.redis_access.embedded import Embedded
from workers.url_states import Found

LATIN = (
    "harbour", "bridge", "council", "market", "school", "river", "library", "festival", "train", "museum", "budget",
    "storm", "garden", "summer", "ferry",
)  # fmt: skip
CHINESE = (
    "港口", "大桥", "市场", "学校", "图书馆", "经济", "增长", "天气", "新闻", "河流", "博物馆", "预算", "花园", "夏天",
    "列车",
)  # fmt: skip
BAR = 300.0  # milliseconds of CPU at the 95th percentile
WORDS = 40  # words of an article
FAILURES = 40  # failures of every tenth task
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> int:
    """Measure, and return 1 if a page is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--articles", type=int, default=1_000_000)
    parser.add_argument("--requests", type=int, default=40, help="of each page")
    parser.add_argument("--folder", type=Path, help="where to keep the files")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="web-pages-") as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        with console(folder, given.tasks, given.articles) as (client, web):
            slow = measure(client, web, given.tasks, given.requests)
            measure_scrape(client, web, given.requests)
            return slow


@contextmanager
def console(folder: Path, tasks: int, articles: int) -> Iterator[tuple[TestClient, Web]]:
    """Yield a client of a console with `tasks` tasks and `articles` articles."""
    file = folder / "tasks.yaml"
    is_new = not file.exists()
    if is_new:
        file.write_text("tasks:\n" + "".join(map(_task, range(tasks))), "utf-8")
    with Embedded(folder / "state") as url:
        connection = connect(url)
        if is_new:
            _fill_redis(connection, file)
            _write_articles(folder, tasks, articles)
        data = ConsoleData(ConsoleConfig(file), url, connection, folder / "state")
        _build_index(data, folder, tasks)
        web = Web(data)
        with TestClient(create_app(web), base_url="http://127.0.0.1:8300", follow_redirects=False) as client:
            yield client, web
        data.stop()
        connection.close()


def _build_index(data: ConsoleData, folder: Path, tasks: int) -> None:
    started, count = time.process_time(), data.update_index()
    seconds = time.process_time() - started
    if count:
        print(f"indexed {count:,} articles, {count / seconds:,.0f} a second of CPU", flush=True)
    size = sum(path.stat().st_size for path in (folder / "state" / "console").iterdir())
    print(f"index: {size / 2**20:,.0f} MiB; {tasks:,} tasks", flush=True)


def _name(number: int) -> str:
    return f"site-{number:04}"


def _task(number: int) -> str:
    base = f"https://{_name(number)}.example/news"
    return (
        f"  {_name(number)}:\n    example: {base}/1.html\n    pattern: {base}/{{id}}.html\n    every: 1h\n"
        f"    output: out/{number % 10}.jsonl\n"
    )


def _fill_redis(connection: "redis.Redis", file: Path) -> None:
    tasks = load(file)
    publish(connection, tasks, file)
    Schedule(connection).plan(periods_of(tasks.tasks))
    for number, name in enumerate(tasks.tasks):
        ledger = Ledger(connection, name)
        ledger.add([Found(f"https://{name}.example/news/{page}.html", page) for page in range(60)])
        for place, leased in enumerate(ledger.lease(50)):
            failed = number % 10 == 0 and place < FAILURES
            ledger.settle(
                leased.fingerprint, "failed" if failed else "written", f"http {500 + place % 7}" if failed else ""
            )
        for _ in range(20):
            keep_report(
                connection, RunReport(name, "2026-11-22T10:00:00+00:00", "2026-11-22T10:01:00+00:00", "finished")
            )


def _write_articles(folder: Path, tasks: int, articles: int) -> None:
    """Write the rows to ten files, each in the order of time."""
    dice = random.Random(1)
    (folder / "out").mkdir()
    step = timedelta(days=300) / max(articles, 1)
    for file in range(10):
        with (folder / "out" / f"{file}.jsonl").open("w", encoding="utf-8") as out:
            for number in range(file, articles, 10):
                task = number % tasks
                is_chinese = task % 2 == 1
                words = dice.choices(CHINESE if is_chinese else LATIN, k=WORDS)
                url = f"https://{_name(task)}.example/news/{number}.html"
                text = ("" if is_chinese else " ").join(words) + f" n{number}"
                row = {
                    "task": _name(task), "url": url, "canonical_url": url, "title": text[:40], "text": text,
                    "method": "example", "confidence": 0.97, "language": "zh" if is_chinese else "en", "version": 1,
                    "fetched_at": (BEGUN + step * number).isoformat(),
                }  # fmt: skip
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


def _paths(web: Web, tasks: int, turn: int) -> dict[str, str]:
    """Return one address of each page; they differ from turn to turn."""
    dice = random.Random(turn)
    name, latin, chinese = _name(dice.randrange(tasks)), dice.choice(LATIN), dice.choice(CHINESE)
    newest = web.data.index.search(ArticleQuery(), 1).articles[0].id
    return {
        "tasks": f"/?page={1 + turn % 20}&sort={dice.choice(('health', 'name', 'next', 'articles'))}",
        "tasks, by name": f"/?q={dice.randrange(10)}{dice.randrange(10)}",
        "task": f"/tasks/{name}",
        "task: links": f"/tasks/{_name(10 * dice.randrange(max(1, tasks // 10)))}/links",
        "task: articles": f"/tasks/{name}/articles",
        "task: settings": f"/tasks/{name}/settings",
        "articles": "/articles",
        "articles: a word": f"/articles?q={latin}",
        "articles: Chinese": f"/articles?q={chinese}{dice.choice(CHINESE)}",
        "articles: a rare word": f"/articles?q=n{dice.randrange(1000)}",
        "articles: word, task": f"/articles?q={latin}&task={name}",
        "articles: word, language, days": f"/articles?q={latin}&language=en&since=2026-03-01&until=2026-03-20",
        "articles: two words, old page": f"/articles?q={latin}+{dice.choice(LATIN)}&before={newest // 1000 * 995}",
        "article": f"/articles/{newest}",
        "failures": f"/failures?page={1 + turn % 5}",
        "schedule": "/schedule",
        "machines": "/machines",
        "api: tasks": f"/api/tasks?offset={50 * (turn % 20)}",
        "api: articles": f"/api/articles?q={latin}",
    }


def measure(client: TestClient, web: Web, tasks: int, requests: int) -> int:
    """Request the pages, print a table, and return 1 if one is above the limit."""
    spent: dict[str, list[float]] = {}
    for turn in range(requests + 2):
        for title, path in _paths(web, tasks, turn).items():
            web.data.snapshots.expire()  # the worst case: each page reads all tasks again
            started = time.process_time()
            answer = client.get(path)
            seconds = time.process_time() - started
            if answer.status_code != 200:
                raise SystemExit(f"{path}: {answer.status_code}")
            if turn >= 2:  # the first turns compile templates
                spent.setdefault(title, []).append(1000 * seconds)
    print(f"{'page':34}{'median':>8}{'p95':>8}{'most':>8}  ms of CPU")
    worst = 0.0
    for title, values in spent.items():
        p95 = percentile(values, 0.95)
        worst = max(worst, p95)
        print(f"{title:34}{statistics.median(values):8.0f}{p95:8.0f}{max(values):8.0f}")
    print(f"largest 95th percentile: {worst:.0f} ms (bar: {BAR:.0f})")
    return int(worst > BAR)


def measure_scrape(client: TestClient, web: Web, requests: int) -> None:
    """Print the cost of a scrape of the metrics."""
    connection = web.data.redis
    costs = []
    for _ in range(requests + 1):
        own, of_redis = time.process_time(), cpu_of_redis(connection)
        answer = client.get("/metrics")
        costs.append((1000 * (time.process_time() - own), 1000 * (cpu_of_redis(connection) - of_redis)))
    own, of_redis = (statistics.median(column) for column in zip(*costs[1:], strict=True))  # the first loads scripts
    series = sum(not line.startswith("#") for line in answer.text.splitlines())
    size = len(answer.content) / 1e6
    print(f"a scrape: {own:.0f} ms of CPU and {of_redis:.0f} of Redis, {size:.1f} MB, {series:,} series")


if __name__ == "__main__":
    sys.exit(main())
