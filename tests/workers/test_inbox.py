import json
import zlib

import pytest
from rq import Queue
from rq.serializers import JSONSerializer

from workers import inbox as module
from workers.inbox import QUEUE, Inbox
from workers.ledger import REQUEUE_AFTER, Ledger
from workers.page_store import pack_body, unpack, unpack_body
from workers.url_states import fingerprint

from .helpers import TASK, deliver, take, url

STORED = {"body": pack_body("体".encode()), "url": b"http://a.example/1", "type": b"text/html", "at": b"1773304200.0"}


@pytest.fixture
def inbox(connection, clock):
    return Inbox(connection)


def jobs(connection):
    return Queue(QUEUE, connection=connection, serializer=JSONSerializer).jobs


def test_body_state_and_job_go_in_one_transaction(connection, redis_url):
    deliver(connection, {1: b"one"})  # so that the scripts are loaded
    with connection.monitor() as monitor:
        deliver(connection, {2: b"two", 3: b"three"})
        connection.echo("end of the test")
        commands = []
        for seen in monitor.listen():
            commands.append(seen["command"])
            if seen["command"].endswith("end of the test"):
                break
    writes = [i for i, line in enumerate(commands) if "RPUSH rq:queue:" in line or "HSET exemplar:task:" in line]
    pages = [line for line in commands if ":page:" in line and line.startswith("HSET")]
    begin, end = commands.index("MULTI"), commands.index("EXEC")
    assert len(pages) == 2
    assert sum("RPUSH" in commands[i] for i in writes) == 1
    assert all(begin < i < end for i in writes if "RPUSH" in commands[i] or ":page:" in commands[i])


def test_a_job_is_json(connection):
    [name] = deliver(connection, {1: b"one"})
    [job] = jobs(connection)
    assert json.loads(zlib.decompress(connection.hget(job.key, "data"))) == [module.JOB, None, [TASK, [name]], {}]


def test_a_lost_job_is_queued_again_once(connection, inbox, clock):
    [name] = deliver(connection, {1: b"one"}, wake=False)
    clock.forward(REQUEUE_AFTER)
    assert inbox.sweep() == 1
    assert [job.args for job in jobs(connection)] == [[TASK, [name]]]
    assert inbox.sweep() == 0


def test_a_page_whose_worker_died_is_queued_before_all_others(connection, inbox):
    lost, _ = deliver(connection, {1: b"one", 2: b"two"})
    take(Ledger(connection, TASK), lost, "dead", seconds=-1)
    assert inbox.sweep() == 1
    assert [job.args[1] for job in jobs(connection)][:1] == [[lost]]


def test_a_job_that_was_queued_first_does_not_make_those_behind_it_seem_lost(connection, inbox, clock):
    deliver(connection, {1: b"one", 2: b"two"})
    queued = inbox.oldest_job()
    clock.forward(10 * REQUEUE_AFTER)
    inbox.wake(TASK, [fingerprint(url(1))], first=True)
    assert inbox.oldest_job() == queued
    assert inbox.sweep() == 0


@pytest.mark.parametrize(
    "damage",
    [
        {"body": b"not zstd"},
        {"body": STORED["body"][:-4]},
        {"body": b""},
        {"url": b"\xff\xfe"},
        {"at": b"soon"},
        {"at": b"1e300"},
        {"at": b"nan"},
        *({field: None} for field in sorted(STORED)),
    ],
    ids=str,
)
def test_a_damaged_page_is_one_named_error(damage):
    stored = {name: value for name, value in (STORED | damage).items() if value is not None}
    with pytest.raises(ValueError, match="stored page is damaged"):
        unpack(stored)


def test_a_body_that_would_fill_the_memory_is_damaged():
    assert len(unpack_body(pack_body(bytes(1000)), largest=1000)) == 1000
    with pytest.raises(ValueError, match="larger than 1000 bytes"):
        unpack_body(pack_body(bytes(1001)), largest=1000)
