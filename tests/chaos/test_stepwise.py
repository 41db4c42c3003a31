"""Histories in one process whose parts die at their steps (`tests.chaos.stepwise`)."""

from pathlib import Path

import pytest

from tests.chaos.mutations import MUTATIONS, REPOSITORY
from tests.chaos.stepwise import SEEDS, first_violations
from tests.samples import sample

PARTS = 5  # seeds of the short form: one of each kind of plan (`stepwise.plan_of`)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_is_lost_and_nothing_comes_twice_at_any_step(part: int, redis_url: str, tmp_path: Path) -> None:
    assert first_violations(redis_url, tmp_path, SEEDS[part :: sample(len(SEEDS), PARTS)]) == (-1, [])


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_each_mutation_fits_the_code(mutation) -> None:
    assert (REPOSITORY / mutation.file).read_text("utf-8").count(mutation.old) == 1


def test_there_are_enough_mutations_and_each_has_a_name_of_its_own() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS) >= 30
