"""docs/reference/ is what the program says of itself: every key, field, command and option, in both languages."""

import re

import click
import pytest
import yaml

from console.cli import COMMANDS
from crawler.task_list.file import loads
from crawler.task_list.models import Settings, Task
from docs.site.reference import FOLDER, pages
from docs.site.reference.command_line import commands
from docs.site.reference.files import PACKAGES, page_of, with_files
from tests.docs.documents import blocks
from workers.sinks.row_schema import CHOICES

SUFFIXES = ("", ".zh-CN")


def test_the_pages_are_those_of_the_program() -> None:
    written = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    assert written == pages(), "run `make reference`"


@pytest.mark.parametrize("package", PACKAGES)
def test_the_section_on_files_is_that_of_the_program(package: str) -> None:
    text = page_of(package).read_text("utf-8")
    assert text == with_files(text, package), "run `make reference`"
    assert len(re.findall(r"^- `\w+\.py`: \S", text, re.M)) > 40


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_key_and_field_is_there(suffix: str) -> None:
    text = (FOLDER / f"tasks{suffix}.md").read_text("utf-8")
    keys = [
        *(name for name in Task.model_fields if name != "name"),
        *(f"settings.{key}" for key in Settings.model_fields),
    ]
    assert re.findall(r"^### `(.+)`$", text, re.M) == keys
    rows = (FOLDER / f"rows{suffix}.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)`", rows, re.M) == [*CHOICES]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_command_and_option_is_there(suffix: str) -> None:
    text = (FOLDER / f"command-line{suffix}.md").read_text("utf-8")
    assert re.findall(r"^## exemplar (\S+)$", text, re.M) == [*COMMANDS]
    sections = dict(re.findall(r"^##+ (exemplar .+)\n((?:(?!##).*\n)*)", text, re.M))
    for name, command in commands():
        options = [
            option.opts[0] for option in command.params if isinstance(option, click.Option) and not option.hidden
        ]
        assert [option for option in options if f"| `{option}" not in sections[name]] == [], name


def test_the_chinese_pages_are_in_chinese() -> None:
    for path in FOLDER.glob("*.zh-CN.md"):
        prose = re.sub(r"```.*?```|`[^`]*`|\([^)]*\)", "", path.read_text("utf-8"), flags=re.S)
        english = re.findall(r"\b[a-z]{3,} [a-z]{2,} [a-z]{2,} [a-z]+\b", prose)
        assert english == [], path.name


def test_the_examples_of_keys_are_valid() -> None:
    task = "tasks:\n  news:\n    example: https://news.example/a/2024/0312/345.html\n    pattern: /a/**\n"
    task += "    every: 1h\n    output: '{title}.md'\n"
    text = (FOLDER / "tasks.md").read_text("utf-8")
    for example in [line for block in blocks(text, "yaml") for line in block.splitlines()]:
        [(key, value)] = yaml.safe_load(example).items()
        if key in Task.model_fields and not (key == "pattern" and "{slug}" in value):
            shown = task.replace(f"    {key}: ", "    # ") + f"    {example}\n"
            assert loads(shown).tasks, example
