"""Crawls without extraction: they hold Redis below the mark, say what they wait for, and go on with memory."""

from pathlib import Path

import pytest
import redis

from console.overview import machines_overview
from console.status_table import pressure_lines
from tests.crawler.spiders import Child, states, until, write_tasks
from tests.redis_servers import BINARIES, running
from tests.site.server import SiteServer
from workers.redis_access.full_redis import memory_of

pytestmark = pytest.mark.timeout(120)
SETTINGS = "{contact: https://example.org/our-crawler, allow_hosts: [127.0.0.1], delay: 0.15, pressure: {%s}}"
MARK, IN_FLIGHT = 5, 2


def test_a_crawl_pauses_at_the_mark_and_says_so(
    site: SiteServer, connection: "redis.Redis", redis_url: str, tmp_path: Path
) -> None:
    write_tasks(tmp_path, site.url, settings=SETTINGS % f"task_pages: {MARK}", concurrency=IN_FLIGHT)
    with Child("zh-news", tmp_path, redis_url) as child:
        until(lambda: any("zh-news pauses: " in line for line in pressure_lines(machines_overview(connection))))
        [text] = pressure_lines(machines_overview(connection))
        assert f"of {MARK} pages that may wait for extraction" in text
        assert MARK <= states(connection)["fetched"] <= MARK + IN_FLIGHT
        assert child.process.poll() is None


def test_a_crawl_waits_while_redis_is_full_and_goes_on_with_memory(site: SiteServer, tmp_path: Path) -> None:
    write_tasks(tmp_path, site.url, settings=SETTINGS % "memory: 0.95", concurrency=IN_FLIGHT)
    with running(BINARIES[0], "--maxmemory", "64mb") as url, Child("zh-news", tmp_path, url) as child:
        connection = redis.Redis.from_url(url)
        until(lambda: states(connection).get("fetched", 0) > 2)
        connection.config_set("maxmemory", memory_of(connection).used // 2)
        until(lambda: any("waits" in process for process in machines_overview(connection).living))
        lines = pressure_lines(machines_overview(connection))
        assert lines[0].startswith("Redis is full ("), lines
        assert any(line.startswith("zh-news ") for line in lines[1:]), lines
        assert child.process.poll() is None
        connection.config_set("maxmemory", 64 * 2**20)
        ended = child.end()
        assert (ended.code, ended.report["outcome"], ended.report["problems"]) == (0, "finished", [])
        counts = states(connection)
        assert counts["fetched"] == counts["seen"] - counts.get("rejected", 0)
        connection.close()
