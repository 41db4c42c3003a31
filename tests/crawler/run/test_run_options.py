"""The arguments of `scrapy crawl section -a`."""

import re
from datetime import date

import pytest

from crawler.run.run_report import RunOptions
from workers.errors import ExemplarError


def test_arguments_are_read():
    arguments = {"limit": "5", "all": "Yes", "since": "2026-01-31", "until": "2026-02-01", "backfill": "no"}
    assert RunOptions.of(arguments) == RunOptions(5, True, date(2026, 1, 31), date(2026, 2, 1), False)
    assert RunOptions.of({}) == RunOptions()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("sinse", "2026-01-31", "unknown argument 'sinse'; known: task, tasks, limit, all, since, until, backfill"),
        ("limit", "many", "invalid argument limit=many: Input should be a valid integer"),
        ("since", "yesterday", "invalid argument since=yesterday: Input should be a valid date"),
        ("backfill", "perhaps", "invalid argument backfill=perhaps: Input should be a valid boolean"),
    ],
)
def test_an_invalid_argument_is_named(name, value, message):
    with pytest.raises(ExemplarError, match=re.escape(message)):
        RunOptions.of({name: value})
