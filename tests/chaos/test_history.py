"""Faults of processes and outputs, in the short form (`tests.chaos.short_form`)."""

import pytest

from tests.chaos.faults import FAULTS
from tests.chaos.short_form import GROUPS, check, kinds_of

pytestmark = pytest.mark.timeout(650)

HERE = ("processes and outputs",)


@pytest.mark.parametrize("group", HERE)
def test_nothing_is_lost_and_nothing_comes_twice(group: str) -> None:
    check(group)


def test_each_fault_is_tried() -> None:
    from tests.chaos import test_machine_history

    assert sorted([*HERE, *test_machine_history.HERE]) == sorted(GROUPS)
    tried = {kind for form, starts in GROUPS.values() for kind in kinds_of(form, starts)}
    assert {*FAULTS} == tried | {kind for kind in FAULTS if kind.endswith("-long")}
