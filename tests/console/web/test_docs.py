"""docs/console.md: what it names exists; `tests/docs/test_languages.py` compares its Chinese form."""

import re

from console.commands.console import command
from console.web import config
from console.web.api import OPERATIONS
from tests.docs.documents import DOCS


def test_options_variables_and_addresses_of_the_documents_exist() -> None:
    text = (DOCS / "console.md").read_text("utf-8")
    options = {option for parameter in command.params for option in parameter.opts}
    assert {*re.findall(r"`(--[a-z-]+)", text)} <= options
    assert {*re.findall(r"EXEMPLAR_CONSOLE_[A-Z]+", text)} == {config.PASSWORD, config.TOKEN}
    paths = {one.path.replace("{name}", "news") for one in OPERATIONS} | {"/api/openapi.json", "/api/"}
    assert {*re.findall(r"/api/[a-z./]*", text)} <= paths
