"""The figures of docs/ are shown. What `make figures` draws is tested beside the drawing."""

import re
from pathlib import Path

from extractors.figures import FIGURES

ROOT = Path(__file__).parent.parent


def test_the_documents_show_every_figure() -> None:
    text = (ROOT / "docs" / "methods-figures.md").read_text("utf-8")
    shown = re.findall(r"!\[[^\]]+\]\(figures/([\w-]+)\.svg\)", text)
    assert sorted(shown) == sorted(set(FIGURES) - {"auto"})
