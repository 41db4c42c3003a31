"""docs/explain.md: each command and each program in it runs, and what it says of decisions is what there is."""

import re
import subprocess
import sys
from pathlib import Path

from console.explaining import MOST_PAGES
from console.report.document import PAGE_ROWS
from console.report.gathering import MOST_COMPARED
from extractors.explanation.values import DECISIONS
from tests.docs.documents import DOCS, blocks

TEXT = (DOCS / "explain.md").read_text("utf-8")


def test_program_runs(bread: Path) -> None:
    [program] = blocks(TEXT, "python")
    done = subprocess.run([sys.executable, "-c", program], cwd=bread, capture_output=True, text=True, check=True)
    assert "3 kept in" in done.stdout
    assert "title New bread <h1>" in done.stdout


def test_every_decision_is_described_and_no_other() -> None:
    [table] = re.findall(r"^\| decision \|.*\n\|---.*\n((?:\|.*\n)+)", TEXT, re.M)
    named = re.findall(r"`(\w+)`", "".join(row.split("|")[1] for row in table.splitlines()))
    assert {*named} == {*DECISIONS}
    assert len(named) == len(DECISIONS)


def test_limits_are_those_of_the_program() -> None:
    for number in (PAGE_ROWS, MOST_COMPARED, MOST_PAGES):
        assert f"{number:,}" in TEXT
