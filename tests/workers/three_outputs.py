"""A task whose rows go to a JSON, a CSV and a SQLite file."""

import csv
from collections import Counter

from .helpers import rows, url
from .sqlite_outputs import in_table

OUTPUTS = ("out.jsonl", "out.csv", "out.db")


def assert_written_once(folder, numbers):
    """Each output has to have one row of each of these articles, and no others."""
    expected = Counter(map(url, numbers))
    with (folder / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        assert Counter(row["url"] for row in csv.DictReader(file)) == expected
    assert Counter(row["url"] for row in rows(folder)) == expected
    assert Counter(in_table(folder)) == expected
