"""Tables of rows: their columns, and whether one that exists already is ours and would not refuse every row."""

import re
from collections.abc import Iterable, Mapping

from workers.rows import KEY

from .options import OutputOptions
from .row_schema import COLUMNS, type_of

MAYBE_TIMES = frozenset({"fetched_at", "published", "modified"})
_OF_NUMBERS = re.compile("int|float|double|numeric|decimal|real|money|bool|bit")
_OF_TIMES = re.compile("date|time|year")


def columns_of(options: OutputOptions) -> dict[str, str]:
    """Return the columns of an output's table, each with the field of the row that it has; the row key is in it."""
    columns = dict(options.fields) or {name: name for name in COLUMNS}
    return columns | {name: field for name, field in zip(options.key_names(), KEY, strict=True) if name not in columns}


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
        is_number, may_be_time = type_of(field) in ("number", "integer", "boolean"), field in MAYBE_TIMES
        if (_OF_NUMBERS.search(kind) and not is_number) or (_OF_TIMES.search(kind) and not may_be_time):
            return f"column {column} has type {kind}, which cannot store {field}; change its type"
    return ""
