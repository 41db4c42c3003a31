"""docs/console.md and its Chinese form: the same sections, and what they name exists."""

import re
from pathlib import Path

from console.commands.console import command
from console.web import config
from console.web.api import ROUTES

DOCS = Path(__file__).parents[3] / "docs"


def shape(text: str) -> list[str]:
    """Headings by level, rows of tables by their cells, and blocks of code as they are."""
    code = re.findall(r"```sh\n.*?```", text, re.S)
    headings = [line.partition(" ")[0] for line in text.splitlines() if re.match(r"#+ ", line)]
    rows = [str(line.count("|")) for line in text.splitlines() if line.startswith("|")]
    return headings + rows + code


def test_both_languages_have_the_same_sections_tables_and_commands() -> None:
    assert shape((DOCS / "console.md").read_text("utf-8")) == shape((DOCS / "console.zh-CN.md").read_text("utf-8"))


def test_options_variables_and_addresses_of_the_documents_exist() -> None:
    text = (DOCS / "console.md").read_text("utf-8")
    options = {option for parameter in command.params for option in parameter.opts}
    assert {*re.findall(r"`(--[a-z-]+)", text)} <= options
    assert {*re.findall(r"EXEMPLAR_CONSOLE_[A-Z]+", text)} == {config.PASSWORD, config.TOKEN}
    paths = {route.operation.path.replace("{name}", "news") for route in ROUTES} | {"/api/openapi.json", "/api/"}
    assert {*re.findall(r"/api/[a-z./]*", text)} <= paths
