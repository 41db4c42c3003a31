"""One cluster on two Redis servers: each task on one of them, all nodes and commands serve both."""

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import redis

from console.sample_site import SiteServer, tasks_yaml
from console.several_servers import ServerPart, serve_all, shares
from crawler.task_list.file import load
from crawler.task_list.placement import in_words, parts_of
from tests.forks import Started, start
from tests.redis_servers import eventually, free_port, redis_server
from tests.written_rows import rows_so_far
from workers.ledger import Ledger
from workers.redis_access.servers import RedisServers, weight
from workers.url_states import Found

from .conftest import Exemplar

FIRST, SECOND = "127.0.0.1", "localhost"  # two hosts of one site


def split_names() -> tuple[str, str]:
    """Names of two servers of which each gets one of the hosts."""
    for number in range(100):
        names = f"a{number}", f"b{number}"
        if weight(names[0], FIRST) > weight(names[1], FIRST) and weight(names[0], SECOND) < weight(names[1], SECOND):
            return names
    raise AssertionError


@pytest.fixture
def two(tmp_path: Path) -> Iterator[str]:
    """`REDIS_URL` of two servers; the first one gets the host 127.0.0.1."""
    ports = free_port(), free_port()
    names = split_names()
    with redis_server(tmp_path / "r1", ports[0]), redis_server(tmp_path / "r2", ports[1]):
        yield ", ".join(f"redis://127.0.0.1:{port}/0#{name}" for port, name in zip(ports, names, strict=True))


@pytest.fixture
def file(tmp_path: Path, site: SiteServer) -> Path:
    text = tasks_yaml(site.url).replace("every: 1h", "every: 1m").replace("[127.0.0.1]", "[127.0.0.1, localhost]")
    head, english = text.split("  en-stories:")
    path = tmp_path / "tasks.yaml"
    path.write_text(head + "  en-stories:" + english.replace("127.0.0.1", "localhost"), "utf-8")
    return path


@pytest.mark.parametrize(
    ("count", "waiting", "present", "turn", "result"),
    [
        (8, [0, 0], [], 0, [4, 4]),
        (8, [0, 0], [7, 1], 3, [7, 1]),
        (8, [10, 0], [4, 4], 0, [8, 0]),
        (8, [300, 100], [4, 4], 0, [6, 2]),
        (3, [1000, 1, 1], [1, 1, 1], 0, [1, 1, 1]),
        (1, [5, 5, 5], [1, 0, 0], 1, [0, 1, 0]),
        (1, [0, 0, 7], [1, 0, 0], 0, [0, 0, 1]),
        (2, [1, 1, 1], [1, 1, 0], 1, [1, 0, 1]),
        (1, [0, 0, 0], [], 0, [1, 0, 0]),
    ],
)
def test_workers_are_shared_by_what_waits(
    count: int, waiting: list[int], present: list[int], turn: int, result: list[int]
) -> None:
    assert shares(count, waiting, present, turn) == result
    assert sum(result) == count


def test_a_ledger_keeps_its_task_where_it_is(two: str, file: Path) -> None:
    servers = RedisServers(two)
    tasks = load(file)
    assert [[*part.tasks.tasks] for part in parts_of(tasks, servers)] == [["zh-news"], ["en-stories"]]
    Ledger(servers[1].connection, "zh-news").add([Found("http://127.0.0.1/1", 0.0)])
    first, second = parts_of(tasks, servers)
    assert (first.tasks.tasks, sorted(second.tasks.tasks)) == ({}, ["en-stories", "zh-news"])
    assert in_words(first) == ""
    assert f"zh-news (to {servers[0].name})" in in_words(second)
    servers.close()


def test_one_server_alone_gets_the_whole_list(redis_url: str, file: Path) -> None:
    servers = RedisServers(redis_url)
    [part] = parts_of(load(file), servers)
    assert sorted(part.tasks.tasks) == ["en-stories", "zh-news"]
    servers.close()


def test_a_server_that_is_away_does_not_hold_up_the_others() -> None:
    stopping, told, served = threading.Event(), [], []

    def away() -> None:
        if not told:
            raise redis.ConnectionError("no answer from it.")
        served.append("again")
        stopping.wait(20)

    def there() -> None:
        served.append("there")
        stopping.wait(20)

    parts = [ServerPart("a", away, stopping.set), ServerPart("b", there, stopping.set)]
    threading.Timer(2.5, stopping.set).start()
    serve_all(parts, told.append, stopping)
    assert told == ["Redis a is unavailable: no answer from it; trying again"]
    assert sorted(served) == ["again", "there"]


def test_a_mistake_in_one_part_ends_all() -> None:
    def broken() -> None:
        raise ValueError("a mistake of ours")

    stopping = threading.Event()
    with pytest.raises(ValueError, match="a mistake of ours"):
        serve_all(
            [ServerPart("a", broken, lambda: None), ServerPart("b", stopping.wait, lambda: None)], print, stopping
        )


@contextmanager
def node(folder: Path, environment: dict[str, str], *arguments: str) -> Iterator[Started]:
    process = start("console", arguments, folder, environment)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors


def rows(folder: Path, task: str) -> list[str]:
    path = folder / "out" / f"{task}.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [json.loads(line)["canonical_url"] for line in lines]


def test_one_worker_of_each_kind_serves_both_servers(
    two: str, file: Path, exemplar: Exemplar, environment: dict[str, str]
) -> None:
    folder, servers = file.parent, RedisServers(two)
    with ExitStack() as running:
        for arguments in (("schedule",), ("work", "crawl", "-n", "1"), ("work", "extract", "-n", "1")):
            running.enter_context(node(folder, environment | {"REDIS_URL": two}, *arguments))
        eventually(
            lambda: min(rows_so_far(folder / "out" / f"{task}.jsonl") for task in ("zh-news", "en-stories")) > 5, 90
        )
        status = exemplar("status", "--json", REDIS_URL=two).events[0]
    for task in ("zh-news", "en-stories"):
        assert len(rows(folder, task)) == len(set(rows(folder, task)))
    names = [server.name for server in servers]
    assert [(row["task"], row["server"]) for row in status["tasks"]] == [
        ("en-stories", names[1]),
        ("zh-news", names[0]),
    ]
    assert {(process["role"], process["server"]) for process in status["processes"]} == {
        (role, name) for role in ("schedule", "crawl", "extract") for name in names
    }
    assert exemplar("forget", "en-stories", "--yes", REDIS_URL=two).code == 0
    assert not servers[1].connection.sismember("exemplar:ledgers", "en-stories")
    assert exemplar("crawl", "zh-news", "--json", REDIS_URL=two).events[0]["outcome"] == "finished"
    assert exemplar("work", "extract", "-n", "1", "--until-empty", REDIS_URL=two).code == 0
    refused = exemplar("run", "--once", "--json", REDIS_URL=two)
    assert (refused.code, "names 2 servers" in refused.err) == (2, True)
    servers.close()
