"""Back-pressure: what is counted, at which marks a spider slows down, pauses and goes on."""

import pytest

from workers import keys
from workers.backpressure import Load, Marks, Pressure, Stored, load_of, next_level, stored
from workers.inbox import Inbox
from workers.redis_access.full_redis import RedisMemory
from workers.reporting.presence import alive

from .helpers import TASK, article, deliver

FREE = RedisMemory(10, 100)


def test_what_waits_is_counted_until_it_is_settled(connection, ledger):
    names = deliver(connection, {1: article(1), 2: article(2)})
    load = load_of(connection, TASK)
    sizes = [
        sum(
            len(value)
            for field, value in connection.hgetall(f"{ledger.keys['page']}:{name}").items()
            if field != b"bytes"
        )
        for name in names
    ]
    assert load.of_task == load.of_all == stored(connection) == Stored(2, sum(sizes))
    ledger.settle(names[0], "rejected", "")
    assert load_of(connection, TASK).of_all == Stored(1, sizes[1])
    ledger.drop(names[1])
    assert load_of(connection, TASK).of_task == stored(connection) == Stored()
    assert not connection.exists(keys.STORED, ledger.keys["stored"])


def test_pages_that_a_worker_of_an_older_version_settled_are_subtracted_when_the_task_is_idle(connection, ledger):
    deliver(connection, {1: article(1)}, task="other")
    names = deliver(connection, {1: article(1), 2: article(2)})
    for name in names:
        connection.hdel(f"{ledger.keys['page']}:{name}", "bytes")  # so that settling does not count it down
        ledger.settle(name, "written", "")
    assert stored(connection).pages == 3
    Inbox(connection).sweep()
    assert stored(connection) == load_of(connection, "other").of_task
    assert stored(connection).pages == 1


@pytest.mark.parametrize(
    ("load", "share", "cause"),
    [
        (Load(Stored(5, 10), Stored(20, 10), FREE), 0.5, "task"),
        (Load(Stored(1, 90), Stored(20, 100), FREE), 0.9, "task"),
        (Load(Stored(1, 1), Stored(90, 100), FREE), 0.9, "all tasks"),
        (Load(Stored(1, 1), Stored(2, 400), FREE), 0.4, "all tasks"),
        (Load(Stored(), Stored(), RedisMemory(40, 100)), 0.8, "memory"),
        (Load(Stored(), Stored(), RedisMemory(40, 0)), 0.0, "task"),
    ],
)
def test_the_largest_share_of_a_mark_decides(load, share, cause):
    marks = Marks(task_pages=10, task_bytes=100, pages=100, bytes=1000, memory=0.5)
    strongest = load.strongest(marks)
    assert strongest[0] == pytest.approx(share)
    if share:
        assert strongest[1] == cause


def test_between_two_bounds_the_level_stays():
    levels, level = [], "go"
    for share in (0.4, 0.7, 0.8, 0.6, 0.9, 1.1, 0.8, 0.76, 0.7, 0.55, 0.45, 0.7):
        level = next_level(level, share)
        levels.append(level)
    assert levels == [
        "go", "go", "slow", "slow", "slow", "pause", "pause", "pause", "slow", "slow", "go", "go",
    ]  # fmt: skip


def test_a_spider_that_pauses_tells_what_it_waits_for(connection, ledger):
    now = [0.0]
    pressure = Pressure(connection, TASK, Marks(task_pages=2), clock=lambda: now[0])
    names = deliver(connection, {1: article(1), 2: article(2)})
    assert pressure.look() == "pause"
    [process] = alive(connection)
    assert (process["role"], process["task"], process["level"]) == ("spider", TASK, "pause")
    assert process["waits"] == "2 of 2 pages that may wait for extraction"
    for name in names:
        ledger.settle(name, "written", "")
    assert pressure.look() == "pause"  # Redis is read once a second
    now[0] += 1.0
    assert pressure.look() == "go"
    assert (alive(connection), pressure.paused_for) == ([], 1.0)
