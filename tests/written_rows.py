"""The rows in a file of lines, and their number while other processes append to it."""

import json
from pathlib import Path
from typing import Any


def rows_so_far(path: Path) -> int:
    """Return the number of complete rows; 0 if there is no file.

    Rows are appended in one write, but a reader sees the first pages of that write before the others: the last line may
    lack its end.
    """
    return path.read_bytes().count(b"\n") if path.exists() else 0


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file that nobody writes at this moment; none if there is no file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
