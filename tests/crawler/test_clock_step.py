"""Redis' clock is set back by an hour: pace, crew and schedule go on within their usual waits, and never faster."""

from collections.abc import Iterator
from typing import cast

import pytest
import redis

from crawler.politeness.pace import HostProblem, Pace
from crawler.run.spider_coordination import SILENT_SECONDS, Crew
from crawler.scheduling.schedule import LEASE_SECONDS, Schedule
from tests.redis_clock import RedisWithClock, redis_with_clock
from workers.redis_access.connection import client

HOUR = 3600
HOST, TASK = "news.example:80", "gazette"


@pytest.fixture(scope="module")
def server() -> Iterator[RedisWithClock]:
    with redis_with_clock() as server:
        yield server


@pytest.fixture
def ahead(server: RedisWithClock) -> Iterator["redis.Redis"]:
    """A Redis whose clock is an hour ahead."""
    with client(server.url) as connection:
        connection.flushall()
        server.set(HOUR)
        yield connection


class Clock:
    """Redis' clock, read at each call, and moved on by the test."""

    def __init__(self, connection: "redis.Redis"):
        self.redis, self.later = connection, 0.0

    def __call__(self) -> float:
        seconds, microseconds = cast("tuple[int, int]", self.redis.time())
        return seconds + microseconds / 1e6 + self.later


@pytest.fixture
def clock(ahead: "redis.Redis") -> Clock:
    return Clock(ahead)


def test_the_next_permit_is_an_interval_away_no_more_no_less(server: RedisWithClock, ahead: "redis.Redis") -> None:
    pace = Pace(ahead)
    assert pace.request_permit(HOST, 50.0).wait == 0
    server.set(0)
    assert 49 < pace.request_permit(HOST, 50.0).wait <= 50
    server.set(48)
    assert 0 < pace.request_permit(HOST, 50.0).wait <= 2
    server.set(51)
    assert pace.request_permit(HOST, 50.0).wait == 0


def test_after_a_step_forward_and_back_the_pace_is_kept(server: RedisWithClock, ahead: "redis.Redis") -> None:
    server.set(0)
    pace = Pace(ahead)
    assert pace.request_permit(HOST, 50.0).wait == 0
    server.set(HOUR)
    assert pace.request_permit(HOST, 50.0).wait == 0
    server.set(0)
    assert 49 < pace.request_permit(HOST, 50.0).wait <= 50


@pytest.mark.parametrize(
    "problem",
    [HostProblem("429", rest=100.0, slow=True), HostProblem("unavailable", failed=True)],
    ids=["Retry-After", "breaker"],
)
def test_a_closed_host_opens_in_its_time(server: RedisWithClock, ahead: "redis.Redis", problem: HostProblem) -> None:
    pace = Pace(ahead)
    for _ in range(8):
        pace.report(HOST, pace.request_permit(HOST, 0.0).at, problem)
    wait = pace.request_permit(HOST, 0.0).wait
    server.set(0)
    assert wait - 2 < pace.request_permit(HOST, 0.0).wait <= wait + 2
    server.set(int(wait) + 3)
    assert pace.request_permit(HOST, 0.0).wait == 0


def test_a_permit_from_before_the_step_is_not_renewed(server: RedisWithClock, ahead: "redis.Redis") -> None:
    times = iter([0.0])
    pace = Pace(ahead, clock=lambda: next(times, 1.0))
    permit = pace.request_permit(HOST, 50.0)
    server.set(0)
    assert pace.in_time(HOST, permit, 50.0) is None


def test_a_dead_spiders_place_expires_and_its_walk_is_restarted(server: RedisWithClock, ahead: "redis.Redis") -> None:
    dead, other = Crew(ahead, TASK, process="other:1"), Crew(ahead, TASK, process="other:2")
    dead.join()
    server.set(0)
    other.join()
    assert (other.others, other.walks) == (1, False)
    server.set(int(SILENT_SECONDS) + 1)
    other.renew()
    assert (other.others, other.walks) == (0, True)


def test_a_walk_that_ended_before_the_step_ends_no_later_walk(server: RedisWithClock, ahead: "redis.Redis") -> None:
    first = Crew(ahead, TASK)
    first.join()
    first.leave(walk_ended=True)
    server.set(0)
    later = Crew(ahead, TASK)
    later.join()
    assert (later.walks, later.walk_ended) == (True, False)


def step_back(server: RedisWithClock, schedule: Schedule) -> None:
    """Set the clock back, between two looks of a scheduler."""
    schedule.fire()
    server.set(0)
    schedule.fire()


def test_a_task_is_due_after_its_usual_period(server: RedisWithClock, ahead: "redis.Redis", clock: Clock) -> None:
    schedule = Schedule(ahead, clock)
    schedule.plan({TASK: "600s"})
    assert schedule.fire() == [TASK]
    lease = schedule.lease()
    assert lease is not None
    schedule.done(lease)
    step_back(server, schedule)
    clock.later = 590
    assert schedule.fire() == []
    clock.later = 603
    assert schedule.fire() == [TASK]


def test_a_dead_workers_run_is_leased_again(server: RedisWithClock, ahead: "redis.Redis", clock: Clock) -> None:
    schedule = Schedule(ahead, clock)
    schedule.fire_now([TASK])
    assert schedule.lease() is not None
    step_back(server, schedule)
    assert schedule.lease() is None
    clock.later = LEASE_SECONDS + 2
    assert schedule.lease() is not None
