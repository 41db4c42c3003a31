from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from extractors.metadata.dates import find_date, find_url_date
from tests.tables import rows

FETCHED = datetime(2024, 3, 5, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(("fetched", "language", "text", "expected"), rows(Path(__file__).with_name("dates.txt")))
def test_the_date_of_a_text(fetched, language, text, expected):
    found = find_date(text, fetched and datetime.fromisoformat(fetched), language=language)
    assert (found and found.isoformat()) == expected


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
