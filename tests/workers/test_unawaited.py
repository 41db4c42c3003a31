"""Scripts whose replies are not awaited: each has its effect once, also after the server lost its scripts."""

import pytest

from workers.redis_access.connection import client
from workers.redis_access.unawaited import Unawaited

from .servers import Server


@pytest.fixture(scope="module")
def server():
    with Server() as server:
        yield server


@pytest.fixture
def connection(server):
    with client(server.url) as connection:
        connection.flushall()
        yield connection


def counting(connection):
    script = connection.register_script("return redis.call('INCRBY', KEYS[1], ARGV[1])")
    sender = Unawaited(connection)
    return sender, lambda: sender.send(script, ["exemplar:n"], [1])


def test_each_script_has_its_effect_once(connection):
    sender, send = counting(connection)
    for _ in range(3):
        for _ in range(10):
            send()
        sender.finish()
    assert connection.get("exemplar:n") == b"30"


def test_the_connection_can_be_used_after_the_replies_are_read(connection):
    sender, send = counting(connection)
    send()
    send()
    sender.finish()
    assert [connection.incr("exemplar:other") for _ in range(5)] == [1, 2, 3, 4, 5]


def test_a_script_that_the_server_lost_is_loaded_again(connection):
    sender, send = counting(connection)
    send()
    connection.script_flush()
    send()  # has no effect
    sender.finish()
    send()
    sender.finish()
    assert connection.get("exemplar:n") == b"2"


def test_after_a_lost_connection_the_reply_is_awaited(connection):
    sender, send = counting(connection)
    send()
    send()
    connection.client_kill_filter(_type="normal", skipme=False)
    for _ in range(3):
        send()
    sender.finish()
    assert int(connection.get("exemplar:n")) in (4, 5)  # what is sent before the loss is noticed has no effect


def test_nothing_to_finish(connection):
    Unawaited(connection).finish()
