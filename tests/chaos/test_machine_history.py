"""Faults of Redis and machines, and of a single machine, in the short form (`tests.chaos.short_form`)."""

import pytest

from tests.chaos.short_form import check

pytestmark = pytest.mark.timeout(650)

HERE = ("redis and machines", "one machine")


@pytest.mark.parametrize("group", HERE)
def test_nothing_is_lost_and_nothing_comes_twice(group: str) -> None:
    check(group)
