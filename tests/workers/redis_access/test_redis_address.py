"""What REDIS_URL may say, and that the clients it gives talk to real servers: with TLS, as an ACL user, by Sentinel."""

import subprocess

import pytest
import redis

from tests.certificates import certificate
from tests.redis_servers import BINARIES, SYSTEM, free_port, redis_server
from workers.errors import RedisRefused, RedisUnavailable
from workers.redis_access.connection import client, connect
from workers.redis_access.redis_address import address_of

# What an address says

SEVERAL = r"one Redis.*or its Sentinels.*a cluster for each task list"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("redis://host", "host:6379/0"),
        ("redis://me:pw@Host:7000/3", "host:7000/3"),
        ("rediss://host:7000?db=2", "host:7000/2"),
        ("unix:///run/redis.sock?db=1", "/run/redis.sock/1"),
        ("redis+sentinel://:pw@b:1,a/news/4", "a:26379,b:1/news/4"),
    ],
)
def test_a_server_is_called_by_its_place(text, name):
    assert address_of(text).name == name


def test_a_password_with_a_comma_is_no_second_server():
    assert address_of("redis://:a,b@one/0").options["password"] == "a,b"
    assert address_of("redis://me:a%2Credis@one:7/0").hosts == (("one", 7),)


def test_a_sentinel_address_has_two_logins():
    address = address_of("redis+sentinel://me:p%40w@s1,[::1]:5/news/2?sentinel_password=other&socket_timeout=3")
    assert address.hosts == (("s1", 26379), ("::1", 5))
    assert address.service == "news"
    assert address.options["username"] == "me"
    assert address.options["password"] == "p@w"
    assert address.options["db"] == 2
    assert address.options["socket_timeout"] == 3.0
    assert "p@w" not in repr(address)
    assert address.shown == "redis+sentinel://me:***@s1,[::1]:5/news/2?sentinel_password=***&socket_timeout=3"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("redis+sentinel://s1,s2", "name of the service is missing.*write redis\\+sentinel://"),
        ("redis+sentinel://s1,/news", "Sentinel's host is missing"),
        ("redis://host/zero", "database 'zero' is not a number"),
        ("redis://host?ssl_ca_cert=/x", "unknown option 'ssl_ca_cert'; known options: .*ssl_ca_certs"),
        ("redis://host?ssl_ca_certs=/x", "ssl_ca_certs is for TLS: begin with rediss://"),
        ("unix://", "socket's path is missing"),
        ("redis://:secret@host?passwort=secret2&password=secret3", "unknown option"),
        ("redis://:secret@a/0, rediss://b", SEVERAL),
        ("redis://:secret@a:1,b:2/0", SEVERAL),
        ("unix:///a.sock,unix:///b.sock", SEVERAL),
    ],
)
def test_a_wrong_address_is_refused_in_one_sentence_without_its_passwords(text, says):
    with pytest.raises(RedisRefused, match=says) as refused:
        address_of(text)
    assert "secret@" not in str(refused.value)
    assert "secret3" not in str(refused.value)


def test_a_public_sentinel_without_a_password_is_refused():
    with pytest.raises(RedisRefused, match=r"public address \(8.8.8.8\)"):
        connect("redis+sentinel://127.0.0.1,8.8.8.8/news")


# TLS


def has_tls(binary):
    return "libssl" in subprocess.run(["ldd", binary], capture_output=True, text=True).stdout


@pytest.fixture
def tls(tmp_path):
    """A server that takes TLS only, and only with a client's certificate: its address without options, and a folder."""
    if SYSTEM is None or not has_tls(SYSTEM):
        pytest.skip("no redis-server with TLS on this machine")
    authority = certificate(tmp_path, "ca")
    for name in ("server", "client"):
        certificate(tmp_path, name, authority)
    port = free_port()
    options = {"cert-file": "server.pem", "key-file": "server.key", "ca-cert-file": "ca.pem"}
    files = [part for name, file in options.items() for part in (f"--tls-{name}", str(tmp_path / file))]
    with redis_server(tmp_path / "data", 0, "--tls-port", str(port), *files, binary=SYSTEM, wait_for=port):
        yield f"rediss://127.0.0.1:{port}/0", tmp_path


def test_tls_with_an_authority_and_a_clients_certificate(tls):
    url, folder = tls
    files = f"ssl_ca_certs={folder}/ca.pem&ssl_certfile={folder}/client.pem&ssl_keyfile={folder}/client.key"
    with connect(f"{url}?{files}") as connection:
        assert connection.ping()
    with pytest.raises(RedisUnavailable, match="asks for a client's certificate"):
        connect(f"{url}?ssl_ca_certs={folder}/ca.pem")  # the server asks for a certificate
    with pytest.raises(RedisUnavailable, match=r"certificate verify failed.*ssl_ca_certs"):
        connect(f"{url}?ssl_certfile={folder}/client.pem&ssl_keyfile={folder}/client.key")  # an authority unknown to us


# A server that became a replica


@pytest.mark.parametrize("binary", BINARIES)
@pytest.mark.parametrize("script", [False, True])
def test_a_client_of_a_replica_connects_anew(tmp_path, binary, script):
    port = free_port()
    with redis_server(tmp_path, port, binary=binary), client(f"redis://127.0.0.1:{port}") as connection:
        connection.set("exemplar:a", 1)
        connection.replicaof("127.0.0.1", str(free_port()))
        pool_connection = connection.connection_pool.get_connection()
        pool_connection.send_command(
            *(("EVAL", "return redis.call('INCR', KEYS[1])", 1, "n") if script else ("INCR", "n"))
        )
        with pytest.raises(redis.ConnectionError, match="a replica now"):
            pool_connection.read_response()
        assert not pool_connection.is_connected
