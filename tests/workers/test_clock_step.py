"""Redis' clock is set back by an hour, or a server with a slower clock takes over: nothing waits longer than before."""

import time

import pytest

from tests.redis_clock import redis_with_clock
from workers.inbox import Inbox
from workers.ledger import FETCH_LEASE, REQUEUE_AFTER, Ledger
from workers.redesign.off_template import PENDING_FOR, redesign_pending
from workers.redis_access.connection import client
from workers.reporting.presence import Presence, processes
from workers.url_states import Found, RecheckPlan, fingerprint
from workers.writing.row_queue import LEASE, RowQueue, due_queues

from .helpers import TASK, deliver, holds, news, url
from .sink_suite import row

HOUR = 3600
OUTPUT = "webhook://receiver.example"


@pytest.fixture(scope="module")
def server():
    with redis_with_clock() as server:
        yield server


@pytest.fixture
def redis_(server):
    with client(server.url) as connection:
        connection.flushall()
        server.set(HOUR)
        yield connection


class Clock:
    """Redis' clock as a process reads it at once, and moved on by the test."""

    def __init__(self, connection):
        self.redis, self.later = connection, 0.0

    def __call__(self):
        seconds, microseconds = self.redis.time()
        return seconds + microseconds / 1e6 + self.later


@pytest.fixture
def clock(redis_):
    return Clock(redis_)


@pytest.fixture
def ledger(redis_, clock):
    ledger = Ledger(redis_, TASK, clock=clock)
    ledger.add([Found(url(1)), Found(url(2))])
    return ledger


@pytest.fixture(params=["back", "forward and back"])
def step(request, server, redis_, ledger):
    """Sets the clock back by an hour; `forward and back`: it was right before it was an hour ahead."""

    def back():
        ledger.lease(0)  # as a spider does every second
        ledger.lapsed(oldest_job=None)
        due_queues(redis_)
        server.set(0)

    if request.param == "forward and back":
        server.set(0)
        ledger.lease(0)
        ledger.lapsed(oldest_job=None)
        server.set(HOUR)
    return back


def test_a_url_whose_spider_died_is_leased_again_after_its_lease(ledger, clock, step):
    (dead,) = ledger.lease(1)
    step()
    assert dead.url not in [leased.url for leased in ledger.lease(2)]
    clock.later = FETCH_LEASE + 2
    assert dead.url in [leased.url for leased in ledger.lease(2)]


def test_a_delayed_attempt_comes_after_its_own_pause(ledger, clock, step):
    (leased, _) = ledger.lease(2)
    ledger.try_later(leased.fingerprint, "it was slow", 300)
    step()
    clock.later = 295
    assert leased.url not in [leased.url for leased in ledger.lease(2)]
    clock.later = 303
    assert leased.url in [leased.url for leased in ledger.lease(2)]


def test_the_pages_of_a_dead_worker_are_queued_again_after_its_lease(redis_, ledger, clock, step):
    names = deliver(redis_, {3: news(3)})
    assert list(ledger.take_all(names, "dead", seconds=10))
    step()
    Inbox(redis_, clock=clock).sweep()
    assert holds(ledger, names[0], "dead")
    clock.later = 13
    ledger.lapsed(oldest_job=None)
    assert not holds(ledger, names[0], "dead")


def test_a_page_whose_job_is_lost_is_queued_again(redis_, ledger, clock, step):
    names = deliver(redis_, {3: news(3)}, wake=False)
    step()
    ledger.lapsed(oldest_job=None)
    clock.later = REQUEUE_AFTER + 2
    assert ledger.lapsed(oldest_job=None) == ([], names)


def test_a_recheck_is_due_after_its_own_time(redis_, ledger, clock, step):
    plan = RecheckPlan(every=600, until=clock() + 86400, version=1, hash="x")
    ledger.lease(1)
    ledger.settle(fingerprint(url(1)), "written", "", recheck=plan)
    step()
    ledger.lease(0)
    clock.later = 590
    assert ledger.start_rechecks() == 0
    clock.later = 603
    assert ledger.start_rechecks() == 1


def test_rows_are_delivered_after_their_usual_wait(redis_, clock, step):
    queue = RowQueue(redis_, TASK, OUTPUT, clock=clock)
    queue.add([row(1)], again=False)
    step()
    clock.later = 70
    assert due_queues(redis_, clock=clock) == [(TASK, OUTPUT)]
    assert queue.take("here") is not None


@pytest.mark.parametrize("fate", ["its delivery process died", "the output was unavailable"])
def test_rows_are_delivered_by_another_process_after_a_lease_or_a_pause(redis_, clock, step, fate):
    queue, wait = RowQueue(redis_, TASK, OUTPUT, clock=clock), LEASE
    queue.add([row(1)], again=False)
    assert queue.take("dead", "now") is not None
    if fate == "the output was unavailable":
        wait = queue.put_off("dead", "unavailable", first=100)
    step()
    due_queues(redis_, clock=clock)
    assert queue.take("here", "now") is None
    clock.later = wait + 2
    assert due_queues(redis_, clock=clock) == [(TASK, OUTPUT)]
    assert queue.take("here", "now") is not None


def test_a_process_that_died_before_the_step_does_not_live_for_an_hour(redis_, clock, step):
    Presence(redis_, "extract", clock=clock).show()
    step()
    living, dead = processes(redis_, clock=clock)
    assert (len(living), len(dead)) == (0, 1)


def test_the_mark_of_a_dead_worker_does_not_count_for_an_hour(redis_, clock, step):
    redis_.zadd(f"exemplar:task:{TASK}:low:pending", {"dead": clock() + PENDING_FOR})
    assert redesign_pending(redis_, TASK, clock=clock)
    step()
    assert not redesign_pending(redis_, TASK, clock=clock)


def test_a_process_notices_the_step_within_two_seconds(redis_, step):
    ledger = Ledger(redis_, TASK)
    ledger.clock()
    step()
    time.sleep(1.5)
    assert abs(ledger.clock() - time.time()) < 5
