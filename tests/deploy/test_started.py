"""The parts of `deploy/` really started: Redis by the command of compose, the nodes by the commands of their units."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest
import redis
from ruamel.yaml import YAML

from evaluation.sample_site import tasks_yaml
from tests.forks import Fork, Started
from tests.redis_servers import BINARIES, eventually, free_port, listens, redis_server
from tests.site.server import SiteServer
from tests.written_rows import rows_of, rows_so_far

from .test_files import COMPOSE, DEPLOY, by_default
from .units import units

PASSWORD, LONG_PASSWORD = "s3cret", "a long password"
ARTICLES = 20  # of the sample site's 24, that the two tasks write
SETTINGS = "/etc/redis/redis.conf"


@contextmanager
def ending(process: Started) -> Iterator[None]:
    """Stop a process after the block, and expect exit code 0."""
    try:
        yield
    finally:
        process.terminate()
        try:
            said = process.communicate(timeout=40)
        finally:
            process.kill()
    assert process.returncode == 0, said


@pytest.fixture
def redis_of_compose(tmp_path: Path) -> Iterator[int]:
    """The Redis that compose starts, on a port of its own; yields the port."""
    port, data = free_port(), tmp_path / "redis"
    data.mkdir()
    settings = tmp_path / "redis.conf"
    settings.write_text((DEPLOY / "redis" / "redis.conf").read_text("utf-8") + f"port {port}\nbind 127.0.0.1\n")
    service = YAML(typ="safe").load(COMPOSE.read_text("utf-8"))["services"]["redis"]
    *shell, script = (part.replace("$$", "$") for part in service["command"])
    assert SETTINGS in script
    script = script.replace(SETTINGS, str(settings)).replace("--dir /data", f"--dir {data}")
    programs = Path(shutil.which("redis-server") or BINARIES[0]).parent
    environment = {"REDIS_PASSWORD": PASSWORD, "PATH": f"{programs}:/usr/bin:/bin"}
    pipe = subprocess.PIPE
    server = subprocess.Popen([*shell, script], env=environment, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True)
    with ending(server):
        eventually(lambda: listens(port))
        yield port


def test_the_console_of_compose_is_reached_and_asks_for_its_password(redis_of_compose: int, tmp_path: Path) -> None:
    service, port = YAML(typ="safe").load(COMPOSE.read_text("utf-8"))["services"]["console"], free_port()
    arguments = [part.replace("/data", str(tmp_path)) for part in by_default(service["command"])]
    environment = {name: by_default([text])[0] for name, text in service["environment"].items()}
    environment |= {"REDIS_URL": f"redis://:{PASSWORD}@127.0.0.1:{redis_of_compose}/0", "PATH": os.environ["PATH"]}
    environment |= {"EXEMPLAR_STATE": str(tmp_path / "state"), "EXEMPLAR_CONSOLE_PASSWORD": LONG_PASSWORD}
    console = Fork("console", [*arguments, "--port", str(port)], tmp_path, environment)
    with ending(console), httpx2.Client(base_url=f"http://localhost:{port}") as client:
        eventually(lambda: listens(port))
        assert client.get("/").headers["location"].startswith("/login")
        assert client.post("/login", data={"password": "another password"}).status_code == 401
        assert client.post("/login", data={"password": LONG_PASSWORD}).status_code == 303
        assert "Add a task" in client.get("/").text


def test_the_commands_of_the_units_write_the_articles_of_the_sample_site(redis_of_compose: int, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    address = f"redis://:{PASSWORD}@127.0.0.1:{redis_of_compose}/0"
    with SiteServer() as site, ExitStack() as running, redis.Redis(port=redis_of_compose, password=PASSWORD) as server:
        with pytest.raises(redis.AuthenticationError):
            redis.Redis(port=redis_of_compose).ping()
        (data / "tasks.yaml").write_text(tasks_yaml(site.url).replace("every: 1h", "every: 1m"), "utf-8")
        for unit in units():
            environment = {**unit.environment, "PATH": os.environ["PATH"], "REDIS_URL": address}
            environment["EXEMPLAR_STATE"] = str(data / "state")
            program, *arguments = unit.command(environment)
            assert program == "/opt/exemplar/bin/exemplar"
            arguments = [part.replace("/var/lib/exemplar", str(data)) for part in arguments]
            running.enter_context(ending(Fork("console", arguments, data, environment)))
        limit = time.monotonic() + 90
        while sum(map(rows_so_far, data.glob("out/*.jsonl"))) < ARTICLES and time.monotonic() < limit:
            time.sleep(0.2)
        alive = [json.loads(beat) for beat in server.hvals("exemplar:alive")]
        assert sorted((beat["role"], beat["node"]) for beat in alive) == [
            ("crawl", "host-1"),
            ("extract", "host-1"),
            ("schedule", "host-1"),
        ]
    found = [row["canonical_url"] for path in data.glob("out/*.jsonl") for row in rows_of(path)]
    assert len(found) >= ARTICLES
    assert len(found) == len(set(found))


@pytest.mark.parametrize("binary", BINARIES)
def test_a_redis_with_the_acl_file_has_its_transactions_after_a_restart(binary: str, tmp_path: Path) -> None:
    """Redis 7 checks the rights of the default user when it reads transactions from its append-only file."""
    acl, port = tmp_path / "users.acl", free_port()
    acl.write_text((DEPLOY / "redis" / "users.acl").read_text("utf-8").replace("PASSWORD", PASSWORD))
    options = ["--appendonly", "yes", "--aclfile", str(acl)]
    for is_restarted in (False, True):
        with (
            redis_server(tmp_path, port, *options, binary=binary) as server,
            redis.Redis(port=port, username="exemplar", password=PASSWORD, decode_responses=True) as client,
        ):
            with pytest.raises(redis.AuthenticationError):
                redis.Redis(port=port).ping()
            if is_restarted:
                assert client.mget("exemplar:a", "exemplar:b") == ["1", "2"]
            else:
                client.pipeline().set("exemplar:a", 1).set("exemplar:b", 2).execute()
                server.terminate()
                server.wait()


@pytest.mark.parametrize("binary", BINARIES)
def test_a_backup_of_redis_is_restored_as_documented(binary: str, tmp_path: Path) -> None:
    """A server with `appendonly yes` ignores `dump.rdb`."""
    text = (DEPLOY.parent / "docs" / "operations.md").read_text("utf-8")
    [(options, command)] = re.findall(rf"^redis-server {SETTINGS} (.*)\nredis-cli (.*)$", text, re.M)
    old, new, port = tmp_path / "old", tmp_path / "new", free_port()
    settings = ["--include", str(DEPLOY / "redis" / "redis.conf")]
    with redis.Redis(port=port) as client:
        with redis_server(old, port, *settings, binary=binary):
            client.set("key", "kept")
            client.save()
        new.mkdir()
        shutil.copy(old / "dump.rdb", new)
        with redis_server(new, port, *settings, *options.split(), binary=binary):
            client.execute_command(*command.split())
            eventually(lambda: not client.info("persistence")["aof_rewrite_in_progress"])
        with redis_server(new, port, *settings, binary=binary):
            assert client.get("key") == b"kept"
