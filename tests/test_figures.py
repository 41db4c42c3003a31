"""The figures of docs/ are those that `make figures` draws."""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from extractors.figures import FIGURES

ROOT = Path(__file__).parent.parent
SVG = "{http://www.w3.org/2000/svg}"


def headlines(folder: Path) -> dict[str, str]:
    """What each figure says above its panels: the method, and the numbers of what it found."""
    found = {}
    for path in folder.iterdir():
        texts = ["".join(text.itertext()) for text in ElementTree.parse(path).getroot().iter(f"{SVG}text")]
        [found[path.name]] = [text for text in texts if text.startswith(f"{path.stem}: ")]
    return found


def test_the_command_draws_the_figures_of_the_documents(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.site.figures", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110)
    assert (done.returncode, done.stderr) == (0, "")
    assert headlines(tmp_path) == headlines(ROOT / "docs" / "figures")


def test_the_documents_show_every_figure() -> None:
    text = (ROOT / "docs" / "methods-figures.md").read_text("utf-8")
    shown = re.findall(r"!\[[^\]]+\]\(figures/([\w-]+)\.svg\)", text)
    assert sorted(shown) == sorted(set(FIGURES) - {"auto"})


def test_make_figures_is_that_command() -> None:
    assert "figures: $(READY)\n\t$(BIN)/python -m tests.site.figures\n" in (ROOT / "Makefile").read_text("utf-8")
