"""`exemplar alarms`, and alarms in `status` and `check`."""

import json
from pathlib import Path

import redis

from tests.console.calls import edit
from tests.console.conftest import Exemplar
from tests.workers.http_receiver import Receiver
from workers.health.observations import PageObservation, to_json
from workers.health.store import update_health
from workers.ledger import Ledger
from workers.url_states import Found

TASK = "gazette"


def changed(connection: "redis.Redis", task: str = TASK) -> None:
    """A task whose last pages do not fit its template."""
    ledger = Ledger(connection, task)
    ledger.add([Found("http://gazette.example/a/1.html")])
    for number in range(40):
        match = 0.8 if number < 30 else 0.1
        url = f"http://gazette.example/a/{number}.html"
        page = PageObservation(1.7e9 + number, url, "article", "example", match, 1000, number + 1, number + 1)
        ledger.observe(to_json(page))
    update_health(connection, task)


def test_open_alarms_are_shown_with_evidence_and_dismissed(on_redis: Exemplar, connection: "redis.Redis") -> None:
    changed(connection)
    shown = on_redis("alarms").failed(1)
    assert "gazette: template changed (since 2023-11-14 22:13 UTC)" in shown.out
    assert "10% of the lines around the text match (usually 80%)" in shown.out
    assert "what to do: `exemplar proposals gazette` shows a new example" in shown.out
    assert "alarm: gazette: template changed" in on_redis("status").out
    report = json.loads(on_redis("alarms", TASK, "--json").out)
    assert report["alarms"][0]["kind"] == "template changed"
    assert on_redis("alarms", TASK, "--dismiss", "--kind", "blocked").out.endswith("is open\n")
    assert "dismissed: template changed" in on_redis("alarms", TASK, "--dismiss").out
    after = on_redis("alarms", TASK)
    assert (after.code, after.out.splitlines()[0]) == (0, "gazette: no open alarms")
    assert "earlier: template changed: dismissed" in after.out
    on_redis("alarms", "gazete").failed(2, "gazette")


def test_a_test_notice_is_sent_and_check_sends_none(in_process: Exemplar, folder: Path) -> None:
    edit(folder, "defaults:\n", "defaults:\n  notify: ['${HOOK}', 'nosuch://${HOOK}']\n")
    with Receiver() as receiver:
        hook = f"json://127.0.0.1:{receiver.port}/"
        checked = in_process("check", "--no-outputs", HOOK=hook)
        assert "notify: nosuch://*** (${HOOK}): apprise supports no service" in checked.err
        assert receiver.requests == []
        sent = in_process("alarms", "--test", HOOK=hook).failed(1)
        assert sent.out == "sent to ${HOOK}\n"
        assert [json.loads(request.body)["title"] for request in receiver.requests] == ["Exemplar: a test"]
