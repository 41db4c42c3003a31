import socket

import pytest
import redis

from tests.redis_servers import free_port, redis_server
from workers.errors import RedisRefused, RedisUnavailable
from workers.redis_access import connection as module
from workers.redis_access.connection import connect
from workers.redis_access.full_redis import WaitingRedis


@pytest.fixture
def config(connection):
    """Sets options of the server for one test."""
    before = {}

    def change(**options):
        for name, value in options.items():
            before.setdefault(name, connection.config_get(name)[name])
            connection.config_set(name, value)

    yield change
    for name, value in before.items():
        connection.config_set(name, value)


def test_a_dead_server_is_unavailable_and_named():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"redis://127.0.0.1:{unused.getsockname()[1]}/0"
        with pytest.raises(RedisUnavailable, match=rf"Redis at {url} does not answer .*refused.*start it"):
            connect(url)


def test_a_wrong_password_is_refused_and_not_shown(redis_url, connection):
    connection.acl_setuser(
        "guarded", enabled=True, passwords=["+right"], commands=["+@all"], keys=["*"], channels=["*"]
    )
    try:
        with pytest.raises(RedisRefused, match="put the password into REDIS_URL") as caught:
            connect(f"{redis_url}?username=guarded&password=secret")
        assert "secret" not in str(caught.value)
        assert connect(f"{redis_url}?username=guarded&password=right").ping()
    finally:
        connection.acl_deluser("guarded")


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl"])
def test_a_server_that_may_evict_pages_is_refused(redis_url, config, policy):
    config(**{"maxmemory-policy": policy})
    with pytest.raises(RedisRefused, match=f"may evict pages .*{policy}.*set maxmemory-policy noeviction"):
        connect(redis_url)


def test_a_replica_is_refused(tmp_path, redis_url):
    port, primary = free_port(), free_port()
    refused = pytest.raises(RedisRefused, match=f"127.0.0.1:{port}.* is a replica; name its primary")
    with redis_server(tmp_path, port, "--replicaof", "127.0.0.1", str(primary)), refused:
        connect(f"redis://127.0.0.1:{port}/0")


@pytest.mark.parametrize(
    "address", ["redis://8.8.8.8:6379/0", "rediss://8.8.8.8", "redis://[2001:4860:4860::8888]:6379"]
)
def test_a_public_address_without_password_is_refused_before_it_is_contacted(address, monkeypatch):
    monkeypatch.delenv(module.OPEN_REDIS_ALLOWED, raising=False)
    monkeypatch.setattr(redis.Redis, "from_url", lambda *_, **__: pytest.fail("contacted"))
    with pytest.raises(RedisRefused, match=r"public address .* and no password"):
        connect(address)


@pytest.mark.parametrize(
    ("url", "allow"),
    [
        ("redis://:pw@8.8.8.8/0", ""),
        ("redis://8.8.8.8/0?password=pw", ""),
        ("redis://8.8.8.8/0", "1"),
        ("redis://127.0.0.1/0", ""),
        ("unix:///tmp/x.sock", ""),
    ],
)
def test_other_addresses_are_contacted(url, allow, monkeypatch):
    monkeypatch.setenv(module.OPEN_REDIS_ALLOWED, allow)

    def contacted(*_, **__):
        raise redis.ConnectionError("contacted")

    monkeypatch.setattr(redis.Redis, "from_url", contacted)
    with pytest.raises(RedisUnavailable, match="contacted"):
        connect(url)


@pytest.mark.parametrize(
    "url",
    ["", "nonsense", "http://a.example", "redis://h:port/0", "redis://[::1", "redis://[nonsense]/", "localhost:6379"],
)
def test_an_address_written_wrongly_is_refused_with_an_example(url):
    with pytest.raises(RedisRefused, match=r"write redis://host:6379/0 or unix:///redis\.sock"):
        connect(url)


@pytest.mark.parametrize("transaction", [True, False])
@pytest.mark.parametrize("kind", [redis.Redis, WaitingRedis])
def test_a_pipeline_survives_a_server_that_loses_its_scripts(redis_url, connection, kind, transaction):
    """As a server does that starts again after redis-py looked for the scripts, and before it calls them."""
    with connect(redis_url) as client:
        used = WaitingRedis.of(client) if kind is WaitingRedis else client
        add = used.register_script("return redis.call('SADD', KEYS[1], ARGV[1])")
        pipe = used.pipeline(transaction=transaction)
        losses = iter([True, False])

        def load_then_lose():
            type(pipe).load_scripts(pipe)
            if next(losses):
                connection.script_flush()

        pipe.load_scripts = load_then_lose
        add(keys=["members"], args=["a"], client=pipe)
        pipe.scard("members")
        assert pipe.execute()[-1] == 1
        connection.delete("members")


@pytest.mark.parametrize("kind", [redis.Redis, WaitingRedis])
def test_a_script_survives_a_server_that_loses_it(redis_url, connection, kind, monkeypatch):
    with connect(redis_url) as client:
        used = WaitingRedis.of(client) if kind is WaitingRedis else client
        script = used.register_script("return 7")
        losses, load = iter([True, False]), type(used).script_load

        def load_then_lose(self, text):
            loaded = load(self, text)
            if next(losses):
                connection.script_flush()
            return loaded

        monkeypatch.setattr(type(used), "script_load", load_then_lose)
        connection.script_flush()
        assert script() == 7
        monkeypatch.setattr(type(used), "script_load", lambda self, text: script.sha)
        connection.script_flush()
        with pytest.raises(redis.ConnectionError, match="lost its scripts"):
            script()
