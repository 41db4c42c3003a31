"""What tests of the workers share: a ledger, and a worker for its pages."""

import pytest

from workers.ledger import Ledger
from workers.redis_access.redis_clock import clock_of
from workers.worker_processes.extraction_worker import ExtractionWorker

from .helpers import TASK, HandClock
from .store_servers import s3_server


@pytest.fixture(scope="session")
def s3():
    with s3_server() as server:
        yield server


@pytest.fixture
def bucket(s3, monkeypatch):
    """The name of an empty bucket, to which the environment leads."""
    for name, value in s3.environment(s3.endpoint).items():
        monkeypatch.setenv(name, value)
    return s3.bucket()


@pytest.fixture
def clock(connection):
    """The clock of the connection."""
    clock_of(connection).now = HandClock()
    return clock_of(connection).now


@pytest.fixture
def ledger(connection, clock):
    return Ledger(connection, TASK)


@pytest.fixture
def worker(connection, clock, tmp_path):
    worker = ExtractionWorker(connection, "here")
    yield worker
    worker.close()
