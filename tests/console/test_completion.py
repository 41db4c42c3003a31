"""Shell completion: what the shell is offered."""

from pathlib import Path

import pytest

from console.options import task_names
from tests.console.conftest import Exemplar

TASKS = """\
settings:
  contact: a@b.org
tasks:
  kuaibao:   # the first one
    example: https://news.example/1.html
  "harbour news":
    pattern: "/a: b"
defaults:
  every: 1h
"""


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["exemplar", "re-"], ["re-extract"]),
        (["exemplar", "try", "kua"], ["kuaibao"]),
        (["exemplar", "extract", "--format", "m"], ["markdown"]),
        (["exemplar", "try", "--tasks", "other.yaml", "k"], []),
    ],
)
def test_the_shell_is_offered(words: list[str], offered: list[str], tmp_path: Path, exemplar: Exemplar) -> None:
    (tmp_path / "tasks.yaml").write_text(TASKS, "utf-8")
    variables = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    done = exemplar(_EXEMPLAR_COMPLETE="bash_complete", **variables)
    assert [line.partition(",")[2] for line in done.out.splitlines() if line] == offered


def test_names_of_tasks_are_those_below_tasks(tmp_path: Path) -> None:
    (tmp_path / "tasks.yaml").write_text(TASKS, "utf-8")
    assert task_names(tmp_path / "tasks.yaml") == ["kuaibao", "harbour news"]
    assert task_names(tmp_path / "none.yaml") == []
