"""What tests of the crawler share: the sample site, a second one, a crawl, the ledger of the task `news`."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis

from tests.crawler.spiders import Ended, crawl, write_tasks
from tests.site.server import SiteServer
from workers.ledger import Ledger


@pytest.fixture
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without what would change a crawl."""
    for name in [name for name in os.environ if name.startswith(("EXEMPLAR_", "REDIS_"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def site() -> Iterator[SiteServer]:
    with SiteServer() as server:
        yield server


@pytest.fixture
def other() -> Iterator[SiteServer]:
    """Another host for the sample site's redirects and links: another port of this machine."""
    with SiteServer() as server:
        yield server


@pytest.fixture
def ledger(connection: "redis.Redis") -> Ledger:
    return Ledger(connection, "news")


@pytest.fixture
def crawl_with(site: SiteServer, connection: "redis.Redis", redis_url: str, tmp_path: Path) -> Callable[..., Ended]:
    """Crawls a section of the sample site by a task with the given keys, those of `write_tasks`."""

    def crawl_it(**keys: object) -> Ended:
        write_tasks(tmp_path, site.url, **keys)
        return crawl(tmp_path, redis_url)

    return crawl_it
