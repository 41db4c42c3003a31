"""When a written page is checked again."""

import pytest

from workers.url_states import (
    HASH_UNKNOWN,
    RecheckPlan,
    is_unchanged,
    next_list_recheck,
    next_recheck,
    recovered_recheck,
)

HOUR, DAY = 3600.0, 86400.0
NOW = 1_000_000.0
PREVIOUS = RecheckPlan(HOUR, NOW + 5 * HOUR, 3, "old", row_hash="old row")


def test_without_revisit_there_is_no_recheck():
    assert next_recheck(None, None, 1, "h", now=NOW) is None
    assert next_list_recheck(None, None, "h", has_new=True, now=NOW) is None


def test_the_time_for_rechecks_begins_at_the_first_check():
    assert next_recheck((HOUR, DAY), None, 1, "h", now=NOW) == RecheckPlan(HOUR, NOW + DAY, 1, "h")
    assert next_recheck((HOUR, DAY), PREVIOUS, 4, "h", now=NOW) == RecheckPlan(HOUR, PREVIOUS.until, 4, "h")


def test_without_revisit_any_more_this_check_was_the_last():
    assert next_recheck(None, PREVIOUS, 4, "h", now=NOW) == RecheckPlan(0.0, 0.0, 4, "h")


@pytest.mark.parametrize(("has_new", "until"), [(True, NOW + DAY), (False, PREVIOUS.until)])
def test_new_entries_renew_the_time_of_a_list_page(has_new, until):
    assert next_list_recheck((HOUR, DAY), PREVIOUS, "h", has_new=has_new, now=NOW) == RecheckPlan(HOUR, until, 3, "h")


@pytest.mark.parametrize(
    ("hash_", "row_hash", "is_incomplete", "expected"),
    [
        ("old", "new row", False, True),
        ("new", "new row", False, False),
        ("new", "old row", False, True),
        ("new", "new row", True, True),
    ],
)
def test_a_recheck_is_new_if_the_whole_article_differs(hash_, row_hash, is_incomplete, expected):
    assert is_unchanged(PREVIOUS, hash_, row_hash, is_incomplete=is_incomplete) is expected


def test_a_lost_plan_ends_when_it_would_have_ended():
    fetched = NOW - 5 * HOUR
    plan = RecheckPlan(HOUR, fetched + DAY, 2, HASH_UNKNOWN)
    assert recovered_recheck((HOUR, DAY), 2, fetched, now=NOW) == plan
    assert recovered_recheck((HOUR, DAY), 2, NOW - DAY, now=NOW) is None
    assert recovered_recheck(None, 2, NOW, now=NOW) is None
    assert is_unchanged(plan, "any", "any", is_incomplete=False)
