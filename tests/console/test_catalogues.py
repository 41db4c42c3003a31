"""The catalogues are complete, and compiled as they are written."""

from pathlib import Path

import pytest

from console.locale.translator import read_mo
from tests.console.catalogues import COMMAND_LINE, PAGES, WANTED, compiled, present, translations, untranslated


@pytest.mark.parametrize(("po", "least"), [(COMMAND_LINE, 1500), (PAGES, 150)], ids=["command line", "pages"])
def test_every_message_of_the_source_is_translated_and_no_other(po: Path, least: int) -> None:
    assert {*translations(present(po))} == {*translations(WANTED[po]())}, "run `make locale`"
    assert untranslated(present(po)) == []
    assert len([*present(po)]) > least


@pytest.mark.parametrize("po", WANTED, ids=["command line", "pages"])
def test_the_compiled_catalogue_is_that_of_the_text(po: Path) -> None:
    assert read_mo(po.with_suffix(".mo").read_bytes()) == read_mo(compiled(present(po))), "run `make locale`"
