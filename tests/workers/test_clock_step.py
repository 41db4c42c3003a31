"""Redis' clock is set back by an hour, or a server with a slower clock takes over: nothing waits longer than before."""

import time

import pytest

from tests.redis_clock import redis_with_clock
from workers.inbox import Inbox
from workers.ledger import FETCH_LEASE, REQUEUE_AFTER, Ledger
from workers.redesign.off_template import PENDING_FOR, redesign_pending
from workers.redis_access.connection import client
from workers.redis_access.redis_clock import clock_of
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
    clock_of(redis_).now = Clock(redis_)
    return clock_of(redis_).now


@pytest.fixture
def ledger(redis_, clock):
    ledger = Ledger(redis_, TASK)
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


def of_a_dead_spider(redis_, ledger, clock):
    """A URL is leased again after the lease. Like the others: whether it is, and seconds after which it is not yet, and
    is, as if the clock had not been set."""
    (dead,) = ledger.lease(1)
    return lambda: dead.url in [leased.url for leased in ledger.lease(2)], 0, FETCH_LEASE + 2


def of_a_delayed_attempt(redis_, ledger, clock):
    (late, _) = ledger.lease(2)
    ledger.try_later(late.fingerprint, "it was slow", 300)
    return lambda: late.url in [leased.url for leased in ledger.lease(2)], 295, 303


def of_a_dead_worker(redis_, ledger, clock):
    names = deliver(redis_, {3: news(3)})
    assert list(ledger.take_all(names, "dead", seconds=10))

    def is_free():
        Inbox(redis_).sweep()
        return not holds(ledger, names[0], "dead")

    return is_free, 0, 13


def of_a_lost_job(redis_, ledger, clock):
    names = deliver(redis_, {3: news(3)}, wake=False)
    return lambda: ledger.lapsed(oldest_job=None) == ([], names), 0, REQUEUE_AFTER + 2


def of_a_recheck(redis_, ledger, clock):
    plan = RecheckPlan(every=600, until=clock() + 86400, version=1, hash="x")
    ledger.lease(1)
    ledger.settle(fingerprint(url(1)), "written", "", recheck=plan)
    return lambda: (ledger.lease(0), ledger.start_rechecks())[1] == 1, 590, 603


def of_a_row(redis_, ledger, clock, then=lambda queue: 60):
    """`then`: what follows, and the seconds until the row is delivered."""
    queue = RowQueue(redis_, TASK, OUTPUT)
    queue.add([row(1)], again=False)
    wait = then(queue)
    due = [(TASK, OUTPUT)], True
    return lambda: (due_queues(redis_), queue.take("here") is not None) == due, 0, wait + 2


def of_a_dead_delivery(redis_, ledger, clock):
    return of_a_row(redis_, ledger, clock, lambda queue: (queue.take("dead", "now"), LEASE + 10)[1])


@pytest.mark.parametrize(
    "wait",
    [
        of_a_dead_spider, of_a_delayed_attempt, of_a_dead_worker, of_a_lost_job, of_a_recheck, of_a_row,
        of_a_dead_delivery,
    ],
)  # fmt: skip
def test_what_waits_goes_on_after_its_own_time(redis_, ledger, clock, step, wait):
    is_over, early, late = wait(redis_, ledger, clock)
    step()
    clock.later = early
    assert not is_over()
    clock.later = late
    assert is_over()


def test_a_process_that_died_before_the_step_does_not_live_for_an_hour(redis_, clock, step):
    Presence(redis_, "extract").show()
    step()
    living, dead = processes(redis_)
    assert (len(living), len(dead)) == (0, 1)


def test_the_mark_of_a_dead_worker_does_not_count_for_an_hour(redis_, clock, step):
    redis_.zadd(f"exemplar:task:{TASK}:low:pending", {"dead": clock() + PENDING_FOR})
    assert redesign_pending(redis_, TASK)
    step()
    assert not redesign_pending(redis_, TASK)


def test_a_process_notices_the_step_within_two_seconds(server, step):
    ledger = Ledger(client(server.url), TASK)
    ledger.clock()
    step()
    time.sleep(1.5)
    assert abs(ledger.clock() - time.time()) < 5
