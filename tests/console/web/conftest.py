"""A console on a test Redis, with a browser's and a program's view of it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from httpx2 import Response
from playwright.sync_api import Browser, BrowserContext, Page
from starlette.testclient import TestClient

from console.web.app import create_app
from console.web.config import ConsoleConfig
from console.web.context import Web
from console.web.data import ConsoleData
from crawler.run.run_report import RunReport, keep_report
from crawler.scheduling.schedule import Schedule
from crawler.task_list.file import load
from crawler.task_list.publication import periods_of, publish
from tests.console.web.injections import WATCH
from workers import keys
from workers.health.alarms import Alarm, AlarmKind
from workers.ledger import Ledger
from workers.url_states import Found

NAMES = ("harbour", "学校新闻")
TASKS = "".join(
    f"  {name}:\n    example: https://news.example/{number}/a/1.html\n"
    f"    pattern: https://news.example/{number}/a/{{id}}.html\n    every: 1h\n    output: out/{{task}}.jsonl\n"
    for number, name in enumerate(NAMES)
)


class ConsoleClient(TestClient):
    """A client with what its console is made of."""

    web: Web

    def act(self, path: str, **fields: str) -> Response:
        """Send a form with the token of this client's session."""
        return self.post(path, data={"csrf": form_token(self), **fields})


MakeConsole = Callable[..., ConsoleClient]


def row_of(number: int, **changes: Any) -> dict[str, Any]:
    """A row as an output has it."""
    url = f"https://news.example/0/a/{number}.html"
    return {
        "task": NAMES[0],
        "url": url,
        "canonical_url": url,
        "title": f"Article {number}",
        "text": f"The {number}th article of the harbour. 港口新闻第{number}号。",
        "method": "example",
        "confidence": 0.97,
        "reason": "",
        "language": "en",
        "fetched_at": f"2026-11-{1 + number % 20:02}T10:00:00+00:00",
        "version": 1,
        **changes,
    }


@pytest.fixture
def tasks_yaml(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.yaml"
    path.write_text(f"# written by hand\ntasks:\n{TASKS}\nsettings:\n  contact: https://example.org/crawler\n", "utf-8")
    return path


@pytest.fixture
def published(tasks_yaml: Path, connection: "redis.Redis") -> Path:
    """The task list in force, with a run, an article found, a page that failed and one that was rejected."""
    tasks = load(tasks_yaml)
    publish(connection, tasks, tasks_yaml)
    Schedule(connection).plan(periods_of(tasks.tasks))
    ledger = Ledger(connection, NAMES[0])
    urls = [f"https://news.example/0/a/{number}.html" for number in range(1, 5)]
    ledger.add([Found(url, rank) for rank, url in enumerate(urls)])
    for leased, (state, reason) in zip(
        ledger.lease(3), [("written", ""), ("failed", "http 500"), ("rejected", "a list: 5 of 10")], strict=True
    ):
        ledger.settle(leased.fingerprint, state, reason)
    report = RunReport(NAMES[0], "2026-11-22T10:00:00+00:00", "2026-11-22T10:01:00+00:00", "finished", lists=2, found=4)
    keep_report(connection, report)
    out = tasks_yaml.parent / "out" / f"{NAMES[0]}.jsonl"
    out.parent.mkdir()
    out.write_text("".join(json.dumps(row_of(number), ensure_ascii=False) + "\n" for number in range(1, 31)), "utf-8")
    return tasks_yaml


@pytest.fixture
def console(tasks_yaml: Path, redis_url: str, connection: "redis.Redis") -> Iterator[MakeConsole]:
    """Make a client of a console. `password` and `token` as in its config; the index is up to date."""
    made: list[ConsoleClient] = []

    def make(**options: Any) -> ConsoleClient:
        config = ConsoleConfig(tasks_yaml, **options)
        data = ConsoleData(config, redis_url, connection, tasks_yaml.parent / ".exemplar")
        data.update_index()
        web = Web(data)
        client = ConsoleClient(create_app(web), base_url="http://127.0.0.1:8300", follow_redirects=False)
        client.web = web
        made.append(client)
        return client

    yield make
    for client in made:
        client.close()


@pytest.fixture
def client(published: Path, console: MakeConsole) -> ConsoleClient:
    """A client of a console whose task list is in force."""
    return console()


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """A browser in which `__runs` counts what hostile pages run."""
    context = chromium.new_context(locale="en-US", viewport={"width": 1280, "height": 800})
    context.add_init_script(WATCH)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


def raise_alarm(connection: "redis.Redis", task: str, kind: AlarmKind, evidence: str, *urls: str) -> None:
    """Open an alarm of a task."""
    alarm = Alarm(task, kind, "open", 1e9, 1e9, 1e9, 3, evidence, urls)
    connection.hset(keys.ALARMS, task, json.dumps([alarm.to_dict()]))


def form_token(client: TestClient, path: str = "/add") -> str:
    """The token of the forms of this client's session."""
    text = client.get(path).text
    return text.partition('name="csrf" value="')[2].partition('"')[0]
