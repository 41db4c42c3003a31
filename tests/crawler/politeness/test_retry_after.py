"""Retry-After: a table written from RFC 9110, sections 10.2.3 and 5.6.7."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.politeness.retry_after import seconds_of

NOW = 784111777.0  # Sun, 06 Nov 1994 08:49:37 GMT, the RFC's own example


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        # delay-seconds
        ("120", 120.0),
        ("0", 0.0),
        (" 3 ", 3.0),
        ("007", 7.0),
        ("1.5", 1.5),
        ("9" * 30, 1e30),
        # the three forms of dates
        ("Sun, 06 Nov 1994 08:51:37 GMT", 120.0),
        ("Sunday, 06-Nov-94 08:51:37 GMT", 120.0),
        ("Sun Nov  6 08:51:37 1994", 120.0),
        ("Mon Nov 14 08:49:37 1994", 8 * 86400.0),
        ("sun, 06 nov 1994 08:51:37 gmt", 120.0),
        ("Sun, 06 Nov 1994 09:51:37 +0100", 120.0),
        # over already
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0),
        ("Sun, 06 Nov 1994 08:48:37 GMT", -60.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", -NOW),
        # nonsense
        ("", None),
        ("-5", None),
        ("soon", None),
        ("120 s", None),
        ("3,4", None),
        ("1e3", None),
        ("٣", None),
        ("0x10", None),
        ("Sun, 99 Nov 1994 08:51:37 GMT", None),
        ("Sun, 06 Foo 1994 08:51:37 GMT", None),
        ("Sun, 06 Nov 1994 25:61:61 GMT", None),
        ("Sun", None),
        (",", None),
    ],
)
def test_what_a_value_asks_for(value, seconds):
    found = seconds_of(value, now=NOW)
    assert found == (pytest.approx(seconds) if seconds is not None else None)


def test_a_date_counts_from_the_answers_own_date():
    later = "Sun, 06 Nov 1994 08:51:37 GMT"
    assert seconds_of(later, date="Sun, 06 Nov 1994 08:51:07 GMT", now=NOW) == 30.0
    assert seconds_of(later, date="yesterday", now=NOW) == 120.0


@given(
    st.text(max_size=60)
    | st.from_regex(r"\w{3,9},? \d{1,3}[ -]\w{3}[ -]\d{1,5} \d{1,3}:\d\d:\d\d( GMT|)", fullmatch=True)
)
def test_whatever_stands_there_it_is_seconds_or_nothing(value):
    found = seconds_of(value, date=value, now=NOW)
    assert found is None or math.isfinite(found)
