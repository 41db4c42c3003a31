"""What tests of the workers share: a ledger, and a worker for its pages."""

import pytest

from workers.ledger import Ledger
from workers.worker_processes.extraction_worker import ExtractionWorker

from .helpers import TASK, HandClock


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
