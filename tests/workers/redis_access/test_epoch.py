"""The epoch changes when Redis may have lost its last writes, and at no other time."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from tests.workers.servers import Server
from workers.redis_access.connection import client
from workers.redis_access.epoch import current_epoch


@pytest.fixture
def server():
    with Server() as server:
        yield server


def test_many_connections_agree_on_one_new_epoch(server):
    clients = [client(server.url) for _ in range(8)]
    before = {current_epoch(one) for one in clients}
    server.kill()
    server.start()
    with ThreadPoolExecutor(len(clients)) as threads:
        after = set(threads.map(current_epoch, clients))
    assert len(before) == len(after) == 1
    assert before != after
    for one in clients:
        one.close()


def test_it_changes_although_the_memory_is_full(server):
    with client(server.url) as connection:
        before = current_epoch(connection)
        connection.set("large", b"x" * 2_000_000)
        server.kill()
        server.options = ("--maxmemory", "1mb")
        server.start()
        assert current_epoch(connection) != before


def test_a_replica_is_refused_until_it_is_promoted_in_another_epoch(server):
    """A connection that was made before would go on in the old epoch: a promotion does not end it."""
    with client(server.url) as connection:
        before = current_epoch(connection)
    server.kill()
    server.options = ("--replicaof", "127.0.0.1", "1")
    server.start()
    with client(server.url, retries=0) as connection:
        with pytest.raises(redis.ConnectionError, match="this server is a replica now"):
            current_epoch(connection)
        with redis.Redis.from_url(server.url) as administrator:
            administrator.replicaof("NO", "ONE")
        assert current_epoch(connection) != before
