"""Method `list-rank-verbatim`: the source's algorithm for lists exactly as in its pseudo-code.

Source: 003, algorithm 2, written out in `extractor`. Every element belongs to the id (depth, class name); R(O, L),
which is lost in the scan, is O · L, one of several formulas with the same results. By the prose of the source only
elements without children count.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from ...article import Article, NoArticle
from ...content.assembly import BodyLines
from ...content.body_fragment import assemble_verbatim, paragraph
from ...html.dom import inner_text, parse
from ...page import Page

METHOD = "list-rank-verbatim"
CANDIDATES = 15  # ids: the source's n
DEEPEST = 64  # levels that are read, each with all text below it; the deepest of the development pages has 51
NOISE = ("script", "style", "noscript", "head")
CONFIDENCE = 0.03  # share of list pages that are right, mean of the development sites

Id = tuple[int, str]  # depth, class name


@dataclass(slots=True)
class SameClass:
    """The elements of one id: their texts, without white space at the ends."""

    texts: list[str] = field(default_factory=list)

    @property
    def rank(self) -> int:
        """The rank R(O, L)."""
        return len(self.texts) * sum(map(len, self.texts))

    @property
    def mean_length(self) -> float:
        """The mean length TL."""
        return sum(map(len, self.texts)) / len(self.texts)


def extract(page: Page) -> Article | NoArticle:
    """Return the list's text as an article. Raises `UnusablePage` if the page cannot be parsed."""
    texts = list_texts(parse(page.html))
    if not texts:
        return NoArticle("no text in any element", page.url)
    how = BodyLines([], 0, METHOD, CONFIDENCE, f"{len(texts)} elements of one depth and class name")
    return assemble_verbatim(page, [], "".join(map(paragraph, texts)), how)


def list_texts(root: etree._Element) -> list[str]:
    """Return the texts of the list's elements."""
    etree.strip_elements(root, *NOISE, with_tail=False)
    by_id: dict[Id, SameClass] = {}
    for element, depth in _with_depth(root):
        text = " ".join(inner_text(element).split())
        if text:
            by_id.setdefault((depth, element.get("class") or ""), SameClass()).texts.append(text)
    best = sorted(by_id.values(), key=lambda like: like.rank, reverse=True)[:CANDIDATES]
    return max(best, key=lambda like: like.mean_length).texts if best else []


def _with_depth(root: etree._Element) -> Iterator[tuple[etree._Element, int]]:
    """Yield the elements in document order with their depth, the root's being 0."""
    waiting = [(root, 0)]
    while waiting:
        element, depth = waiting.pop()
        yield element, depth
        if depth < DEEPEST:
            waiting += [(child, depth + 1) for child in reversed(element)]
