"""Which server of several a task lives on."""

from collections import Counter

import pytest

from tests.redis_servers import free_port, redis_server
from workers.ledger import Ledger
from workers.redis_access.servers import RedisServers, weight
from workers.url_states import Found

HOSTS = [f"site{number}.example" for number in range(3000)]


def chosen(servers):
    return {host: max(servers, key=lambda server: weight(server, host)) for host in HOSTS}


def test_hosts_are_spread_evenly_whatever_the_order():
    before = chosen(["a:6379/0", "b:6379/0", "c:6379/0"])
    assert min(Counter(before.values()).values()) > 900
    assert chosen(["c:6379/0", "a:6379/0", "b:6379/0"]) == before


def test_one_more_server_takes_only_what_it_gets():
    before, after = chosen(["a", "b", "c"]), chosen(["a", "b", "c", "d"])
    moved = [host for host in HOSTS if before[host] != after[host]]
    assert {after[host] for host in moved} == {"d"}
    assert 600 < len(moved) < 900  # a quarter


@pytest.fixture
def two(tmp_path):
    first, second = free_port(), free_port()
    with redis_server(tmp_path / "1", first), redis_server(tmp_path / "2", second):
        servers = RedisServers(f"redis://127.0.0.1:{first}#a, redis://127.0.0.1:{second}#b")
        yield servers
        servers.close()


def test_a_ledger_says_where_its_task_is(two):
    assert two.of_task("unknown") is two[0]
    Ledger(two[1].connection, "here").add([Found("http://a.example/1", 0.0)])
    assert two.of_task("here") is two[1]
    assert two.with_ledgers(["here", "unknown"]) == {"here": two[1]}
    two[0].connection.hset("exemplar:tasks", "here", "{}")
    assert two.of_task("here") is two[0]  # where it is published now
