"""Method `example-verbatim`: the example-page method exactly as in its source, for the curves that it draws.

Source: 004. Both pages are stripped to text. A window of fixed length moves over both, character by character, at the
same offset from their heads; FS is the Levenshtein similarity of the windows. BS is the same from their tails. Both
start high, where the pages share their template, and fall; the turning point of FS is the body's head, that of BS its
tail.

The source leaves three parameters open; the choices are ours. The window is 100 characters (with 20 the curves are
finer and less accurate). Similarity is 1 − distance / window. The turning point is the end of the run from the curve's
start with the largest sum above the level between similar and different. At that place half of a window is body, so
the body's border, which the source derives back (反推), is half a window further in. Whole lines are kept: those whose
middle lies between the borders.

The method is not accurate: if one page has more text than the other near its head or tail, the rest is shifted. Method
`example` corrects that.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from ...article import NoArticle
from ...content.assembly import BodyLines, PageByPage, ParsedPage, read
from ...errors import UnusablePage
from ...html.lines import Floats, Lines
from ...html.paths import PathTrie
from ...page import Page

METHOD = "example-verbatim"
WINDOW = 100  # characters
LEVEL = 0.5  # similarity between "similar" and "different"
MAX_TEXT = 100_000  # characters of a page that are compared; 20,000 windows of 50 take 6 ms
CHUNK = 10_000  # windows compared at once
CONFIDENCE = 0.47  # share of pairs of pages of one section with F1 ≥ .9, development sets


@dataclass(frozen=True, slots=True)
class Curves:
    """The curves, and the body `text[head:tail]`.

    `fs[i]`: similarity of the windows that begin `i` characters from the heads of both texts; `bs[i]`: of those that
    end `i` characters from their tails; float32.
    """

    fs: Floats
    bs: Floats
    head: int
    tail: int
    text: str


def curves(example: str, page: str, window: int = WINDOW) -> Curves:
    """Return both sequences and their turning points for two texts."""
    fs = similarities(example, page, window)
    bs = similarities(example[::-1], page[::-1], window)
    head, from_tail = (point + window // 2 if point else 0 for point in map(turning_point, (fs, bs)))
    return Curves(fs, bs, min(head, len(page)), max(head, len(page) - from_tail), page)


def similarities(a: str, b: str, window: int) -> Floats:
    """Return the similarity of the windows of two texts at each offset that both have; float32."""
    count = max(0, min(len(a), len(b), MAX_TEXT) - window + 1)
    result = np.zeros(count, np.float32)
    for start in range(0, count, CHUNK):
        offsets = range(start, min(start + CHUNK, count))
        result[start : offsets.stop] = process.cpdist(
            [a[offset : offset + window] for offset in offsets],
            [b[offset : offset + window] for offset in offsets],
            scorer=Levenshtein.normalized_similarity,
            dtype=np.float32,
        )
    return result


def turning_point(curve: Floats) -> int:
    """Return where the curve has fallen: the end of the run from its start with the largest sum above `LEVEL`."""
    sums = np.concatenate([np.zeros(1), np.cumsum(curve - LEVEL, dtype=np.float64)])
    return int(sums.argmax())


def body_beside(example: str, parsed: ParsedPage) -> BodyLines | str:
    """Return the body of a page beside the text of an example, or the reason why there is none."""
    found = curves(example, page_text(parsed.lines))
    kept = lines_between(parsed.lines, found.head, found.tail)
    if not kept:
        return "the page's text equals the example's"
    return BodyLines(kept, 0, METHOD, CONFIDENCE, f"characters {found.head} to {found.tail} differ from the example")


def page_text(lines: Lines) -> str:
    """Return a page stripped to text: its lines, joined by line breaks."""
    return "\n".join(lines.texts)


def lines_between(lines: Lines, head: int, tail: int) -> list[int]:
    """Return the lines whose middle lies between two places of the page's text."""
    lengths = np.array([len(text) for text in lines.texts], np.float64)
    ends = np.cumsum(lengths + 1) - 1
    middles = ends - lengths / 2
    return np.flatnonzero((middles >= head) & (middles < tail)).tolist()


def create(example: Page) -> PageByPage:
    """Return the extractor. Raises `UnusablePage` for an example without text."""
    parsed = read(example, PathTrie())
    if isinstance(parsed, NoArticle):
        raise UnusablePage("the example page has almost no text")
    return PageByPage(partial(body_beside, page_text(parsed.lines)))
