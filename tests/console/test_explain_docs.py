"""docs/explain.md: each command and each program in it runs, and what it says of decisions is what there is."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from console.explaining import MOST_PAGES
from console.report.document import PAGE_ROWS
from console.report.gathering import MOST_COMPARED
from evaluation.sample_site import EXAMPLES, tasks_yaml, truth
from extractors.explanation.values import DECISIONS
from tests.console.conftest import Exemplar
from tests.docs.documents import DOCS, blocks
from tests.site.server import SiteServer
from tests.test_readme import commands_of

TEXT = (DOCS / "explain.md").read_text("utf-8")
OF_README = {command.replace("TASK", "harbour-news") for command in commands_of("README.md")}  # which are run there
COMMANDS = [line for line in re.findall(r"^    exemplar (.+)$", TEXT, re.M) if f"exemplar {line}" not in OF_README]


@pytest.fixture
def here(bread: Path, site: SiteServer) -> Path:
    site.relaunch(unpublished=8)
    tasks = tasks_yaml(site.url).replace("en-stories", "harbour-news").replace(EXAMPLES["en"], truth("en")[9].path)
    (bread / "tasks.yaml").write_text(tasks, "utf-8")
    return bread


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_do_what_they_say(command: str, here: Path, exemplar: Exemplar) -> None:
    done = exemplar(*command.split()).succeeded()
    assert (here / "why.html").exists() == ("--report" in command)
    least = 6 if command.startswith("try") else 1  # pages
    assert done.out.count("turning points") >= least if "--explain" in command else "turning points" not in done.out


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
