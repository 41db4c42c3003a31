"""What tests of metrics share."""

import os

import pytest

from tests.services import ServiceMissing, program


@pytest.fixture(scope="session")
def promtool() -> str:
    """Prometheus' own checks of metrics and rules. On a laptop without it its tests are skipped, in CI they fail."""
    try:
        return program("promtool")
    except ServiceMissing as missing:
        if "CI" in os.environ:
            pytest.fail(f"`make test` could not install promtool: {missing}")
        pytest.skip(str(missing))
