"""What `status` shows of hosts that are slowed down or closed."""

import json
import time
from datetime import timedelta
from typing import cast

import pytest
import redis

from crawler.politeness.pace import HostProblem, Pace
from crawler.scheduling.schedule import Schedule
from tests.console.conftest import Exemplar
from workers import keys
from workers.ledger import Ledger
from workers.task_state.forgetting import expire
from workers.url_states import Found, fingerprint

HOST = "site.example:80"


@pytest.fixture
def told(connection: "redis.Redis") -> "redis.Redis":
    pace = Pace(connection)
    problem = HostProblem("http 429; Retry-After: 600 s", 600.0, slow=True)
    pace.report(HOST, pace.request_permit(HOST, 0).at, problem)
    pages = {"example": "http://site.example/a/1.html", "pattern": "http://site.example/a/{id}.html"}
    connection.hset(keys.TASKS, "news", json.dumps({**pages, "every": "1h", "output": ["out.jsonl"]}))
    connection.set(keys.SETTINGS, "{}")
    return connection


def test_only_named_tasks_are_shown(told: "redis.Redis", on_redis: Exemplar) -> None:
    told.hset(keys.TASKS, "other", cast(str, told.hget(keys.TASKS, "news")))
    done = on_redis("status", "news", "--json")
    assert [row["task"] for row in json.loads(done.out)["tasks"]] == ["news"]
    on_redis("status", "nws").failed(2, "unknown task 'nws'; did you mean 'news'?")


def test_a_task_is_due_or_paused_or_removed(told: "redis.Redis", on_redis: Exemplar) -> None:
    news = json.loads(cast(str, told.hget(keys.TASKS, "news")))
    told.hset(
        keys.TASKS, mapping={name: json.dumps(news | {"paused": name == "resting"}) for name in ("late", "resting")}
    )
    Ledger(told, "former").add([Found("http://site.example/a/2.html", 0)])
    Schedule(told).fire_now(["late", "resting", "former"])
    states = {row["task"]: row["state"] for row in json.loads(on_redis("status", "--json").out)["tasks"]}
    assert states == {"news": "idle", "late": "due", "resting": "paused", "former": "removed"}


def test_forgotten_urls_are_a_column_if_there_are_any(told: "redis.Redis", on_redis: Exemplar) -> None:
    ledger = Ledger(told, "news")
    ledger.add([Found("http://a.example/0")])
    ledger.settle(fingerprint("http://a.example/0"), "written", "")
    assert on_redis("status").out.splitlines()[0].split()[-1] == "failed"
    ledger.clock = lambda: time.time() + 3 * 86400
    assert expire(ledger, timedelta(days=2)) == 1
    titles, row, *_ = map(str.split, on_redis("status").out.splitlines())
    assert (titles[-1], row[-1]) == ("forgotten", "1")
