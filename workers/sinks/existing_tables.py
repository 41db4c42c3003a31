"""Tables that exist already: whether this program made them, and whether every row would be refused."""

import re
from collections.abc import Iterable, Mapping

TIMES = frozenset({"fetched_at"})  # `published` and `modified` are text: they may be dates, or lack a time zone
MAYBE_TIMES = TIMES | {"published", "modified"}
NUMBERS = frozenset({"confidence", "article_probability", "version", "parts", "tdm_reservation"})
_OF_NUMBERS = re.compile("int|float|double|numeric|decimal|real|money|bool|bit")
_OF_TIMES = re.compile("date|time|year")


def foreign(table: str, key: str) -> str:
    """Return the message on a table that this program did not make, since it lacks our key."""
    return f"table {table} has no unique key ({key}): it was made by another program and is not changed; name another"


def unfit(types: Mapping[str, str], fields: Mapping[str, str], required: Iterable[str]) -> str:
    """Return why a table would refuse every row; "" if it would not.

    `types`: of its columns; `fields`: the row's field of each column that is written; `required`: columns that are NOT
    NULL without a default.
    """
    written = {column.casefold() for column in fields}
    if others := [column for column in required if column.casefold() not in written]:
        return f"column {others[0]} is NOT NULL without a default, and no row has a value for it; give it a default"
    for column, field in fields.items():
        kind = types.get(column, "").rpartition(".")[2].strip('"').lower()
        is_of_numbers, is_of_times = bool(_OF_NUMBERS.search(kind)), bool(_OF_TIMES.search(kind))
        if (is_of_numbers and field not in NUMBERS) or (is_of_times and field not in MAYBE_TIMES):
            return f"column {column} has type {kind}, which cannot store {field}; change its type"
    return ""
