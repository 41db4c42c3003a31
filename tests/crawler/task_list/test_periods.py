"""Cron lines: daylight saving, the forms that they may have, and the texts for those that are none."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from crawler.task_list.mistakes import BadValueError
from crawler.task_list.periods import Period, Revisit, to_age


def due(line: str, start: datetime, count: int) -> list[str]:
    """Return the next due times on the clock of the line's zone, with the difference to UTC."""
    zone = ZoneInfo(line.split()[5] if len(line.split()) == 6 else "UTC")
    times = [start]
    for _ in range(count):
        times.append(Period.parse(line).next_after(times[-1]))
    return [f"{time.astimezone(zone):%m-%d %H:%M%z}" for time in times[1:]]


# Daylight saving, as cron(8) of Debian has it. In Berlin 02:00 became 03:00 on 31 March 2024, and 03:00 became 02:00 on
# 27 October.


DAYLIGHT_SAVING = {
    "a skipped time is due when the clock has changed": (
        "30 2 * * * Europe/Berlin", datetime(2024, 3, 30, 0, tzinfo=UTC),
        ["03-30 02:30+0100", "03-31 03:00+0200", "04-01 02:30+0200"],
    ),
    "a time that occurs twice is due at its first occurrence": (
        "30 2 * * * Europe/Berlin", datetime(2024, 10, 26, 12, tzinfo=UTC), ["10-27 02:30+0200", "10-28 02:30+0100"],
    ),
    "from between the two occurrences it is due the next day": (  # 02:10 for the second time
        "30 2 * * * Europe/Berlin", datetime(2024, 10, 27, 1, 10, tzinfo=UTC), ["10-28 02:30+0100"],
    ),
    "a line for any hour follows the clock": (
        "0 */2 * * * Europe/Berlin", datetime(2024, 3, 30, 22, 30, tzinfo=UTC),
        ["03-31 00:00+0100", "03-31 04:00+0200"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DAYLIGHT_SAVING)
def test_a_line_is_due_on_the_clock_of_its_zone(case):
    line, start, expected = DAYLIGHT_SAVING[case]
    assert due(line, start, len(expected)) == expected


# Mistakes


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0 25 * * *", "not a cron line: bad hour"),
        ("0 8 31 4,6 *", "not a cron line: bad day-of-month"),
        ("0 8 * * 1 9", "a cron line has 5 fields, without seconds, and optionally a zone; this one has 6"),
    ],
)
def test_what_is_no_cron_line_is_refused_in_these_words(line, message):
    with pytest.raises(BadValueError) as caught:
        Period.parse(line)
    assert caught.value.message == message
    assert caught.value.hint


@pytest.mark.parametrize(("text", "days"), [("180d", 180), ("26w", 182), ("1d", 1), ("1d 12h", 1.5)])
def test_an_age_is_a_length_of_time(text, days):
    found = to_age(text)
    assert found
    assert (found.length, str(found)) == (timedelta(days=days), text)


@pytest.mark.parametrize("value", [180, "180", "0 8 * * *", "12h", "soon", True, "", []])
def test_what_is_no_age_is_refused_with_a_hint(value):
    with pytest.raises(BadValueError) as told:
        to_age(value)
    assert "write" in told.value.hint


@pytest.mark.parametrize("text", ["1d for 3d", "every 1d for 3d", "1d  for 72h"])
def test_a_revisit_says_how_often_and_how_long(text):
    found = Revisit.parse(text)
    assert found
    assert (found.every, found.during) == (timedelta(days=1), timedelta(days=3))


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("1d", "does not give an interval and a duration"),
        ("3d for 1d", "the interval 3d is longer than the duration 1d"),
        ("10s for 30d", "more than 1000 rechecks"),
        ("1x for 3d", "unit"),
        (3, "must be text"),
    ],
)
def test_what_is_no_revisit_is_refused_in_words(value, says):
    with pytest.raises(BadValueError, match=says):
        Revisit.parse(value)
