"""Tables of cases: text files with a row on each line, and tabs between its cells."""

from pathlib import Path


def rows(path: Path) -> list[tuple[str | None, ...]]:
    """Return the rows. A line that begins with "# " is a remark; "–" stands for None, and \\n for a line break."""
    lines = (line for line in path.read_text("utf-8").split("\n") if line and not line.startswith("# "))
    return [tuple(None if cell == "–" else cell.replace("\\n", "\n") for cell in line.split("\t")) for line in lines]
