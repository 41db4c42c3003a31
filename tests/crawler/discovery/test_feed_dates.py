from datetime import UTC, datetime

import pytest

from crawler.discovery.feed_dates import header_time, moment_of


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("Fri, 05 Feb 2027 10:00:00 +08:00", 2),
        ("Fri, 05 Feb 2027 10:00:00 PT", 18),
        ("2027-02-05 10:00 Asia/Shanghai", 2),
        ("2027-02-04T24:00:00Z", 0),
        ("Fri, 05 Feb 2027 10:00:00 -5", 15),
        ("2027-02-05 10:00 Etc/GMT+8", 18),
        ("Fri, 05 Feb 2027 10:00:00", 10),
        ("February 5, 2027 8:30 pm", 20),
        ("2027年 2月 5日 10:00", 10),
    ],
)
def test_the_zone_that_is_written_counts(text, hour):
    moment = moment_of(text)
    assert moment is not None
    assert moment.replace(minute=0) == datetime(2027, 2, 5, hour, tzinfo=UTC)


@pytest.mark.parametrize("zone", ["XYZ", "Mars/Olympus", "IST"])
def test_time_in_a_zone_that_is_not_known_is_no_time(zone):
    assert moment_of(f"Fri, 05 Feb 2027 10:00:00 {zone}") is None
    assert moment_of(f"2027-02-05 10:00 {zone}") is None


def test_time_of_a_header_without_a_zone_is_utc():
    assert header_time("Fri Feb  5 10:00:00 2027") == datetime(2027, 2, 5, 10, tzinfo=UTC)
