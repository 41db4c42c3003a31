"""Redis' clock is set back by an hour, or forward and back, while a run is on its way: the run goes on at its pace."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from console.sample_site import SiteServer
from tests.forks import start
from tests.redis_clock import RedisWithClock, redis_with_clock

pytestmark = pytest.mark.timeout(300)
NODES = (("schedule", "tasks.yaml"), ("work", "crawl", "-n", "1"), ("work", "extract", "-n", "1"))
HOUR, DELAY = 3600, 0.5


@pytest.fixture
def server() -> Iterator[RedisWithClock]:
    with redis_with_clock() as server:
        yield server


@pytest.mark.parametrize("steps", [[-HOUR], [HOUR, 0]], ids=["back", "forward and back"])
def test_a_run_goes_on(
    folder: Path, site: SiteServer, environment: dict[str, str], server: RedisWithClock, steps: list[int]
) -> None:
    slow = (folder / "tasks.yaml").read_text("utf-8").replace("delay: 0", f"delay: {DELAY}")
    (folder / "tasks.yaml").write_text(slow, "utf-8")
    file = folder / "out" / "zh-news.jsonl"
    nodes = [start("console", list(node), folder, environment | {"REDIS_URL": server.url}) for node in NODES]
    try:
        for number, ahead in [*enumerate(steps, 1), (12, None)]:
            limit = time.monotonic() + 120
            while not file.exists() or file.read_bytes().count(b"\n") < number:
                assert all(node.poll() is None for node in nodes)
                assert time.monotonic() < limit, f"{number} articles are not written"
                time.sleep(0.05)
            if ahead is not None:
                server.set(ahead)
    finally:
        for node in nodes:
            node.send_signal(signal.SIGTERM)
        ends = [(node.communicate(timeout=60), node.returncode) for node in nodes]
    assert [code for _, code in ends] == [0, 0, 0], ends
    urls = [json.loads(line)["url"] for line in file.read_bytes().splitlines()]
    assert len(urls) == len(set(urls)) >= 12
