"""A user's labelled pages: a folder with pages as `NAME.html` (or .htm), and for each its article as `NAME.txt`.

The text, in UTF-8, is the text of the article; order matters, line breaks and white space do not. A copy from a browser
is good enough.

The labels of a page's lines, body or not, are derived from the article's text; the source's authors marked them by
hand. The words of all lines and those of the right text are aligned (longest common subsequence, so order counts), and
a line is body if at least half of its words are matched. A line without words, such as ***, is body between two that
are. If a page has a paragraph twice, as summary and in the body, the alignment from the head matches the first, that
from the tail the last; the alignment whose body extends over fewer lines is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from ...article import NoArticle
from ...content.assembly import read
from ...errors import TrainingMistakes, UnusablePage
from ...html.decoding import decode
from ...html.paths import PathTrie
from ...page import Page
from .extractor import page_inputs
from .network import Values
from .words import characters_and_words

PAGES = (".html", ".htm")
FOUND = 0.5  # share of a text's words that its page must contain; otherwise the text is that of another page

Flags = NDArray[np.bool_]

MATCHED = 0.5  # share of a line's words
MAX_WORDS = 40_000  # a page and a text; the alignment's memory is the product of both counts / 8 bytes


@dataclass(frozen=True, slots=True)
class LabelledLines:
    """A page for training: `inputs` (lines, 12) and `body` (lines,), whether each line is body."""

    name: str
    inputs: Values
    body: NDArray[np.bool_]


def labelled_pages(folder: Path) -> list[tuple[Path, Path]]:
    """Return the pages of a folder with their texts, by name. Raises `TrainingMistakes`."""
    if not folder.is_dir():
        raise TrainingMistakes(f"{folder}: {'not a folder' if folder.exists() else 'no such folder'}")
    files = sorted(path for path in folder.iterdir() if path.is_file())
    pages = [path for path in files if path.suffix.lower() in PAGES]
    texts = {path.stem: path for path in files if path.suffix.lower() == ".txt"}
    if not pages:
        raise TrainingMistakes(f"{folder}: no pages; expected NAME.html, and its article beside it as NAME.txt")
    names = [page.stem for page in pages]
    mistakes = [f"{page}: no {page.stem}.txt beside it with its article" for page in pages if page.stem not in texts]
    mistakes += [f"{text}: no page {stem}.html beside it" for stem, text in texts.items() if stem not in names]
    mistakes += [f"{page}: another page has the same name" for page in pages if names.count(page.stem) > 1]
    if mistakes:
        raise TrainingMistakes(*mistakes)
    return [(page, texts[page.stem]) for page in pages]


def read_labelled(page: Path, text: Path, verbatim: bool = False) -> LabelledLines:
    """Return a page for training. Raises `TrainingMistakes` if page or text cannot be used."""
    right = _read_text(text)
    try:
        html = decode(page.read_bytes())[0]
        parsed = read(Page(html), PathTrie())
    except OSError as error:
        raise TrainingMistakes(f"{page}: {error.strerror}") from None
    except UnusablePage as error:
        raise TrainingMistakes(f"{page}: {error}") from None
    if isinstance(parsed, NoArticle):
        raise TrainingMistakes(f"{page}: {parsed.reason}")
    try:
        labels = label_lines(parsed.lines.texts, right)
    except ValueError as error:
        raise TrainingMistakes(f"{page}: {error}") from None
    if labels.found < FOUND:
        raise TrainingMistakes(
            f"{text}: only {labels.found:.0%} of its words are in {page.name}: check that it is the text of this page"
        )
    return LabelledLines(page.stem, page_inputs(parsed, verbatim), labels.body)


def _read_text(path: Path) -> str:
    try:
        right = path.read_text("utf-8-sig")
    except OSError as error:
        raise TrainingMistakes(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise TrainingMistakes(f"{path}: not in UTF-8; save it as UTF-8") from None
    if not any(sign.isalnum() for sign in right):
        raise TrainingMistakes(f"{path}: the file has no words")
    return right


@dataclass(frozen=True, slots=True)
class Labels:
    """`body`: whether each line is body. `found`: the share of the article's words that the page contains, 0 to 1."""

    body: Flags
    found: float


def label_lines(texts: Sequence[str], right: str) -> Labels:
    """Return the labels of a page's lines. Raises `ValueError` for a page or text too long to be aligned."""
    numbers: dict[str, int] = {}
    lines = [_numbered(text, numbers) for text in texts]
    wanted = _numbered(right, numbers)
    page = [number for line in lines for number in line]
    if max(len(page), len(wanted)) > MAX_WORDS:
        raise ValueError(f"more than {MAX_WORDS:,} words are too many to be aligned")
    from_head = _matched(page, wanted)
    from_tail = _matched(page[::-1], wanted[::-1])[::-1]
    counts = np.array([len(line) for line in lines], np.intp)
    body = min((_judged(matched, counts) for matched in (from_head, from_tail)), key=_extent)
    return Labels(body, float(from_head.sum()) / max(len(wanted), 1))


def _matched(page: list[int], wanted: list[int]) -> Flags:
    """Return whether each word of the page is matched; of a text that occurs twice, the first occurrence is matched."""
    matched = np.zeros(len(page), np.bool_)
    for run in LCSseq.opcodes(page, wanted):
        if run.tag == "equal":
            matched[run.src_start : run.src_end] = True
    return matched


def _judged(matched: Flags, counts: NDArray[np.intp]) -> Flags:
    """Return whether each line is body; `counts`: the number of its words."""
    sums = np.concatenate([np.zeros(1, np.intp), np.cumsum(matched)])
    ends = np.cumsum(counts)
    held = sums[ends] - sums[ends - counts]
    body: Flags = (held >= MATCHED * counts) & (counts > 0)
    for line in range(1, len(body) - 1):
        if not counts[line]:
            body[line] = body[line - 1] and body[line + 1]
    return body


def _extent(body: Flags) -> int:
    """Return how many lines the body extends over."""
    lines = np.flatnonzero(body)
    return int(lines[-1] - lines[0]) if len(lines) else 0


def _numbered(text: str, numbers: dict[str, int]) -> list[int]:
    return [numbers.setdefault(word, len(numbers)) for word in characters_and_words(text)]
