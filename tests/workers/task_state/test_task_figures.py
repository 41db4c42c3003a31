"""The figures of many tasks in one step are those of each task's own ledger."""

from datetime import timedelta

import redis

from workers import keys
from workers.ledger import Ledger
from workers.task_state.task_figures import TASKS_AT_ONCE, figures_of
from workers.url_states import Found


def test_the_figures_are_those_of_the_ledgers(connection: "redis.Redis") -> None:
    names = [f"task-{number}" for number in range(TASKS_AT_ONCE + 3)]
    ledger = Ledger(connection, names[-1])
    ledger.add([Found(f"https://a.example/{number}") for number in range(12)])
    leased = ledger.lease(9)
    for one, state in zip(leased, ["written"] * 3 + ["failed", "rejected", "duplicate", "written"], strict=False):
        ledger.settle(one.fingerprint, state, "x")
    ledger.arrive(leased[-1].fingerprint, {"body": b"x", "url": "u", "takes": 0})
    connection.lpush(keys.of_task(names[-1], "runs"), '{"outcome": "finished"}')
    today = ledger.today()
    found = figures_of(connection, names, [today - timedelta(days=1), today])
    assert list(found) == names
    assert found[names[-1]].counts == ledger.counts()
    assert found[names[-1]].counts.unaccounted == 0
    assert found[names[-1]].days == (0, 4)
    assert found[names[-1]].last_run == {"outcome": "finished"}
    assert found[names[0]].counts.seen == 0
    assert found[names[0]].last_run is None
