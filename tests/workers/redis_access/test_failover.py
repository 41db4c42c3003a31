"""Workers go on when the Redis server of their service dies and a replica is promoted by a Sentinel."""

import os

import pytest
import redis

from tests.forks import start
from tests.redis_servers import BINARIES, SYSTEM, eventually, free_port, redis_server, sentinel
from tests.samples import sample
from tests.workers.helpers import deliver, news, publish, rows, states
from tests.written_rows import rows_so_far
from workers.redis_access.connection import connect

AT_ONCE = 20  # pages


@pytest.mark.parametrize("binary", sample(BINARIES[-1:], BINARIES))
def test_extraction_goes_on_with_the_promoted_replica(tmp_path, binary):
    first, second, watch = free_port(), free_port(), free_port()
    url = f"redis+sentinel://127.0.0.1:{watch}/news/0"
    with (
        redis_server(tmp_path / "first", first, binary=binary) as primary,
        redis_server(tmp_path / "second", second, "--replicaof", "127.0.0.1", str(first), binary=binary),
        sentinel(tmp_path / "watch", watch, "news", first, SYSTEM or binary),
    ):
        eventually(lambda: len(redis.Redis(port=watch).sentinel_slaves("news")) == 1)
        with connect(url) as connection:
            publish(connection, tmp_path)
            environment = {**os.environ, "REDIS_URL": url, "EXEMPLAR_STATE": str(tmp_path / "state")}
            process = start("console", ["work", "extract", "-n", "2"], tmp_path, environment)
            try:
                deliver(connection, {number: news(number) for number in range(1, AT_ONCE)})
                eventually(lambda: rows_so_far(tmp_path / "out.jsonl") == AT_ONCE - 1)
                eventually(lambda: set(states(connection, *range(1, AT_ONCE))) == {"written"})
                connection.wait(1, 5000)  # what a server that dies has not replicated yet is another test's
                primary.kill()
                deliver(connection, {number: news(number) for number in range(AT_ONCE, 2 * AT_ONCE)})
                assert connection.info("server")["tcp_port"] == second
                eventually(lambda: set(states(connection, *range(1, 2 * AT_ONCE))) == {"written"}, 45)
            finally:
                process.terminate()
                process.wait(40)
        assert process.returncode == 0
    urls = [row["url"] for row in rows(tmp_path)]
    assert len(urls) == len(set(urls)) == 2 * AT_ONCE - 1
