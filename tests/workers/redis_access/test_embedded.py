import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.chaos.cluster import is_running
from tests.redis_servers import eventually
from workers.errors import RedisUnavailable
from workers.redis_access import embedded as module
from workers.redis_access.connection import client
from workers.redis_access.embedded import Embedded, answers, redis_for
from workers.redis_access.redis_binary import NAMED, installed_binaries, redis_binary

ROOT = Path(__file__).parents[3]


@pytest.fixture
def state():
    with tempfile.TemporaryDirectory(prefix="e-") as folder:  # short: a socket's path must be
        yield Path(folder) / "state"


@pytest.fixture(params=list(installed_binaries()), ids=lambda binary: f"{binary.product}-{binary.full_version}")
def binary(request):
    """Each server program that is installed here."""
    return request.param


@pytest.fixture
def stopped_later():
    """Takes a server, which is stopped after the test."""
    with ExitStack() as servers:

        def take(server):
            servers.callback(server.stop)
            return server

        yield take


@pytest.fixture
def server(state, binary, stopped_later):
    server = stopped_later(Embedded(state, binary=binary))
    server.start()
    return server


def pid_of(url):
    with client(url) as connection:
        return connection.info("server")["process_id"]


def test_it_listens_for_this_user_alone(server):
    with client(server.url) as connection:
        assert connection.config_get("port")["port"] == "0"
        assert connection.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"
    assert stat.S_IMODE(server.socket.stat().st_mode) == 0o700


def test_a_killed_server_is_back_on_its_socket_with_every_write_of_its_file(server):
    with client(server.url) as connection:
        for number in range(2000):
            connection.rpush("list", number)
        eventually(lambda: connection.info("persistence")["aof_buffer_length"] == 0)  # a sync may hold writes back
        os.kill(pid_of(server.url), signal.SIGKILL)
        connection.rpush("list", 2000)  # the client is patient
        assert connection.lrange("list", 0, -1) == [str(number).encode() for number in range(2001)]
    assert server.restarts == 1


def test_it_ends_with_its_owner(state):
    owner, pid = _owner(state)
    owner.kill()
    owner.wait(60)
    eventually(lambda: not is_running(pid))


def test_a_successor_waits_for_the_server_of_an_owner_that_was_killed(state, stopped_later):
    owner, pid = _owner(state)
    os.kill(pid, signal.SIGSTOP)  # it can't end yet
    owner.kill()
    owner.wait(60)
    threading.Timer(0.3, os.kill, (pid, signal.SIGCONT)).start()
    server = stopped_later(Embedded(state))
    with client(server.start()) as connection:
        assert not is_running(pid)
        assert connection.get("owner") == b"was here"
        assert server.socket.exists()


def test_a_second_server_in_the_same_folder_is_refused(server, state, monkeypatch):
    monkeypatch.setattr(module, "PREDECESSOR_WAIT", 0.1)
    with pytest.raises(RedisUnavailable, match="another Redis server still runs in"):
        Embedded(state).start()
    assert answers(server.url)


def test_a_long_path_has_its_socket_elsewhere(state):
    server = Embedded(state / ("long" * 30))
    assert server.folder.parts[: len(state.parts)] == state.parts
    assert len(os.fsencode(server.socket)) <= module.LONGEST_SOCKET
    try:
        assert answers(server.start())
        assert stat.S_IMODE(server.socket.parent.stat().st_mode) == 0o700
    finally:
        server.stop()
    assert not server.socket.exists()
    other = Embedded(state / ("other" * 30)).socket
    assert (other.parent, other == server.socket) == (server.socket.parent, False)  # no folder for each of them


def test_a_damaged_file_is_reported_in_the_server_s_own_words(state):
    folder = state / "redis"
    folder.mkdir(parents=True)
    (folder / "appendonly.aof").write_text("this is not an append-only file\n")
    server = Embedded(state)
    with pytest.raises(RedisUnavailable, match=r"does not start: .*[Bb]ad file format"):
        server.start()
    server.stop()


# -- the server program ---------------------------------------------------------------------------------------------


def stub(folder, name, says):
    """A program that prints something; its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """A PATH with one folder of the test's own."""
    monkeypatch.delenv(NAMED, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    return tmp_path / "bin"


@pytest.mark.parametrize(
    ("name", "says", "shown"),
    [
        ("redis-server", "Redis server v=7.2.5 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64", "Redis 7.2.5"),
        ("redis-server", "Redis server v=8.0 sha=0:0", "Redis 8.0"),
        ("valkey-server", "Valkey server v=8.1.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64", "Valkey 8.1.1"),
    ],
)
def test_a_server_of_the_system_is_chosen_and_described(elsewhere, name, says, shown):
    path = stub(elsewhere, name, says)
    assert f"{shown} ({path})" in map(str, installed_binaries())


def test_the_variable_names_the_server(elsewhere, monkeypatch, tmp_path):
    path = stub(tmp_path, "mine", "Redis server v=6.2.0 sha=0:0")
    monkeypatch.setenv(NAMED, str(path))
    assert redis_binary().path == path
    monkeypatch.setenv(NAMED, str(stub(tmp_path, "other", "something else")))
    with pytest.raises(RedisUnavailable, match="other is not a Redis or Valkey server"):
        redis_binary()


def test_an_older_server_does_not_start_beside_the_data_of_a_newer_one(state, tmp_path):
    binaries = {binary.version >= (7, 0): binary for binary in installed_binaries()}
    if len(binaries) < 2:
        pytest.skip("only one kind of server is installed")
    for number, new in enumerate((False, True)):  # a newer server reads what an older one wrote
        server = Embedded(state, binary=binaries[new])
        with client(server.start()) as connection:
            assert connection.incr("visits") == number + 1
        server.stop()
    with pytest.raises(RedisUnavailable, match="was written by Redis or Valkey 7 or newer"):
        Embedded(state, binary=binaries[False]).start()


# -- redis_for: one owner a folder ----------------------------------------------------------------------------------


@pytest.fixture
def unset(monkeypatch):
    monkeypatch.delenv("REDIS_URL", raising=False)


def test_a_named_redis_is_used(redis_url, state, monkeypatch):
    monkeypatch.setenv("REDIS_URL", redis_url)
    with redis_for(state, purpose="run") as url:
        assert url == redis_url
    assert not state.exists()


@pytest.mark.usefixtures("unset")
def test_other_commands_join_the_server_of_run(state):
    with redis_for(state, purpose="run") as url:
        with redis_for(state, purpose="status") as joined:
            assert joined == url
        assert answers(url)


@pytest.mark.usefixtures("unset")
def test_a_second_run_is_refused(state):
    with (
        redis_for(state, purpose="run"),
        pytest.raises(RedisUnavailable, match=rf"`exemplar run` \(process {os.getpid()}\)"),
        redis_for(state, purpose="run"),
    ):
        pass


@pytest.mark.usefixtures("unset")
def test_a_second_short_command_waits_for_the_first(state):
    said = []
    gate = threading.Event()

    def first():
        with redis_for(state, purpose="add") as url, client(url) as connection:
            connection.set("first", "done")
            gate.set()
            eventually(lambda: said)

    thread = threading.Thread(target=first)
    thread.start()
    gate.wait(10)
    with redis_for(state, purpose="status", say=said.append) as url, client(url) as connection:
        assert connection.get("first") == b"done"
    thread.join()
    assert said == [f"waiting for `exemplar add` (process {os.getpid()}) to end"]


@pytest.mark.usefixtures("unset")
def test_a_state_folder_that_can_not_be_made_is_named(state):
    state.write_text("a file where a folder should be")
    with (
        pytest.raises(RedisUnavailable, match=f"the state folder {state} cannot be used"),
        redis_for(state, purpose="x"),
    ):
        pass


OWNER = """
import sys, time
from pathlib import Path
from workers.redis_access.connection import client
from workers.redis_access.embedded import Embedded

server = Embedded(Path(sys.argv[1]))
connection = client(server.start())
connection.set("owner", "was here")
print(connection.info("server")["process_id"], flush=True)
time.sleep(60)
"""


def _owner(state):
    """Another process that owns a server; with the server's process id."""
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(state)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with owner.stdout:
        return owner, int(owner.stdout.readline())
