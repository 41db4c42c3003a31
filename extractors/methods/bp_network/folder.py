"""A user's labelled pages: a folder with pages as `NAME.html` (or .htm), and for each its article as `NAME.txt`.

The text, in UTF-8, is the text of the article; order matters, line breaks and white space do not. A copy from a browser
is good enough.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...article import NoArticle
from ...content.assembly import read
from ...errors import UnusablePage
from ...html.decoding import decode
from ...html.paths import PathTrie
from ...page import Page
from .extractor import page_inputs
from .labels import label_lines
from .network import Values

PAGES = (".html", ".htm")
FOUND = 0.5  # share of a text's words that its page must contain; otherwise the text is that of another page


class LabelledMistakes(ValueError):
    """The mistakes of a folder of labelled pages, one per line."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


@dataclass(frozen=True, slots=True)
class LabelledLines:
    """A page for training: `inputs` (lines, 12) and `body` (lines,), whether each line is body."""

    name: str
    inputs: Values
    body: NDArray[np.bool_]


def labelled_pages(folder: Path) -> list[tuple[Path, Path]]:
    """Return the pages of a folder with their texts, by name. Raises `LabelledMistakes`."""
    if not folder.is_dir():
        raise LabelledMistakes([f"{folder}: {'not a folder' if folder.exists() else 'no such folder'}"])
    files = sorted(path for path in folder.iterdir() if path.is_file())
    pages = [path for path in files if path.suffix.lower() in PAGES]
    texts = {path.stem: path for path in files if path.suffix.lower() == ".txt"}
    if not pages:
        raise LabelledMistakes([f"{folder}: no pages; expected NAME.html, and its article beside it as NAME.txt"])
    names = [page.stem for page in pages]
    mistakes = [f"{page}: no {page.stem}.txt beside it with its article" for page in pages if page.stem not in texts]
    mistakes += [f"{text}: no page {stem}.html beside it" for stem, text in texts.items() if stem not in names]
    mistakes += [f"{page}: another page has the same name" for page in pages if names.count(page.stem) > 1]
    if mistakes:
        raise LabelledMistakes(mistakes)
    return [(page, texts[page.stem]) for page in pages]


def read_labelled(page: Path, text: Path, verbatim: bool = False) -> LabelledLines:
    """Return a page for training. Raises `LabelledMistakes` if page or text cannot be used."""
    right = _read_text(text)
    try:
        html = decode(page.read_bytes())[0]
        parsed = read(Page(html), PathTrie())
    except OSError as error:
        raise LabelledMistakes([f"{page}: {error.strerror}"]) from None
    except UnusablePage as error:
        raise LabelledMistakes([f"{page}: {error}"]) from None
    if isinstance(parsed, NoArticle):
        raise LabelledMistakes([f"{page}: {parsed.reason}"])
    try:
        labels = label_lines(parsed.lines.texts, right)
    except ValueError as error:
        raise LabelledMistakes([f"{page}: {error}"]) from None
    if labels.found < FOUND:
        raise LabelledMistakes(
            [f"{text}: only {labels.found:.0%} of its words are in {page.name}: check that it is the text of this page"]
        )
    return LabelledLines(page.stem, page_inputs(parsed, verbatim).as_array(), labels.body)


def _read_text(path: Path) -> str:
    try:
        right = path.read_text("utf-8-sig")
    except OSError as error:
        raise LabelledMistakes([f"{path}: {error.strerror}"]) from None
    except UnicodeDecodeError:
        raise LabelledMistakes([f"{path}: not in UTF-8; save it as UTF-8"]) from None
    if not any(sign.isalnum() for sign in right):
        raise LabelledMistakes([f"{path}: the file has no words"])
    return right
