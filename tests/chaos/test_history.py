"""Faults of a cluster, and of a single machine, in the short form (`tests.chaos.short_form`)."""

import pytest

from tests.chaos.short_form import GROUPS, check

pytestmark = pytest.mark.timeout(650)


@pytest.mark.parametrize("form", GROUPS)
def test_nothing_is_lost_and_nothing_comes_twice(form: str) -> None:
    check(form)
