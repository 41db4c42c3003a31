"""docs/health.md: its commands and its program run, and its tables are those of the program."""

import re
import shlex

import pytest
import redis
from click.testing import CliRunner

from console.cli import exemplar
from crawler.task_list.file import loads
from tests.console.test_alarms import changed
from tests.docs.documents import DOCS, blocks
from workers.health.alarms import KINDS
from workers.health.task_health import KEPT, RULES
from workers.ledger import OBSERVED_KEPT

TEXT = (DOCS / "health.md").read_text("utf-8")
TASK = "kuaibao"


def rows(heading: str) -> list[list[str]]:
    """The rows below the head of the first table of a section, cell by cell."""
    [section] = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S)
    table = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


@pytest.fixture
def redesigned(connection: "redis.Redis", redis_url: str, monkeypatch: pytest.MonkeyPatch) -> "redis.Redis":
    """A task whose last pages do not fit its template."""
    monkeypatch.setenv("REDIS_URL", redis_url)
    changed(connection, TASK)
    return connection


def test_its_commands_run_in_their_order(redesigned: "redis.Redis") -> None:
    commands = [line for block in blocks(TEXT, "sh") for line in block.splitlines() if line.startswith("exemplar ")]
    done = [CliRunner().invoke(exemplar, shlex.split(command)[1:]) for command in commands]
    assert [one.exit_code for one in done] == [1, 1, 0], [one.output for one in done]
    assert "template changed" in done[0].output
    assert "earlier" in CliRunner().invoke(exemplar, ["alarms", TASK]).output


def test_its_program_runs(redesigned: "redis.Redis") -> None:
    [program] = blocks(TEXT, "python")
    names: dict[str, object] = {"connection": redesigned}
    exec(compile(program, "health.md", "exec"), names)  # the document's own text


def test_its_notices_are_valid() -> None:
    [text] = blocks(TEXT, "yaml")
    keys = "    example: http://127.0.0.1/1\n    pattern: /{id}\n    every: 1h\n    output: out.jsonl\n"
    assert loads(text.replace(f"  {TASK}:\n", f"  {TASK}:\n{keys}"))[TASK].notify == ("${NOTIFY_URL}",)


def test_every_alarm_is_described() -> None:
    assert [row[0].strip("`") for row in rows("The alarms")] == [*KINDS]


def test_the_rules_are_those_of_the_program() -> None:
    described = {row[0].strip("`"): row for row in rows("The tests")}
    assert {*described} == {*RULES}
    for kind, rule in RULES.items():
        _, _, own, after, _, first = described[kind]
        assert float(own) == rule.usual, kind
        assert after.startswith(f"{rule.changed:g}"), kind
        assert ("thrice" in after) == (rule.factor == 3.0), kind
        assert first.startswith(str(rule.least) if rule.least else "at once"), kind


def test_bounds_are_those_of_the_program() -> None:
    assert f"the last {KEPT} pages" in TEXT
    assert f"at most {OBSERVED_KEPT} observations" in TEXT
