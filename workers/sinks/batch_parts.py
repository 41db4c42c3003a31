"""Rows that a target refuses together, also as too many, are sent in halves, until only the rows at fault remain."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from workers.rows import RowKey

Record = TypeVar("Record")  # the values of one row in a table


def in_parts(keys: Sequence[RowKey], send: Callable[[int, int], Mapping[RowKey, str] | str]) -> dict[RowKey, str]:
    """Send rows in as few parts as their target allows; return its words by the keys of the rows that it refuses.

    `send`: sends the rows from one place to another; returns the refused ones among them, or the words with which all
    of them are refused. Parts are always cut at the same places.
    """
    refused: dict[RowKey, str] = {}
    parts = [(0, len(keys))] if keys else []
    while parts:
        first, end = parts.pop()
        answer = send(first, end)
        if not isinstance(answer, str):
            refused |= answer
        elif end - first > 1:
            middle = (first + end) // 2
            parts += [(middle, end), (first, middle)]
        else:
            refused[keys[first]] = answer
    return refused


def upsert_parts(
    execute: Callable[[str], object],
    rows: Mapping[RowKey, Record],
    upsert: Callable[[list[Record]], object],
    refusal: Callable[[Exception], str | None],
) -> dict[RowKey, str]:
    """Upsert rows within a transaction; return the words of the database by the keys of the rows that it refuses.

    `refusal`: the words of an error if it concerns a row; None for any other, which is raised.
    """
    keys, values = [*rows], [*rows.values()]

    def send(first: int, end: int) -> Mapping[RowKey, str] | str:
        answer: Mapping[RowKey, str] | str = {}
        execute("SAVEPOINT part")
        try:
            upsert(values[first:end])
        except Exception as error:
            if (words := refusal(error)) is None:
                raise
            execute("ROLLBACK TO SAVEPOINT part")
            answer = words
        execute("RELEASE SAVEPOINT part")
        return answer

    return in_parts(keys, send)
