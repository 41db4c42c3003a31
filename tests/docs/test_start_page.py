"""docs/start.md: its commands are those of the README, which tests/test_readme.py runs; its pictures are taken."""

import re
from pathlib import Path

import pytest

from docs.site.pictures import names
from docs.site.staging import PICTURE
from tests.docs.documents import DOCS, blocks, documents
from tests.test_readme import SHELL, commands_of

START = (DOCS / "start.md").read_text("utf-8")


def test_its_commands_are_run_with_those_of_the_readme() -> None:
    commands = [line for block in blocks(START, "sh") for line in block.splitlines()]
    assert len(commands) >= 8
    assert [command for command in commands if command not in {*commands_of("README.md"), *SHELL}] == []


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.name)
def test_every_picture_that_a_page_names_is_taken(path: Path) -> None:
    text = path.read_text("utf-8")
    assert [name for name, _ in PICTURE.findall(text) if name not in names()] == []
    assert text.count("<!-- picture:") == len(re.findall(PICTURE, text))
