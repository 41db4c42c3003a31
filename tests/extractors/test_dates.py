from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from extractors.dates import find_date

CHINA = timezone(timedelta(hours=8))
FETCHED = datetime(2024, 3, 5, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-03-05T08:30:15+08:00", datetime(2024, 3, 5, 8, 30, 15, tzinfo=CHINA)),
        ("2024-03-05T08:30:15.123Z", datetime(2024, 3, 5, 8, 30, 15, tzinfo=UTC)),
        ("2024-03-05T08:30:15+0800", datetime(2024, 3, 5, 8, 30, 15, tzinfo=CHINA)),
        ("2024-03-05 08:30", datetime(2024, 3, 5, 8, 30)),
        ("发布时间：2024年03月05日 08:30 来源：日报", datetime(2024, 3, 5, 8, 30)),
        ("2024年3月5日 星期二 下午3时05分", datetime(2024, 3, 5, 15, 5)),
        ("2024/3/5", date(2024, 3, 5)),
        ("2024.03.05", date(2024, 3, 5)),
        ("20240305", date(2024, 3, 5)),
        ("20240305T083015", datetime(2024, 3, 5, 8, 30, 15)),
        ("1709627400", datetime(2024, 3, 5, 8, 30, tzinfo=UTC)),
        ("1709627400000", datetime(2024, 3, 5, 8, 30, tzinfo=UTC)),
        ("Published March 5, 2024 at 8:30 pm by the desk", datetime(2024, 3, 5, 20, 30)),
        ("Mar. 5th, 2024", date(2024, 3, 5)),
        ("Tue, 05 Mar 2024 08:30:00 GMT", datetime(2024, 3, 5, 8, 30, tzinfo=UTC)),
        ("5 March 2024, 12:05 a.m.", datetime(2024, 3, 5, 0, 5)),
    ],
)
def test_written_forms(text, expected):
    found = find_date(text)
    assert found == expected
    assert getattr(found, "tzinfo", None) == getattr(expected, "tzinfo", None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3小时前", datetime(2024, 3, 5, 9, 0, tzinfo=UTC)),
        ("20 minutes ago", datetime(2024, 3, 5, 11, 40, tzinfo=UTC)),
        ("2天前", date(2024, 3, 3)),
        ("昨天 08:30", datetime(2024, 3, 4, 8, 30)),
        ("前天", date(2024, 3, 3)),
        ("Yesterday", date(2024, 3, 4)),
    ],
)
def test_relative_forms_count_from_the_fetch_and_only_with_it(text, expected):
    assert find_date(text, FETCHED) == expected
    assert find_date(text) is None


@pytest.mark.parametrize(
    "text", ["", "no date", "2024-13-05", "2024-02-30", "0001-01-01", "1024-03-05", "call 2024-5500-1", "9999-01-01"]
)
def test_what_is_no_plausible_date_is_passed_over(text):
    assert find_date(text) is None


def test_date_after_the_fetch_is_passed_over_for_the_next_one():
    assert find_date("Event on 2024-04-01, posted 2024-03-04", FETCHED) == date(2024, 3, 4)


def test_page_a_time_zone_ahead_of_the_fetch_is_plausible():
    assert find_date("2024-03-06", FETCHED) == date(2024, 3, 6)


def test_impossible_time_leaves_the_day():
    assert find_date("2024-03-05 24:30") == date(2024, 3, 5)
