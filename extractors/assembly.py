"""The way in and the way out that all methods share: page → lines, and kept lines → article."""

from dataclasses import dataclass

from lxml import etree

from .article import Article, NoArticle
from .blocks import make_blocks
from .dom import parse
from .lines import Lines, PathTrie, read_lines
from .metadata import read_metadata
from .page import Page

MIN_TEXT = 40  # bytes of visible text; "Loading …" and "Enable JavaScript" are shorter, no article is


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page with its tree and its text lines."""

    page: Page
    root: etree._Element
    lines: Lines


@dataclass(frozen=True, slots=True)
class Cut:
    """A body: indices of its lines, path of its root, and what `Article` says about how it was cut."""

    kept: list[int]
    root: int
    method: str
    confidence: float
    reason: str


def read(page: Page, trie: PathTrie) -> ParsedPage | NoArticle:
    """Return the page with its lines, their paths in `trie`. Raises `UnusablePage` if nothing parses."""
    root = parse(page.html)
    lines = read_lines(root, trie)
    width = float(lines.width.sum())
    if width >= MIN_TEXT:
        return ParsedPage(page, root, lines)
    scripted = root.find(".//script") is not None
    hint = "; its text may need JavaScript" if scripted else ""
    return NoArticle(f"almost no text on the page ({width:.0f} bytes){hint}", page.url)


def assemble(parsed: ParsedPage, cut: Cut | str) -> Article | NoArticle:
    """Return the article with the given body and the page's metadata; a `str` says why there is none."""
    page, lines = parsed.page, parsed.lines
    if isinstance(cut, str):
        return NoArticle(cut, page.url)
    blocks = make_blocks(lines, cut.kept, cut.root)
    metadata = read_metadata(parsed.root, lines, cut.kept, page)
    return Article(
        text="\n\n".join(block.text for block in blocks),
        blocks=blocks,
        method=cut.method,
        confidence=cut.confidence,
        reason=cut.reason,
        url=page.url,
        **metadata,
    )
