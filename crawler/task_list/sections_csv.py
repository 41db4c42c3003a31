"""Tasks from a spreadsheet: a CSV file of sections that are added to tasks.yaml.

The first row names the columns, in English or Chinese; for an empty cell, and all other keys, `defaults:` apply.
Several outputs or start pages in one cell are separated by line breaks, or by `;` and a space.
"""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crawler.task_list.edit import SectionCells
from crawler.task_list.mistakes import Mistake, TaskFileError, show, suggest

CHINESE = {"名称": "name", "示例": "example", "规律": "pattern", "周期": "every", "输出": "output", "起始": "start"}
COLUMNS = (*CHINESE.values(),)
NEEDED = ("name", "example", "pattern")
LISTS = ("output", "start")  # columns with one or several values
DELIMITERS = (",", ";", "\t")
BREAK = re.compile(r"\s*(?:[\r\n]|[;；](?=\s|$))\s*")  # not a ; inside a URL


def read_sections(csv_path: Path) -> list[dict[str, Any]]:
    """Return each row's keys (with the values that tasks.yaml would have, and `name`), without empty rows.

    Reads UTF-8 with or without byte order mark, UTF-16, and GB18030 (Excel in China), separated by comma, semicolon or
    tab. Raises `TaskFileError` with all mistakes of the file, placed by row and column.
    """
    file = str(csv_path)
    rows = _rows(_text(csv_path), file)
    header = _header(rows[0], file)
    sections: list[dict[str, Any]] = []
    mistakes: list[Mistake] = []
    for number, cells in enumerate(rows[1:], 2):
        if any(cell.strip() for cell in cells):
            section, wrong = _section(cells, header, file, number)
            sections.append(section)
            mistakes += wrong
    if mistakes:
        raise TaskFileError(mistakes)
    if not sections:
        raise TaskFileError([Mistake(file, 1, 1, "", "no rows below the header")])
    return sections


# Reading the spreadsheet


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise TaskFileError([Mistake(str(path), 1, 1, "", f"cannot be read: {error.strerror}")]) from None
    if raw.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise TaskFileError([Mistake(str(path), 1, 1, "", "a workbook, not CSV", "save it as CSV UTF-8")])
    encodings = ["utf-16"] if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else ["utf-8-sig", "gb18030"]
    for encoding in encodings:
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise TaskFileError([Mistake(str(path), 1, 1, "", "neither UTF-8 nor GB18030", "save it as CSV UTF-8")])


def _rows(text: str, file: str) -> list[list[str]]:
    first = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=lambda mark: sum(_key(cell) in COLUMNS for cell in first.split(mark)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    try:
        rows.extend(reader)
    except csv.Error as error:
        raise TaskFileError([Mistake(file, len(rows) + 1, 1, "", f"not CSV: {error}", "check the quotes")]) from None
    if not rows:
        raise TaskFileError(
            [Mistake(file, 1, 1, "", "empty", f"the first row must have the names of columns: {', '.join(NEEDED)} …")]
        )
    return rows


def _key(cell: str) -> str:
    name = cell.strip().strip('"').strip().lower()
    return CHINESE.get(name, name)


def _header(cells: Sequence[str], file: str) -> list[str]:
    """Return the key of each column; "" for a column without a name. Raises `TaskFileError`."""
    keys = [_key(cell) for cell in cells]
    mistakes = []
    for column, (key, cell) in enumerate(zip(keys, cells, strict=True), 1):
        if key and key not in COLUMNS:
            known = COLUMNS if cell.isascii() else [*CHINESE]
            mistakes.append(Mistake(file, 1, column, cell.strip(), "unknown column", suggest(key, known)))
        elif key in keys[: column - 1] and key:
            mistakes.append(Mistake(file, 1, column, cell.strip(), "duplicate column", "delete one"))
    missing = [f"{key} ({name})" for name, key in CHINESE.items() if key in NEEDED and key not in keys]
    if missing:
        mistakes.append(Mistake(file, 1, 1, "", f"columns are missing: {', '.join(missing)}"))
    if mistakes:
        raise TaskFileError(mistakes)
    return keys


def _section(cells: Sequence[str], header: Sequence[str], file: str, row: int) -> tuple[SectionCells, list[Mistake]]:
    keys: dict[str, Any] = {}
    mistakes: list[Mistake] = []
    for column, cell in enumerate(cells, 1):
        key = header[column - 1] if column <= len(header) else ""
        if not cell.strip():
            continue
        if not key:
            mistakes.append(Mistake(file, row, column, show(cell), "the column of this cell has no name"))
            continue
        keys[key] = _value(key, cell.strip())
    if "name" not in keys:
        mistakes.append(Mistake(file, row, header.index("name") + 1, "name", "empty", "each task needs a name"))
    columns = {key: column for column, key in enumerate(header, 1) if key}
    return SectionCells(keys, file, row, columns), mistakes


def _value(key: str, cell: str) -> str | list[str]:
    values = [value for value in BREAK.split(cell) if value] if key in LISTS else [cell]
    return values[0] if len(values) == 1 else values
