"""The Solar Hijri calendar by known days, and by the rule that every day follows the one before it."""

from datetime import date, timedelta

import pytest

from extractors.metadata.date_words import FIRST_YEAR, LAST_YEAR, NEW_YEAR, common_date

LATE_MARCH = {1376, 1380, 1384, 1388, 1392, 1396, 1400, 1404}  # years that begin on 21 March after a leap year


def test_each_day_follows_the_one_before_it():
    days = [
        found
        for year in range(FIRST_YEAR, LAST_YEAR + 1)
        for month in range(1, 13)
        for day in range(1, 33)
        if (found := common_date(year, month, day))
    ]
    assert days == [NEW_YEAR + timedelta(number) for number in range(len(days))]
    assert days[-1] == date(2031, 3, 20)


@pytest.mark.parametrize(
    ("written", "common"),
    [
        ((1398, 11, 22), date(2020, 2, 11)),
        ((1399, 12, 30), date(2021, 3, 20)),
        ((1400, 7, 1), date(2021, 9, 23)),
        ((1402, 12, 15), date(2024, 3, 5)),
        ((1402, 12, 30), None),
        ((1403, 12, 30), date(2025, 3, 20)),
        ((1368, 1, 1), None),
        ((1410, 1, 1), None),
        ((1400, 13, 1), None),
        ((1400, 7, 31), None),
        ((1400, 7, 0), None),
    ],
)
def test_known_days(written, common):
    assert common_date(*written) == common


def test_years_begin_on_the_day_of_the_equinox():
    begins = {year: common_date(year, 1, 1) for year in range(1375, 1405)}
    assert all((day.month, day.day) in ((3, 20), (3, 21)) for day in begins.values())
    assert {year for year, day in begins.items() if day.day == 21} >= LATE_MARCH
    assert [year for year, day in begins.items() if day.day == 20] == [1375, 1379, 1383, 1387, 1391, 1395, 1399, 1403]
