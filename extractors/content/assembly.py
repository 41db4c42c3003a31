"""The first and the last step of all methods: page → lines, and kept lines → article."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..article import IN_TEXT, Article, Block, Kind, NoArticle, PageType, join
from ..html.dom import parse
from ..html.lines import Lines, read_lines
from ..html.masked_addresses import MARK, unmask
from ..html.paths import PathTrie
from ..metadata.declared_metadata import Head, read_head
from ..metadata.metadata import read_metadata
from ..metadata.titles import PageTitles
from ..page import Page
from ..tracing import tracing
from .blocks import make_blocks
from .embedded_state import with_state
from .line_weights import Prior, prior_of
from .notices import notice

EMBEDDED_SHARE = 0.15  # share of the text in embedded posts, from which they count as the article's text
MIN_TEXT = 40  # bytes of visible text; "Loading …" and "Enable JavaScript" are shorter, every article is longer
_BROKEN = "\ufffd".encode()


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page with its text lines, the metadata declared in its head, and the priors."""

    page: Page
    lines: Lines
    head: Head
    prior: Prior


@dataclass(frozen=True, slots=True)
class Assembling:
    """The input of `assemble`; noted only if the extraction is traced."""

    parsed: "ParsedPage"
    cut: "BodyLines | str"
    others: Sequence[PageTitles]


@dataclass(frozen=True, slots=True)
class BodyLines:
    """A body: indices of its lines and of the captions among them, path of its root, and how it was found.

    `page_type`, `article_probability`, `surrounding_match` and `fits` are those of `Article`.
    """

    kept: list[int]
    root: int
    method: str
    confidence: float
    reason: str
    captions: list[int] = field(default_factory=list)
    page_type: PageType = "article"
    article_probability: float | None = None
    surrounding_match: float | None = None
    fits: bool = True


def read(page: Page, trie: PathTrie) -> ParsedPage | NoArticle:
    """Return the page with its lines, their paths in `trie`. Raises `UnusablePage` if there is no tree to read."""
    encoded = page.encoded()
    root = parse(encoded)
    if page.holds(MARK):
        unmask(root)
    head = read_head(root)
    lines = with_state(root, head, read_lines(root, trie), trie)
    lines.url = page.url
    if (trace := tracing()) is not None:
        trace.note(lines)
    width = sum(lines.widths)
    if 2 * len(_BROKEN) * encoded.count(_BROKEN) > width >= MIN_TEXT:
        return NoArticle("most of the text is unreadable: the page does not have the encoding it declares", page.url)
    if width >= MIN_TEXT:
        return ParsedPage(page, lines, head, prior_of(lines, [head.title, *head.titles()]))
    scripted = root.find(".//script") is not None
    hint = "; its text may need JavaScript" if scripted else ""
    said = notice(lines, head.title, head.headings, [])
    return NoArticle(said or f"almost no text on the page ({width:.0f} bytes){hint}", page.url)


def assemble(parsed: ParsedPage, cut: BodyLines | str, others: Sequence[PageTitles] = ()) -> Article | NoArticle:
    """Return the article with the given body and the page's metadata; a `str` is the reason why there is none.

    `others`: titles of other pages of the section.
    """
    page, lines = parsed.page, parsed.lines
    if (trace := tracing()) is not None:
        trace.note(Assembling(parsed, cut, others))
    if isinstance(cut, str):
        return NoArticle(cut, page.url)
    blocks = make_blocks(lines, cut.kept, cut.captions, cut.root, parsed.head.base_url(page))
    metadata = read_metadata(parsed.head, lines, cut.kept, parsed.prior.title, page, others)
    metadata["image"] = metadata["image"] or next((url for block in blocks for url in block.images), None)
    return Article(
        text=join(blocks, _kinds_in_text(blocks)),
        blocks=blocks,
        method=cut.method,
        confidence=_confidence(cut),
        reason=cut.reason,
        page_type=cut.page_type,
        article_probability=cut.article_probability,
        surrounding_match=cut.surrounding_match,
        fits=cut.fits,
        url=page.url,
        **metadata,
    )


def _confidence(cut: BodyLines) -> float:
    """Return the share of similar pages whose text is right, at most the probability that the page is an article."""
    if cut.page_type == "article" or cut.article_probability is None:
        return cut.confidence
    return min(cut.confidence, cut.article_probability)


def _kinds_in_text(blocks: tuple[Block, ...]) -> frozenset[Kind]:
    """Return the kinds of blocks in the text by default; embedded posts only if they are much of the article."""
    embedded = sum([len(block.text) for block in blocks if block.kind == "embed"])
    if not embedded:
        return IN_TEXT
    everything = sum([len(block.text) for block in blocks if block.kind != "caption"])
    return IN_TEXT | {"embed"} if embedded > EMBEDDED_SHARE * everything else IN_TEXT
