"""The figures of docs/ are shown, and `make figures` draws them. What it draws is tested beside the drawing."""

import re
from pathlib import Path

from extractors.figures import FIGURES

ROOT = Path(__file__).parent.parent


def test_the_documents_show_every_figure() -> None:
    text = (ROOT / "docs" / "methods-figures.md").read_text("utf-8")
    shown = re.findall(r"!\[[^\]]+\]\(figures/([\w-]+)\.svg\)", text)
    assert sorted(shown) == sorted(set(FIGURES) - {"auto"})


def test_make_figures_is_that_command() -> None:
    assert "figures: $(READY)\n\t$(BIN)/python -m tests.site.figures\n" in (ROOT / "Makefile").read_text("utf-8")
