"""A partition: the old primary stays with some workers and spiders, its replicas and the Sentinel with the others.

The servers have the settings of `deploy/redis/replicated.conf`. In the short form each test has one version of Redis.
"""

import csv
import os
import re
import signal
import threading
import time
from collections import Counter
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest
import redis

from crawler.politeness.pace import Pace
from tests.forks import start
from tests.proxy import Proxy
from tests.redis_servers import BINARIES, SYSTEM, eventually, free_port, redis_server, sentinel
from tests.samples import sample
from tests.workers.helpers import CHEAP, TASK, deliver, news, publish, rows, url
from tests.workers.sqlite_outputs import in_table
from tests.written_rows import rows_so_far
from workers.ledger import Ledger
from workers.redis_access.connection import client, connect
from workers.redis_access.outage import is_temporary

pytestmark = pytest.mark.timeout(300)
SETTINGS = Path(__file__).parents[3] / "deploy" / "redis" / "replicated.conf"
REPLICATED = dict(re.findall(r"^([\w-]+) (\w+)$", SETTINGS.read_text("utf-8"), re.M))
OUTPUTS = ("out.jsonl", "out.csv", "out.db")
OPTIONS = tuple(part for name, value in REPLICATED.items() for part in (f"--{name}", value))
LAG = int(REPLICATED["min-replicas-max-lag"])  # seconds
HOST, INTERVAL = "gazette.example:80", 0.4


class Servers:
    """An old primary behind a proxy, two replicas, a Sentinel. `old`, `new`: addresses as each side has them."""

    def __init__(self, stack: ExitStack, folder, binary):
        ports = [free_port() for _ in range(3)]
        watch = free_port()
        stack.enter_context(redis_server(folder / "a", ports[0], *OPTIONS, binary=binary))
        self.link = Proxy(ports[0])
        for name, port in zip("bc", ports[1:], strict=True):
            of = ("--replicaof", "127.0.0.1", str(self.link.port))
            stack.enter_context(redis_server(folder / name, port, *OPTIONS, *of, binary=binary))
        stack.enter_context(sentinel(folder / "watch", watch, "news", self.link.port, SYSTEM or binary))
        self.old = f"redis://127.0.0.1:{ports[0]}/0"
        self.new = f"redis+sentinel://127.0.0.1:{watch}/news/0"
        with redis.Redis(port=watch) as asked, redis.Redis(port=ports[0]) as primary:
            eventually(lambda: len(asked.sentinel_slaves("news")) == 2)
            eventually(lambda: primary.wait(2, 1000) == 2)
        self._ports = ports

    def has_promoted(self):
        for port in self._ports[1:]:
            with redis.Redis(port=port) as server:
                replication = server.info("replication")
                if replication["role"] == "master" and replication["connected_slaves"]:
                    return True
        return False


@pytest.fixture
def servers(binary, tmp_path):
    with ExitStack() as stack:
        yield Servers(stack, tmp_path / "redis", binary)


def deliver_until_refused(connection, number):
    """Deliver pages to the old side, one after another, as long as it takes them; the number of the last one."""
    while True:
        try:
            deliver(connection, {number: news(number)})
        except redis.ResponseError as error:
            if "NOREPLICAS" not in str(error):
                raise
            return number
        number += 1
        time.sleep(0.3)


def takes_writes(connection):
    try:
        return connection.set("exemplar:test", 1)
    except redis.ResponseError:  # NOREPLICAS
        return False


@pytest.mark.parametrize("binary", sample(BINARIES[:1], BINARIES))
def test_rows_are_written_once_and_the_old_side_waits(servers, tmp_path):
    environment = {**os.environ, "EXEMPLAR_STATE": str(tmp_path / "state")}
    with connect(servers.old) as old:
        publish(old, tmp_path, *OUTPUTS, method=CHEAP)
        nodes = [
            start("console", ["work", "extract", "-n", "1"], tmp_path, environment | {"REDIS_URL": address})
            for address in (servers.old, servers.new)
        ]
        try:
            deliver(old, {number: news(number) for number in range(1, 11)})
            eventually(lambda: rows_so_far(tmp_path / "out.jsonl") == 10, 90)
            deliver(old, {number: news(number) for number in range(11, 31)})
            servers.link.close()
            delivered = deliver_until_refused(old, 31)
            eventually(servers.has_promoted, 60)
            everything = range(1, delivered + 11)
            with client(servers.new) as new:
                eventually(lambda: takes_writes(new), 60)  # its replica has followed it
                deliver(new, {number: news(number) for number in everything})  # as the next walk finds them
                eventually(lambda: Ledger(new, TASK).counts().states["written"] == len(everything), 90)
            assert [node.poll() for node in nodes] == [None, None]
        finally:
            for node in nodes:
                node.send_signal(signal.SIGTERM)
            said = [node.communicate(timeout=60) for node in nodes]
    # A node says why it waits: the server of the old side refuses writes, or Sentinel knows no master.
    waits = re.compile("Redis is unavailable: .*(NOREPLICAS|No master found)")
    assert any(waits.search(errors) for _, errors in said), said
    expected = Counter(map(url, everything))
    with (tmp_path / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        assert Counter(row["url"] for row in csv.DictReader(file)) == expected
    assert Counter(row["url"] for row in rows(tmp_path)) == Counter(in_table(tmp_path)) == expected


@pytest.mark.parametrize("binary", sample(BINARIES[-1:], BINARIES))
def test_the_old_side_gets_no_permits_soon_after_and_outside_that_time_the_pace_is_kept(servers):
    granted, refused = {"old": [], "new": []}, []
    ended = threading.Event()

    def request(side, connection):
        pace = Pace(connection)
        while not ended.is_set():
            try:
                permit = pace.request_permit(HOST, INTERVAL)
            except redis.RedisError as error:
                refused.append(is_temporary(error))
                time.sleep(0.05)
            else:
                granted[side] += [permit.at / 1e6] if permit.wait == 0 else []
                time.sleep(min(permit.wait, 0.05))

    with client(servers.old, retries=0) as old, client(servers.new, retries=0) as new:
        sides = [threading.Thread(target=request, args=side) for side in (("old", old), ("new", new))]
        for side in sides:
            side.start()
        try:
            eventually(lambda: min(map(len, granted.values())) > 2)
            cut = time.time()
            servers.link.close()
            eventually(servers.has_promoted, 60)
            number = len(granted["new"])
            eventually(lambda: len(granted["new"]) > number + 10, 60)
            with pytest.raises(redis.ResponseError, match="NOREPLICAS"):
                Pace(old).request_permit(HOST, INTERVAL)
        finally:
            ended.set()
            for side in sides:
                side.join()
    assert all(refused)
    until = max(granted["old"])
    assert until < cut + LAG + 5
    outside = sorted(at for at in granted["old"] + granted["new"] if not cut <= at <= until + INTERVAL)
    assert min(after - before for before, after in pairwise(outside)) >= INTERVAL - 0.001
