"""The servers that tests of outputs start: they can be stopped, killed and halted, and come back with their data."""

import subprocess

import pytest

from . import services


@pytest.mark.parametrize("name", ["postgres", "mariadb"])
def test_a_server_comes_back_with_its_data(name, request) -> None:
    server = request.getfixturevalue(name)
    server.run("DROP TABLE IF EXISTS public.t" if name == "postgres" else "DROP DATABASE IF EXISTS t")
    database = "" if name == "postgres" else "t"
    if database:
        server.run("CREATE DATABASE t")
    server.run("CREATE TABLE t (a INT)", database=database)
    server.run("INSERT INTO t VALUES (%s)", [1], database=database)
    for end in (server.stop, server.kill):
        end()
        assert not server.answers()
        server.start()
        assert server.run("SELECT a FROM t", database=database) == [(1,)]
    server.run("DROP TABLE t", database=database)


def test_an_ssh_server_takes_the_users_key_and_no_other(sshd) -> None:
    def command(key) -> int:
        options = ("BatchMode=yes", "IdentitiesOnly=yes", f"UserKnownHostsFile={sshd.known_hosts}")
        words = ["ssh", "-F", "none", *(word for option in options for word in ("-o", option))]
        words += ["-i", str(key), "-p", str(sshd.port), f"{sshd.user}@127.0.0.1", "true"]
        return subprocess.run(words, capture_output=True, timeout=30).returncode

    assert command(sshd.key) == 0
    assert command(sshd.wrong_key) != 0
    sshd.stop()
    assert command(sshd.key) != 0
    sshd.start()
    assert command(sshd.key) == 0


def test_a_missing_program_is_named() -> None:
    with pytest.raises(services.ServiceMissing, match="make services"):
        services.program("no-such-server")
