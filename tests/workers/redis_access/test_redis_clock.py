"""All processes go by Redis' clock, whatever their own clocks show."""

import logging
import time

import pytest

from tests.workers.servers import Server
from workers.redis_access.connection import client
from workers.redis_access.redis_clock import MEASURED_EVERY, RedisClock, clock_of


def redis_time(connection):
    seconds, microseconds = connection.time()
    return seconds + microseconds / 1e6


class Monotonic:
    """A monotonic clock that a test moves on."""

    def __init__(self):
        self.ahead = 0.0

    def __call__(self):
        return time.monotonic() + self.ahead


def test_there_is_one_for_a_connection(connection, redis_url):
    assert clock_of(connection) is clock_of(connection)
    with client(redis_url) as other:
        assert clock_of(other) is not clock_of(connection)


def test_a_wall_clock_an_hour_off_does_not_change_it_and_is_reported_once(connection, caplog):
    clock = RedisClock(connection, wall=lambda: time.time() + 3600)
    with caplog.at_level(logging.WARNING, logger="workers.redis_access.redis_clock"):
        assert clock.now() == pytest.approx(redis_time(connection), abs=0.1)
        assert clock.wall() - clock.now() == pytest.approx(3600, abs=0.1)
        clock.now()
    assert [record.getMessage() for record in caplog.records] == [
        "the clock of this machine is 3600 s ahead of that of Redis, which is used; synchronise it"
    ]


def test_it_is_measured_again_after_a_while(connection):
    monotonic = Monotonic()
    clock = RedisClock(connection, monotonic=monotonic)
    clock.now()
    monotonic.ahead = MEASURED_EVERY  # it ran fast
    assert clock.now() == pytest.approx(redis_time(connection), abs=0.1)


def test_between_two_measurements_redis_is_not_asked():
    with Server() as server, client(server.url) as connection:
        clock = clock_of(connection)
        clock.now()
        before = connection.info("commandstats")["cmdstat_time"]["calls"]
        for _ in range(100):
            clock.now()
        assert connection.info("commandstats")["cmdstat_time"]["calls"] == before


def test_another_server_is_measured_at_once():
    with Server() as server, client(server.url) as connection:
        clock = clock_of(connection)
        clock.now()
        server.kill()
        server.start()
        connection.ping()
        clock.now()
        assert connection.info("commandstats")["cmdstat_time"]["calls"] >= 1
