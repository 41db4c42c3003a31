"""A Redis that has reached its `maxmemory`: workers empty it, spiders wait, and all goes on when memory is there.

Each test runs with every Redis that is installed: the two versions report and permit other things.
"""

import random
import threading
import time

import pytest
import redis

from tests.redis_servers import BINARIES, eventually, running
from tests.workers.helpers import CHEAP, FETCHED_AT, TASK, claim, deliver, news, publish, rows, take, url
from tests.workers.supervisors import supervisors
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.redis_access.connection import client
from workers.redis_access.full_redis import WaitingRedis, even_when_full, is_full_error, memory_of
from workers.reporting.presence import Presence, alive
from workers.url_states import Found, fingerprint
from workers.worker_processes.extraction_worker import ExtractionWorker
from workers.worker_processes.worker import Draining

pytestmark = pytest.mark.timeout(120)
MEMORY = 64 * 2**20
PAGES = 100


@pytest.fixture(params=BINARIES)
def small(request):
    """The URL of a Redis with little memory."""
    with running(request.param, "--maxmemory", str(MEMORY), "--maxmemory-policy", "noeviction") as address:
        yield address


@pytest.fixture
def connection(small):
    connection = client(small)
    yield connection
    connection.close()


def fill(connection, share=0.8):
    """Lower the limit below what Redis uses already, so that it is full."""
    connection.config_set("maxmemory", int(memory_of(connection).used * share))


def relieve(connection):
    connection.config_set("maxmemory", MEMORY)


def bulky(number):
    """An article with a comment that does not compress: 20 KB in Redis."""
    return news(number) + b"<!-- " + random.Random(number).randbytes(15_000).hex().encode() + b" -->"


def filled_with_pages(connection):
    """Deliver pages and make Redis full; return their number."""
    deliver(connection, {number: bulky(number) for number in range(PAGES)})
    fill(connection, 0.7)
    return PAGES


def test_a_refusal_is_recognised_whatever_was_refused(connection):
    fill(connection)
    script = connection.register_script("return redis.call('SET', KEYS[1], 'x')")

    def transaction():
        pipe = connection.pipeline(transaction=True)
        pipe.set("key", "x")
        pipe.execute()

    for refused in (lambda: connection.set("key", "x"), lambda: script(keys=["key"]), transaction):
        with pytest.raises(redis.ResponseError) as caught:
            refused()
        assert is_full_error(caught.value)
    assert not is_full_error(redis.ResponseError("wrong number of arguments"))
    assert not is_full_error(redis.ConnectionError("gone"))


def test_a_heartbeat_and_what_frees_memory_are_not_refused(connection):
    [name] = deliver(connection, {1: news(1)})
    ledger = Ledger(connection, TASK)
    fill(connection)
    assert memory_of(connection).is_full
    Presence(connection, "extract").show(workers=1)
    assert [process["workers"] for process in alive(connection)] == [1]
    assert even_when_full(connection, "HINCRBY", "counter", "x", 2) == 2
    assert take(ledger, name, "w", seconds=10).url == url(1)
    assert claim(ledger, name, name, "w").state == "mine"
    assert ledger.settle(name, "written", "", worker="w")
    with pytest.raises(redis.ResponseError):
        ledger.add([Found(url(2))])
    assert ledger.counts().seen == 1


def test_a_worker_empties_a_full_redis_without_jobs(connection, tmp_path):
    publish(connection, tmp_path, method=CHEAP)
    taken = filled_with_pages(connection)
    worker = ExtractionWorker(connection, "w")
    assert Draining(connection, worker).run()
    worker.close()
    memory = memory_of(connection)
    assert not memory.is_full
    written = {row["url"] for row in rows(tmp_path)}
    assert 0 < len(written) == len(rows(tmp_path)) == Ledger(connection, TASK).counts().states["written"] <= taken


def test_a_sweep_goes_on_where_no_job_can_be_queued(connection):
    names = deliver(connection, {1: news(1)}, wake=False)
    ledger = Ledger(connection, TASK)
    connection.zadd(ledger.keys["fetched"], {names[0]: 0})
    fill(connection)
    Inbox(connection).sweep()
    assert Inbox(connection).waiting_jobs() == 0
    assert ledger.fetched_names(10) == names


def test_processes_empty_a_full_redis_and_take_jobs_again_later(connection, small, tmp_path):
    publish(connection, tmp_path, method=CHEAP)
    taken = filled_with_pages(connection)
    ledger = Ledger(connection, TASK)
    with supervisors(small) as start:
        supervisor = start()
        eventually(lambda: ledger.counts().states["fetched"] == 0 or not memory_of(connection).is_full)
        relieve(connection)
        eventually(lambda: ledger.counts().states["fetched"] == 0)
        deliver(connection, {20_001: news(20_001)})
        eventually(lambda: ledger.counts().states["fetched"] == 0)
        eventually(lambda: Inbox(connection).waiting_jobs() == 0)
    assert supervisor.exitcode == 0
    assert len(rows(tmp_path)) == len({row["url"] for row in rows(tmp_path)}) == taken + 1


# -- a spider


@pytest.fixture
def waiting(connection):
    waiting = WaitingRedis.of(connection)
    waiting.look_every = 0.01
    return waiting


@pytest.mark.parametrize("step", ["command", "script", "transaction"])
def test_a_refused_step_is_sent_again_until_memory_is_free(connection, waiting, step):
    fill(connection)
    waits = []
    waiting.on_wait = lambda: waits.append(1)
    ledger = Ledger(waiting, TASK)
    timer = threading.Timer(0.3, relieve, [connection])
    timer.start()
    if step == "command":
        waiting.rpush("list", "x")
    elif step == "script":
        assert ledger.add([Found(url(1))]) == [True]
    else:
        Inbox(waiting).deliver(ledger, {fingerprint(url(1)): StoredPage(url(1), b"x", "text/html", FETCHED_AT)})
        waiting.rpush("list", "x")
    timer.join()
    assert waits
    assert connection.llen("list") == (step != "script")


def test_a_spider_does_not_wait_for_ever(connection, waiting):
    fill(connection)
    waiting.patience = 0.05
    began = time.monotonic()
    with pytest.raises(redis.ResponseError) as caught:
        waiting.set("key", "x")
    assert is_full_error(caught.value)
    assert time.monotonic() - began < 5


def test_other_errors_are_raised_at_once(waiting):
    waiting.on_wait = lambda: pytest.fail("it waits")
    waiting.set("text", "x")
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        waiting.rpush("text", "x")
