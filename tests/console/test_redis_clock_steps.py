"""Redis' clock is set forward and back by an hour while a run is on its way: the run goes on at its pace."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.console.calls import edit
from tests.console.nodes import running_nodes
from tests.redis_clock import RedisWithClock, redis_with_clock
from tests.redis_servers import eventually
from tests.written_rows import rows_of, rows_so_far

pytestmark = pytest.mark.timeout(300)
HOUR, DELAY = 3600, 0.5


@pytest.fixture
def server() -> Iterator[RedisWithClock]:
    with redis_with_clock() as server:
        yield server


def test_a_run_goes_on(folder: Path, environment: dict[str, str], server: RedisWithClock) -> None:
    edit(folder, "delay: 0", f"delay: {DELAY}")
    file = folder / "out" / "zh-news.jsonl"
    with running_nodes(folder, environment | {"REDIS_URL": server.url}) as nodes:
        for number, ahead in (1, HOUR), (2, -HOUR), (8, None):
            eventually(lambda number=number: rows_so_far(file) >= number, 120)
            assert all(node.poll() is None for node in nodes)
            if ahead is not None:
                server.set(ahead)
    urls = [row["url"] for row in rows_of(file)]
    assert len(urls) == len(set(urls)) >= 8
