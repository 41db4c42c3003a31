"""What tests of several rooms share: a real Redis, started once a session. Without its binary the tests fail."""

import gc
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import NoReturn, TypeVar

import hypothesis
import pytest
import redis

from crawler.rendering.chromium import BrowserMissing, find_browser
from workers import redaction
from workers.redis_access.redis_binary import redis_binary

from . import services
from .redis_servers import running

Service = TypeVar("Service")
# Files that take long, the longest first: they begin first, so that none of them runs on alone at the end.
LONG = (
    "chaos/test_history.py", "chaos/test_stepwise.py", "console/test_secrets.py", "crawler/test_rendering.py",
    "console/test_outages.py", "test_wheel.py", "workers/redis_access/test_partition.py",
    "workers/test_interrupted_procedures.py", "console/test_run.py", "workers/sinks/test_durability.py",
    "console/web/test_walk.py", "console/test_pictures.py", "crawler/test_section_spider.py",
    "crawler/politeness/test_robots.py", "workers/writing/test_delivery.py", "workers/redesign/test_redesign.py",
    "workers/worker_processes/test_supervisor.py", "console/test_new_user.py", "test_readme.py",
    "deploy/test_started.py", "docs/test_site.py", "crawler/test_cluster.py",
    "test_outputs_docs.py", "console/web/test_accessible.py", "crawler/gates/test_limits.py", "console/test_add.py",
    "extractors/figures/test_draw.py", "console/test_queued_outputs.py", "console/web/test_tabs.py",
    "workers/sinks/test_s3_store.py", "workers/sinks/test_sql.py",
)  # fmt: skip

# An authority that has signed nothing: to read those of the system takes 50 ms for each HTTP client, and connection
# to a database.
os.environ["SSL_CERT_FILE"] = str(Path(__file__).with_name("authority.pem"))
# Threads of numpy wait busily for each other: they take more than twice the CPU time where other tests run as well.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

hypothesis.settings.register_profile("untimed", deadline=None)  # a loaded machine is no mistake of ours
hypothesis.settings.load_profile("untimed")


def pytest_configure() -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell; programs inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection() -> None:
    import_module("scrapy.core.downloader.contextfactory")  # looks through the stack and all modules: now there are few
    gc.disable()  # collecting only makes what stays; the collector would look through all of it, again and again


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {Path(__file__).parent / name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path, len(LONG)))


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with running(str(redis_binary().path)) as url:
        yield url


@pytest.fixture(autouse=True)
def _no_secrets_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "_known", {})


@pytest.fixture
def connection(redis_url: str) -> Iterator["redis.Redis"]:
    client = redis.Redis.from_url(redis_url)
    client.flushall()
    yield client
    client.close()


@pytest.fixture(scope="session")
def browser() -> str:
    """The browser's path. On a laptop without one its tests are skipped, in CI they fail."""
    try:
        return find_browser()
    except BrowserMissing as missing:
        _without("a browser", missing)


@pytest.fixture(scope="session")
def postgres() -> Iterator[services.PostgresServer]:
    """A PostgreSQL server of this session. On a laptop without one its tests are skipped, in CI they fail."""
    with _service(services.postgres) as server:
        yield server


@pytest.fixture(scope="session")
def mariadb() -> Iterator[services.MariaDbServer]:
    """A MariaDB server, likewise."""
    with _service(services.mariadb) as server:
        yield server


@pytest.fixture(scope="session")
def sshd() -> Iterator[services.SshServer]:
    """An SSH server, likewise."""
    with _service(services.sshd) as server:
        yield server


@pytest.fixture(scope="session")
def promtool() -> str:
    """The path of Prometheus' own checks, likewise."""
    try:
        return services.program("promtool")
    except services.ServiceMissing as missing:
        _without("promtool", missing)


@contextmanager
def _service(start: Callable[[], AbstractContextManager[Service]]) -> Iterator[Service]:
    with ExitStack() as stack:
        try:
            server = stack.enter_context(start())
        except services.ServiceMissing as missing:
            _without("a server", missing)
        yield server


def _without(what: str, missing: Exception) -> NoReturn:
    if "CI" in os.environ:
        pytest.fail(f"`make test` could not install {what}: {missing}")
    pytest.skip(str(missing))
