"""What `status` shows of hosts that are slowed down or closed."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest
import redis
from click.testing import CliRunner

from console.commands.status import command
from crawler.politeness.pace import HostProblem, Pace
from tests.console.conftest import Exemplar
from workers import keys
from workers.ledger import Ledger
from workers.url_states import Found, fingerprint

HOST = "site.example:80"


@pytest.fixture
def told(connection: "redis.Redis", redis_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> "redis.Redis":
    monkeypatch.setenv("REDIS_URL", redis_url)
    monkeypatch.chdir(tmp_path)
    pace = Pace(connection)
    problem = HostProblem("http 429; Retry-After: 600 s", 600.0, slow=True)
    pace.on_problem(HOST, pace.request_permit(HOST, 0).at, problem)
    connection.hset(
        keys.TASKS,
        "news",
        json.dumps(
            {
                "example": "http://site.example/a/1.html",
                "pattern": "http://site.example/a/{id}.html",
                "every": "1h",
                "output": ["out.jsonl"],
            }
        ),
    )
    connection.set(keys.SETTINGS, "{}")
    return connection


def test_a_closed_host_is_shown_with_its_time_and_reason(told: "redis.Redis") -> None:
    shown = CliRunner().invoke(command, []).output
    [line] = [line for line in shown.splitlines() if HOST in line]
    assert line.startswith(f"host {HOST}: closed until ")
    assert line.endswith("(http 429; Retry-After: 600 s)")


def test_only_named_tasks_are_shown(told: "redis.Redis") -> None:
    told.hset(keys.TASKS, "other", cast(str, told.hget(keys.TASKS, "news")))
    done = CliRunner().invoke(command, ["news", "--json"])
    assert [row["task"] for row in json.loads(done.stdout)["tasks"]] == ["news"]
    unknown = CliRunner().invoke(command, ["nws"])
    assert (unknown.exit_code, "unknown task 'nws'; did you mean 'news'?" in unknown.output) == (2, True)


def test_json_has_the_hosts_too(told: "redis.Redis") -> None:
    [host] = json.loads(CliRunner().invoke(command, ["--json"]).output)["hosts"]
    assert (host["host"], host["state"], host["why"]) == (HOST, "closed", "http 429; Retry-After: 600 s")
    assert host["until"].endswith("+00:00")


def test_the_counts_of_each_day_add_up(told: "redis.Redis") -> None:
    ledger = Ledger(told, "news")
    ledger.add([Found(f"http://a.example/{number}") for number in range(3)])
    ledger.settle(fingerprint("http://a.example/0"), "written", "")
    row = json.loads(CliRunner().invoke(command, ["--days", "news", "--json"]).stdout)
    assert (row["seen"], row["open"], row["written"]) == (3, 2, 1)
    assert row["seen"] == sum(row[name] for name in ("open", "written", "duplicate", "rejected", "failed", "forgotten"))
    shown = CliRunner().invoke(command, ["--days", "news"]).stdout.splitlines()
    assert shown[0].split("\t")[:3] == ["day", "seen", "open"]
    assert shown[1].split("\t")[1:3] == ["3", "2"]


def test_the_time_of_a_problem_is_told_as_all_times_are(
    exemplar: Exemplar, connection: "redis.Redis", redis_url: str
) -> None:
    ledger = Ledger(connection, "zh-news")
    ledger.add([Found("http://a.example/1")])
    [leased] = ledger.lease(1)
    ledger.settle(leased.fingerprint, "failed", "http 418")
    [row] = exemplar("status", "--problems", "zh-news", "--json", REDIS_URL=redis_url).events
    assert (row["reason"], datetime.fromisoformat(row["at"]).tzinfo) == ("http 418", UTC)
