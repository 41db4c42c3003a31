"""What tests of the workers share: a ledger, and a station that works on its pages."""

import pytest

from workers.extract import Station
from workers.ledger import Ledger

from .helpers import TASK


@pytest.fixture
def ledger(connection):
    return Ledger(connection, TASK)


@pytest.fixture
def station(connection, tmp_path):
    station = Station(connection, "here", state=tmp_path / "state")
    yield station
    station.close()
