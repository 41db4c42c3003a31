"""The earlier version of a row, read from a file output of a task, for people who compare versions."""

import json
import mmap
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ..rows import KEY, Row
from ..sinks import AppendedFileSink, SqliteSink
from ..sinks.formats import PlainLines
from .outputs import Output

AROUND = 40  # characters that are shown around the first difference


def earlier_row(outputs: Sequence[Output], row: Row, version: int) -> Row | None:
    """Return title and text of another version of a row; None if no file output of the task can be read for it."""
    wanted = {**{name: row[name] for name in KEY}, "version": version}
    for output in outputs:
        try:
            if isinstance(output.sink, AppendedFileSink) and isinstance(output.sink.format, PlainLines):
                found = _in_lines(output.sink.path, wanted)
            elif isinstance(output.sink, SqliteSink):
                found = _in_table(output.sink.path, wanted)
            else:
                continue
        except (OSError, ValueError, sqlite3.Error):
            continue
        if found is not None:
            return found
    return None


def first_difference(before: str, after: str) -> tuple[str, str]:
    """Return the parts of two texts from their first difference on, beginning with the word that differs."""
    same = next((place for place, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
    if same is None:
        same = min(len(before), len(after))
    start = max(after.rfind(" ", 0, same), after.rfind("\n", 0, same)) + 1
    start = start if same - start < AROUND else same
    return before[start : start + AROUND], after[start : start + AROUND]


def _in_lines(path: Path, wanted: Row) -> Row | None:
    needle = json.dumps(wanted["canonical_url"], ensure_ascii=False).encode("utf-8", "replace")
    with path.open("rb") as file:
        if not file.seek(0, 2):
            return None
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            at = text.rfind(needle)
            while at >= 0:
                start, end = text.rfind(b"\n", 0, at) + 1, text.find(b"\n", at)
                other: dict[str, Any] = json.loads(text[start : end if end >= 0 else len(text)])
                if "text" in other and all(other.get(name) == wanted[name] for name in KEY):
                    return other
                at = text.rfind(needle, 0, start)
    return None


def _in_table(path: Path, wanted: Row) -> Row | None:
    query = f"SELECT title, text FROM articles WHERE {' AND '.join(f'{name} = ?' for name in KEY)}"
    with closing(sqlite3.connect(path, timeout=5)) as database:
        found = database.execute(query, [wanted[name] for name in KEY]).fetchone()
    return dict(zip(("title", "text"), found, strict=True)) if found else None
