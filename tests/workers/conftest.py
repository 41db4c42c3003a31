"""What tests of the workers share: a ledger, and a worker for its pages."""

import pytest

from workers.ledger import Ledger
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
def clock():
    return HandClock()


@pytest.fixture
def ledger(connection, clock):
    return Ledger(connection, TASK, clock=clock)


@pytest.fixture
def worker(connection, clock, tmp_path):
    worker = ExtractionWorker(connection, "here", clock=clock)
    yield worker
    worker.close()
