"""Turns at a host, counted in Redis for everyone."""

import itertools
import multiprocessing
import time

import pytest
import redis

from crawler.politeness import Pace, host_of

SITE = "http://site.example/a"


def test_the_first_turn_is_free_and_the_next_one_is_an_interval_away(connection):
    pace = Pace(connection)
    assert pace.ask(SITE, 5.0) == 0
    assert 4.9 < pace.ask(SITE, 5.0) <= 5.0


def test_asking_reserves_nothing(connection):
    pace = Pace(connection)
    pace.ask(SITE, 5.0)
    waits = [pace.ask(SITE, 5.0) for _ in range(20)]
    assert max(waits) <= 5.0


def test_a_turn_comes_when_the_interval_is_over(connection):
    pace = Pace(connection)
    pace.ask(SITE, 0.05)
    time.sleep(pace.ask(SITE, 0.05) + 0.001)
    assert pace.ask(SITE, 0.05) == 0


def test_each_host_and_port_has_its_own_pace(connection):
    pace = Pace(connection)
    assert pace.ask(SITE, 5.0) == 0
    assert pace.ask("http://other.example/", 5.0) == 0
    assert pace.ask("http://site.example:8080/", 5.0) == 0
    assert pace.ask("http://SITE.example:80/b", 5.0) > 0


def test_http_and_https_of_a_host_have_different_ports():
    assert host_of("http://site.example/") == "site.example:80"
    assert host_of("https://site.example/") == "site.example:443"


def test_without_an_interval_nobody_waits(connection):
    pace = Pace(connection)
    assert [pace.ask(SITE, 0) for _ in range(3)] == [0, 0, 0]


def test_the_memory_of_a_turn_does_not_stay_for_ever(connection):
    Pace(connection).ask(SITE, 2.0)
    assert [2000 < connection.pttl(key) <= 3000 for key in connection.keys("*")] == [True]


def take_turns(url, count, interval, out):
    pace = Pace(redis.Redis.from_url(url))
    for _ in range(count):
        while wait := pace.ask(SITE, interval):
            time.sleep(wait)
        out.put(time.monotonic())


@pytest.mark.timeout(30)
def test_processes_that_share_a_redis_share_the_pace(redis_url, connection):
    interval, count = 0.05, 8
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    both = [context.Process(target=take_turns, args=(redis_url, count, interval, out)) for _ in range(2)]
    for process in both:
        process.start()
    turns = sorted(out.get(timeout=20) for _ in range(2 * count))
    for process in both:
        process.join()
    # The clock is read after Redis' answer has come, so a turn may look up to some milliseconds late.
    assert turns[-1] - turns[0] >= interval * (2 * count - 1) - 0.03
    assert min(later - earlier for earlier, later in itertools.pairwise(turns)) >= interval - 0.03
