"""The catalogues are complete, and compiled as they are written."""

from pathlib import Path

import pytest

from console.locale.translator import read_mo
from tests.console.catalogues import COMMAND_LINE, PAGES, WANTED, compiled, present, translations, untranslated


@pytest.mark.parametrize(("po", "least"), [(COMMAND_LINE, 1500), (PAGES, 150)], ids=["command line", "pages"])
def test_every_message_is_translated_and_compiled_and_no_other(po: Path, least: int) -> None:
    catalogue = present(po)
    assert {*translations(catalogue)} == {*translations(WANTED[po]())}, "run `make locale`"
    assert untranslated(catalogue) == []
    assert len([*catalogue]) > least
    assert read_mo(po.with_suffix(".mo").read_bytes()) == read_mo(compiled(catalogue)), "run `make locale`"
