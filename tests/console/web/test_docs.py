"""docs/console.md: what it names exists; `tests/docs/test_languages.py` compares its Chinese form."""

import re

from console.commands.console import command
from console.web import config
from console.web.api import CHANGED, READ
from tests.docs.documents import DOCS


def test_options_variables_and_addresses_of_the_documents_exist() -> None:
    text = (DOCS / "console.md").read_text("utf-8")
    options = {option for parameter in command.params for option in parameter.opts}
    assert {*re.findall(r"`(--[a-z-]+)", text)} <= options
    assert {*re.findall(r"EXEMPLAR_CONSOLE_[A-Z]+", text)} == {config.PASSWORD, config.TOKEN}
    paths = {path.replace("{number:index}", "ID").replace("{name}", "TASK") for path in READ | CHANGED}
    named = {path.replace("/news", "/TASK") for path in re.findall(r"/api/[A-Za-z/]*", text)}
    assert named == paths | {"/api/"}
