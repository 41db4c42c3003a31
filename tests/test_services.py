"""The servers that tests of outputs start; that they end and come back with their data is proved by those tests."""

import pytest

from . import services


def test_a_missing_program_is_named() -> None:
    with pytest.raises(services.ServiceMissing, match="make services"):
        services.program("no-such-server")
