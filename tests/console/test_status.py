"""What `status` shows of hosts that are slowed down or closed."""

import json
from pathlib import Path

import pytest
import redis
from click.testing import CliRunner

from console.commands.status import command
from crawler.politeness import Pace, Trouble
from workers import keys

HOST = "site.example:80"


@pytest.fixture
def told(connection: "redis.Redis", redis_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> "redis.Redis":
    monkeypatch.setenv("REDIS_URL", redis_url)
    monkeypatch.chdir(tmp_path)
    pace = Pace(connection)
    pace.trouble(HOST, pace.ask(HOST, 0).at, Trouble("http 429; the host asks for 600 s", 600.0, slow=True))
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
    assert line.endswith("(http 429; the host asks for 600 s)")


def test_json_has_the_hosts_too(told: "redis.Redis") -> None:
    [host] = json.loads(CliRunner().invoke(command, ["--json"]).output)["hosts"]
    assert (host["host"], host["state"], host["why"]) == (HOST, "closed", "http 429; the host asks for 600 s")
    assert host["until"].endswith("+00:00")
