from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from extractors.metadata.dates import find_date, find_url_date

CHINA = timezone(timedelta(hours=8))
EASTERN = timezone(timedelta(hours=-5))
FETCHED = datetime(2024, 3, 5, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-03-05T08:30:15+08:00", datetime(2024, 3, 5, 8, 30, 15, tzinfo=CHINA)),
        ("2024-03-05T08:30:15.123Z", datetime(2024, 3, 5, 8, 30, 15, tzinfo=UTC)),
        ("2024-03-05 08:30", datetime(2024, 3, 5, 8, 30)),
        ("发布时间：2024年03月05日 08:30 来源：日报", datetime(2024, 3, 5, 8, 30)),
        ("2024年3月5日 星期二 下午3时05分", datetime(2024, 3, 5, 15, 5)),
        ("2024.03.05", date(2024, 3, 5)),
        ("20240305", date(2024, 3, 5)),
        ("20240305T083015", datetime(2024, 3, 5, 8, 30, 15)),
        ("20240305T0830+0800", datetime(2024, 3, 5, 8, 30, tzinfo=CHINA)),
        ("202403050830", datetime(2024, 3, 5, 8, 30)),
        ("1709627400", datetime(2024, 3, 5, 8, 30, tzinfo=UTC)),
        ("1709627400000", datetime(2024, 3, 5, 8, 30, tzinfo=UTC)),
        ("Published March 5, 2024 at 8:30 pm by the desk", datetime(2024, 3, 5, 20, 30)),
        ("Tue, 05 Mar 2024 08:30:00 GMT", datetime(2024, 3, 5, 8, 30, tzinfo=UTC)),
        ("5 March 2024, 12:05 a.m.", datetime(2024, 3, 5, 0, 5)),
        ("March 5, 2024 8:30 AM EST", datetime(2024, 3, 5, 8, 30, tzinfo=EASTERN)),
        ("Published 2:16 AM EST Mar 5, 2024", datetime(2024, 3, 5, 2, 16, tzinfo=EASTERN)),
        ("08:30, Tuesday, March 5, 2024", datetime(2024, 3, 5, 8, 30)),
        ("Tue Mar 05 2024 08:30:00 CST", datetime(2024, 3, 5, 8, 30)),  # China's or Chicago's: nobody knows
        ("Ada Miller, EditorMar 5, 2024, 08:30 PM", datetime(2024, 3, 5, 20, 30)),
        ("Mar 5, 2024Ada Miller", date(2024, 3, 5)),
        ("le 5 août 2024", date(2024, 8, 5)),
        ("05.03.2024, 08:30", datetime(2024, 3, 5, 8, 30)),
        ("25/03/2024", date(2024, 3, 25)),
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
        ("2天前", date(2024, 3, 3)),
        ("昨天 08:30", datetime(2024, 3, 4, 8, 30)),
        ("前天", date(2024, 3, 3)),
        ("an hour ago", datetime(2024, 3, 5, 11, 0, tzinfo=UTC)),
        ("刚刚", datetime(2024, 3, 5, 12, 0, tzinfo=UTC)),
        ("3月4日 08:30", datetime(2024, 3, 4, 8, 30)),
        ("12月31日", date(2023, 12, 31)),
        ("03-04 08:30", datetime(2024, 3, 4, 8, 30)),
    ],
)
def test_relative_forms_count_from_the_fetch_and_only_with_it(text, expected):
    assert find_date(text, FETCHED) == expected
    assert find_date(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no date",
        "03/05/2024",
        "2024-02-30",
        "0001-01-01",
        "call 2024-5500-1",
        "9999-01-01",
        "20240305109900",
    ],
)
def test_what_is_no_plausible_date_is_passed_over(text):
    assert find_date(text) is None


def test_date_after_the_fetch_is_passed_over_for_the_next_one():
    assert find_date("Event on 2024-04-01, posted 2024-03-04", FETCHED) == date(2024, 3, 4)


def test_page_a_time_zone_ahead_of_the_fetch_is_plausible():
    assert find_date("2024-03-06", FETCHED) == date(2024, 3, 6)


def test_impossible_time_leaves_the_day():
    assert find_date("2024-03-05 24:30") == date(2024, 3, 5)


@pytest.mark.parametrize("text", ["今天天气", "今日头条", "What readers bought today", "day 3"])
def test_day_word_inside_other_words_is_no_date(text):
    assert find_date(text, FETCHED) is None


def test_chinese_days_are_those_of_china():
    assert find_date("昨天", datetime(2024, 3, 5, 17, 0, tzinfo=UTC)) == date(2024, 3, 5)  # where it is March 6 already


WHOLE_DAYS = ("2024/03/05/bread", "2024-03-05/bread", "2024-03/05/7.htm", "20240305/7", "2024/0305/7")
WHOLE_DAYS += ("2024/mar/05/bread", "2024/march/5/bread", "news/t20240305_7.html", "a/20240305A0MZ", "202403/05/7")
NO_DAYS = ("2024/03/", "1202403051", "20241305", "id-120240305", "2024/bread/03/05")


@pytest.mark.parametrize(
    ("path", "found"), [*((path, date(2024, 3, 5)) for path in WHOLE_DAYS), *((path, None) for path in NO_DAYS)]
)
def test_day_in_an_address(path, found):
    assert find_url_date(f"https://gazette.example/{path}") == found


def test_address_of_a_day_to_come_is_passed_over():
    assert find_url_date("https://gazette.example/20240309/", FETCHED) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tue Feb 06 2024 10:00:00 GMT+0800 (CST)", datetime(2024, 2, 6, 10, tzinfo=CHINA)),
        ("Tue, 06 Feb 2024 10:00:00 +08:00", datetime(2024, 2, 6, 10, tzinfo=CHINA)),
        ("2024-02-06 10:00 UTC+8", datetime(2024, 2, 6, 10, tzinfo=CHINA)),
        ("Feb 6, 2024 10:00 am ET", datetime(2024, 2, 6, 10, tzinfo=EASTERN)),
        ("6 Feb 2024 10:00 CET", datetime(2024, 2, 6, 10, tzinfo=timezone(timedelta(hours=1)))),
        ("2027年 2月 5日", None),
        ("二〇二四年二月六日 10:00", datetime(2024, 2, 6, 10)),
        ("二○二三年十二月三十一日", date(2023, 12, 31)),
        ("２０２４年２月６日", date(2024, 2, 6)),
        ("昨日 10:00", datetime(2024, 3, 4, 10)),
    ],
)
def test_zones_and_digits_that_are_written(text, expected):
    found = find_date(text, FETCHED)
    assert found == expected
    assert not isinstance(expected, datetime) or found.tzinfo == expected.tzinfo


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en-US", date(2024, 5, 3)),
        ("en_GB", date(2024, 3, 5)),
        ("fr", date(2024, 3, 5)),
        ("fr-CA", None),  # the year is first there
        ("en", None),  # declared in all countries
        ("", None),
    ],
)
def test_order_of_numbers_is_that_of_the_language(language, expected):
    assert find_date("05/03/2024", language=language) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("03/04/2024 08:15 AM", datetime(2024, 3, 4, 8, 15)),
        ("04/03/2024", date(2024, 3, 4)),
        ("03/06/2024", date(2024, 3, 6)),  # tomorrow elsewhere
        ("03/01/2024", None),
    ],
)
def test_numbers_of_unknown_order_are_a_day_close_to_the_fetch(text, expected):
    assert find_date(text, FETCHED, language="en") == expected


def test_same_word_means_the_month_of_the_page_s_language():
    assert find_date("5. listopada 2023", language="hr") == date(2023, 10, 5)
    assert find_date("5 listopada 2023", language="pl") == date(2023, 11, 5)
    assert find_date("5 listopada 2023") is None


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("凌晨12:30", 0), ("上午12:30", 0), ("早上6:30", 6), ("中午11:30", 11), ("中午12:30", 12), ("中午1:30", 13),
        ("下午12:30", 12), ("傍晚6:30", 18), ("晚上9:30", 21), ("晚上21:30", 21), ("12:30 am", 0), ("12:30 p.m.", 12),
    ],
)  # fmt: skip
def test_hour_is_the_one_in_that_part_of_the_day(text, hour):
    assert find_date(f"2024年3月5日 {text}") == datetime(2024, 3, 5, hour, 30)


def test_midnight_of_an_evening_is_on_no_certain_day():
    assert find_date("2024年3月5日 晚上12:30") == date(2024, 3, 5)


@pytest.mark.parametrize(
    ("zone", "hours"),
    [("UTC+5:30", 5.5), ("+8:00", 8), ("-0330", -3.5), ("Asia/Shanghai", 8), ("MEZ", 1), ("PT", -8), ("WIB", 7)],
)
def test_zone_that_is_written(zone, hours):
    found = find_date(f"5 March 2024 14:05 {zone}")
    assert found.replace(tzinfo=None) == datetime(2024, 3, 5, 14, 5)
    assert found.utcoffset() == timedelta(hours=hours)


@pytest.mark.parametrize("zone", ["IST", "CST", "XYZ", "Mars/Olympus", "-16:00", "-11:30", "../etc/passwd"])
def test_zone_that_is_not_known_is_none(zone):
    assert find_date(f"5 March 2024 14:05 {zone}") == datetime(2024, 3, 5, 14, 5)


def test_time_of_24_hours_is_the_next_day():
    assert find_date("2024-02-29T24:00:00Z") == datetime(2024, 3, 1, tzinfo=UTC)
