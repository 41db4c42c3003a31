"""Tasks from a spreadsheet: a CSV file of sections that are added to tasks.yaml.

The first row names the columns, in English or Chinese; for an empty cell, and all other keys, `defaults:` apply.
Several outputs or start pages in one cell are separated by line breaks, or by `;` and a space.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from crawler.task_list.mistakes import Mistake, TaskFileError, show, suggest

CHINESE = {"名称": "name", "示例": "example", "规律": "pattern", "周期": "every", "输出": "output", "起始": "start"}
COLUMNS = (*CHINESE.values(),)
NEEDED = ("name", "example", "pattern")
LISTS = ("output", "start")  # columns with one or several values
DELIMITERS = (",", ";", "\t")
BREAK = re.compile(r"\s*(?:[\r\n]|[;；](?=\s|$))\s*")  # not a ; inside a URL


def read_sections(csv_path: Path) -> dict[int, dict[str, Any]]:
    """Return the keys of each row that is not empty, `name` among them, by the number of the row, from 1.

    Reads UTF-8 with or without byte order mark, UTF-16, and GB18030 (Excel in China), separated by comma, semicolon or
    tab. Raises `TaskFileError` with all mistakes of the file.
    """
    file = str(csv_path)
    header, *rows = _rows(_text(csv_path), file)
    keys = [_key(cell) for cell in header]
    mistakes = [*_mistakes_of_header(header, keys, file)]
    sections: dict[int, dict[str, Any]] = {}
    for number, cells in enumerate(rows, 2):
        named = [(key, cell.strip()) for key, cell in zip_longest(keys, cells, fillvalue="") if cell.strip()]
        unnamed = [cell for key, cell in named if not key]
        mistakes += [Mistake(file, number, 1, show(cell), "the column of this cell has no name") for cell in unnamed]
        if named:
            sections[number] = {key: _value(key, cell) for key, cell in named}
    if not (mistakes or sections):
        mistakes.append(Mistake(file, 1, 1, "", "no rows below the header"))
    if mistakes:
        raise TaskFileError(mistakes)
    return sections


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
    try:
        return [*reader] or [[]]
    except csv.Error as error:
        wrong = Mistake(file, reader.line_num, 1, "", f"not CSV: {error}", "check the quotes")
        raise TaskFileError([wrong]) from None


def _key(cell: str) -> str:
    name = cell.strip().strip('"').strip().lower()
    return CHINESE.get(name, name)


def _mistakes_of_header(header: Sequence[str], keys: Sequence[str], file: str) -> Iterator[Mistake]:
    for cell, key in zip(header, keys, strict=True):
        if key and key not in COLUMNS:
            known = COLUMNS if cell.isascii() else [*CHINESE]
            yield Mistake(file, 1, 1, cell.strip(), "unknown column", suggest(key, known))
    if missing := [f"{key} ({name})" for name, key in CHINESE.items() if key in NEEDED and key not in keys]:
        yield Mistake(file, 1, 1, "", f"columns are missing: {', '.join(missing)}")


def _value(key: str, cell: str) -> str | list[str]:
    values = [value for value in BREAK.split(cell) if value] if key in LISTS else [cell]
    return values[0] if len(values) == 1 else values
