"""The page on the sources: no empty cell, and each file, function and command that it names exists."""

import argparse
import ast
import runpy
import shlex
import sys

import pytest

from tests.docs.documents import DOCS, ROOT

ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (DOCS / "sources.md").read_text("utf-8").splitlines()
    if line.startswith("|") and not line.startswith("|---")
]
COMMANDS = {row[0]: row[1].strip("`") for row in ROWS if len(row) == 2 and row[0] != "name"}
PARTS = [row for row in ROWS if len(row) == 6 and row[0] != "part"]
MODULES = [command for command in COMMANDS.values() if command.startswith("python -m ")]


class Accepted(Exception):
    """The parser of a command took its words."""


def _names(path: str) -> set[str]:
    body = ast.parse((ROOT / path).read_text("utf-8")).body
    found = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    targets = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    targets += [node.target for node in body if isinstance(node, ast.AnnAssign)]
    names = [name for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return found | {name.id for name in names}


def test_every_row_is_complete():
    assert {len(row) for row in ROWS} == {2, 6}
    assert len(PARTS) > 60
    assert [row for row in ROWS if not all(cell.strip("-–? ") for cell in row)] == []


@pytest.mark.parametrize("row", PARTS, ids=lambda row: row[0])
def test_files_functions_and_commands_exist(row):
    _, file, names, form, _, command = row
    assert set(names.replace("`", "").split(", ")) - _names(file.strip("`")) == set()
    assert form.startswith(("verbatim", "improved", "both", "ours", "no: "))
    assert command in COMMANDS


def test_every_command_is_used():
    assert set(COMMANDS) == {row[5] for row in PARTS}


@pytest.mark.filterwarnings("ignore:.*found in sys.modules")
@pytest.mark.parametrize("command", MODULES)
def test_modules_take_their_arguments(command, monkeypatch):
    """Lines of `exemplar` are read by `test_command_lines`."""
    module, *words = shlex.split(command)[2:]
    read = argparse.ArgumentParser.parse_args
    read_intermixed = argparse.ArgumentParser.parse_intermixed_args

    def accept(reads):
        def parse(self, args=None, namespace=None):
            with monkeypatch.context() as unpatched:
                unpatched.setattr(argparse.ArgumentParser, "parse_args", read)
                unpatched.setattr(argparse.ArgumentParser, "parse_intermixed_args", read_intermixed)
                reads(self, args, namespace)
            raise Accepted

        return parse

    monkeypatch.setattr(sys, "argv", [module, *words])
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", accept(read))
    monkeypatch.setattr(argparse.ArgumentParser, "parse_intermixed_args", accept(read_intermixed))
    with pytest.raises(Accepted):
        runpy.run_module(module, run_name="__main__")
