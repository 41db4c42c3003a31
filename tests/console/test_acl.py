"""A Redis user with exactly the rules of docs/operations.md runs everything; one with fewer is told what is missing."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from tests.redis_servers import BINARIES, free_port, redis_server
from workers.errors import RedisRefused
from workers.redis_access.connection import connect

from .calls import edit
from .conftest import Exemplar

OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"
PASSWORD = "4d-no-secret"


def documented() -> str:
    [line] = re.findall(r"^user exemplar .*$", OPERATIONS.read_text("utf-8"), re.M)
    assert ">PASSWORD" in line
    return line.replace("PASSWORD", PASSWORD)


@contextmanager
def server_with(rules: str, folder: Path, binary: str) -> Iterator[tuple[str, "redis.Redis"]]:
    """A server whose one user for us has these rules: our address, and an administrator's connection."""
    folder.mkdir(parents=True, exist_ok=True)
    acl = folder / "users.acl"
    acl.write_text(f"user default off\nuser admin on >admin ~* &* +@all\n{rules}\n")
    port = free_port()
    with (
        redis_server(folder, port, "--aclfile", str(acl), binary=binary),
        redis.Redis(port=port, username="admin", password="admin") as admin,
    ):
        yield f"redis://exemplar:{PASSWORD}@127.0.0.1:{port}/0", admin


def refused_commands(admin: "redis.Redis") -> list[str]:
    """What the server refused. CLIENT SETINFO is redis-py's own greeting, which it can do without."""
    return [row["object"] for row in admin.acl_log() if row["object"] not in ("client", "client|setinfo")]


@pytest.mark.parametrize("binary", BINARIES, ids=["6.2", "system"][: len(BINARIES)])
def test_the_documented_rules_are_enough(binary: str, exemplar: Exemplar, folder: Path) -> None:
    edit(folder, "defaults:\n", "defaults:\n  limit: 2\n")
    with server_with(documented(), folder / "redis", binary) as (url, admin):
        done = exemplar("run", "zh-news", "--once", "--json", REDIS_URL=url)
        assert (done.code, refused_commands(admin)) == (0, []), done.err
        assert all(row["written"] for row in done.accounting.values())
        for command in (("status", "--json"), ("status", "--problems"), ("forget", "zh-news", "--yes")):
            done = exemplar(*command, REDIS_URL=url)
            assert (done.code, refused_commands(admin)) == (0, []), done.err
        assert {key.split(b":")[0] for key in admin.scan_iter()} <= {b"exemplar", b"rq"}


@pytest.mark.parametrize("binary", BINARIES, ids=["6.2", "system"][: len(BINARIES)])
def test_a_missing_right_is_named(binary: str, tmp_path: Path) -> None:
    with (
        server_with(documented().replace("+info", ""), tmp_path, binary) as (url, _),
        pytest.raises(RedisRefused, match=r"(?i)info.*docs/operations\.md") as refused,
    ):
        connect(url)
    assert PASSWORD not in str(refused.value)
