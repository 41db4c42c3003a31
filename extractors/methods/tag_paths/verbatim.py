"""Method `tag-paths-verbatim`: clusters of tag paths exactly as in their source.

Source: 002; symbols and conditions in `extractor`. `page → leaves → clusters → segment → chunks → article`:

- Tags are removed (`STRIPPED`, the source's first rule) or removed with their content (`DROPPED`, the second), and a
  parser pairs the other tags (the third). The leaves are the texts of the tree and the elements without text, such as
  pictures; leaves with the same names of elements from the root on are a cluster.
- The segment is the first cluster whose σ² is small enough and that fulfils the four conditions; others with a large σ²
  are split at θ ∉ [0.85, 2], and their pieces are sorted in. Without such a cluster there is no article.
- From the segment's first leaf to its last, the text between the beginnings of tables and divs is a chunk, filed under
  the tag path of the table or div that began before it. Its document frequency is how often such a table or div
  begins. Chunks with at least Frequency_Threshold are the article.
- The three thresholds come from sample pages: the example's page and those given to `learn`; without any, the page is
  its own sample. Frequency_Threshold, the mean, is that of the chunks of the sample's own segment.

The source does not give σ²'s threshold, MAXSIZE, PreSpan, the number of k-means' clusters and the tags of the first two
rules. They were chosen by measurement (`python -m evaluation.reproduction.constants`). Chunks of one tag path are
joined in their order; the source's HashMap, taken literally, would keep only the last.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from lxml import etree

from ...article import Article, NoArticle
from ...content.assembly import BodyLines
from ...content.body_fragment import LINES_BEFORE, assemble_verbatim, paragraph
from ...html.dom import parse
from ...html.tagless_text import BLOCK_TAGS
from ...page import Page
from .extractor import (
    Leaf,
    Leaves,
    OpenConstants,
    TagPaths,
    Thresholds,
    body_segment,
    lowest,
    middle_centres,
    without_garbled,
)

METHOD = "tag-paths-verbatim"
CONFIDENCE = 0.56  # share of pages with F1 ≥ .9, mean of the development sets
STRIPPED = ("b", "i", "u", "em", "strong", "font", "span", "small", "big", "sup", "sub")
DROPPED = ("script", "style", "noscript", "template", "svg", "select", "button", "textarea", "iframe", "object")
BOXES = frozenset({"table", "div"})
SETTINGS = OpenConstants(variance=30.0, centres=3)


@dataclass(frozen=True, slots=True)
class Tree:
    """The leaves of a page, their texts and blocks; and for each leaf, the tables and divs that begin before it."""

    leaves: list[Leaf]
    texts: list[str]
    blocks: list[int]
    begun: list[list[int]]  # tag paths of tables and divs


class TagPathsVerbatim(TagPaths):
    """Keeps the thresholds of sample pages."""

    def learned_from(self, page: Page) -> Thresholds:
        """Return the thresholds of a sample page."""
        return learn_thresholds(read_tree(page.html))

    def extract(self, page: Page) -> Article | NoArticle:
        """Return the article of `page`. Raises `UnusablePage` if the page cannot be parsed."""
        tree = read_tree(page.html)
        thresholds = lowest(self._samples or [learn_thresholds(tree)])
        segment = body_segment(tree.leaves, thresholds, SETTINGS)
        if not segment:
            return NoArticle("no cluster of tag paths resembles a body", page.url)
        return assemble_chunks(page, tree, segment, frequent(tree, segment, thresholds.frequency))


class Chunk(NamedTuple):
    """The leaves filed under a tag path, and its document frequency."""

    leaves: Leaves
    frequency: int


def read_tree(html: str) -> Tree:
    """Return the leaves of a page, in document order. Raises `UnusablePage` if the page cannot be parsed."""
    root = parse(without_garbled(html))
    etree.strip_elements(root, *DROPPED, with_tail=False)
    body = root.find("body")
    body = root if body is None else body
    etree.strip_tags(body, *STRIPPED)
    reader = _Reader()
    for event, element in etree.iterwalk(body, events=("start", "end")):
        if event == "start":
            reader.start(element)
        else:
            reader.end(element)
    return reader.tree


def length_of(text: str) -> int:
    """Return Length of a text without white space: 2 for a character above 255, else 1."""
    plain = "".join(text.split())
    return len(plain) if plain.isascii() else sum(1 + (sign > "\xff") for sign in plain)


class _Reader:
    """Walks a tree and keeps the open path, the open box, and the boxes that began since the last leaf."""

    def __init__(self) -> None:
        self.tree = Tree([], [], [], [])
        self._known: dict[tuple[int, str], int] = {}
        self._paths, self._boxes = [0], [0]
        self._linked = self._block = 0
        self._begun: list[int] = []

    def start(self, element: etree._Element) -> None:
        name = str(element.tag)
        path = self._known.setdefault((self._paths[-1], name), len(self._known) + 1)
        self._paths.append(path)
        self._boxes.append(path if name in BOXES else self._boxes[-1])
        if name in BOXES:
            self._begun.append(path)
        self._linked += element.get("href") is not None
        self._block += name in BLOCK_TAGS or name == "br"
        text = element.text
        if text and not text.isspace():
            self._leaf(text)
        elif not len(element):
            self._leaf("")

    def end(self, element: etree._Element) -> None:
        self._paths.pop()
        self._boxes.pop()
        self._linked -= element.get("href") is not None
        self._block += str(element.tag) in BLOCK_TAGS
        tail = element.tail
        if tail and not tail.isspace() and len(self._paths) > 1:
            self._leaf(tail)

    def _leaf(self, text: str) -> None:
        size, linked = length_of(text), int(self._linked > 0)
        strings, links = (0, size) if linked else (size, 0)
        tree = self.tree
        tree.leaves.append(Leaf(len(tree.leaves), self._paths[-1], self._boxes[-1], strings, links, linked))
        tree.texts.append(text)
        tree.blocks.append(self._block)
        tree.begun.append(self._begun)
        self._begun = []


def chunks(tree: Tree, segment: Leaves) -> dict[int, Chunk]:
    """Return the chunks of a segment by the tag path of their table or div."""
    found: dict[int, Chunk] = {}
    path = tree.leaves[segment[0]].container
    for place, number in enumerate(range(segment[0], segment[-1] + 1)):
        begun = tree.begun[number] if place else [path]
        for path in begun:
            chunk = found.get(path, Chunk([], 0))
            found[path] = chunk._replace(frequency=chunk.frequency + 1)
        found[path].leaves.append(number)
    return found


def frequent(tree: Tree, segment: Leaves, threshold: float) -> Leaves:
    """Return the leaves of the chunks that are frequent enough, chunk after chunk."""
    found = chunks(tree, segment).values()
    return [number for chunk in found if chunk.frequency >= threshold for number in chunk.leaves]


def assemble_chunks(page: Page, tree: Tree, segment: Leaves, kept: Leaves) -> Article | NoArticle:
    """Return the article whose body is the leaves `kept` of a segment."""
    before = texts(tree, range(segment[0]))[-LINES_BEFORE:]
    how = BodyLines([], 0, METHOD, CONFIDENCE, f"{len(segment)} leaves of one tag path")
    return assemble_verbatim(page, before, "".join(map(paragraph, texts(tree, kept))), how)


def texts(tree: Tree, kept: range | Leaves) -> list[str]:
    """Return the texts of leaves, those of one block together."""
    blocks: dict[int, str] = {}
    for number in kept:
        blocks[tree.blocks[number]] = blocks.get(tree.blocks[number], "") + tree.texts[number]
    return [text for joined in blocks.values() if (text := " ".join(joined.split()))]


def learn_thresholds(tree: Tree, settings: OpenConstants = SETTINGS) -> Thresholds:
    """Return the thresholds of one sample page: equations 6 to 8 of the source."""
    learned = middle_centres(tree.leaves, settings.centres)
    if learned is None:
        return Thresholds(0, 0, 1)
    segment = body_segment(tree.leaves, learned, settings)
    frequencies = [chunk.frequency for chunk in chunks(tree, segment).values()] if segment else [1]
    return replace(learned, frequency=float(np.mean(frequencies)))
