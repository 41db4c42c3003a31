"""What tests of the crawler share: the sample site, a second one, the ledger of the task `news`."""

from collections.abc import Iterator

import pytest
import redis

from console.sample_site import SiteServer
from workers.ledger import Ledger


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
