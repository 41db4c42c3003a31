"""What tests of the workers share: a ledger, and a worker for its pages."""

import pytest

from workers.extract import ExtractionWorker
from workers.ledger import Ledger

from .helpers import TASK


@pytest.fixture
def ledger(connection):
    return Ledger(connection, TASK)


@pytest.fixture
def worker(connection, tmp_path):
    worker = ExtractionWorker(connection, "here", state=tmp_path / "state")
    yield worker
    worker.close()
