"""The first and the last step of all methods: page → lines, and kept lines → article."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace

from ..article import IN_TEXT, MAYBE_LISTS, Article, Block, Kind, NoArticle, PageType, join
from ..html.code_listings import plain_listings
from ..html.dom import parse
from ..html.lines import Lines, read_lines
from ..html.paths import MAX_TRIE, PathTrie
from ..html.revealing import MASKED_ADDRESS, remove_permalinks, show_titles, unmask
from ..metadata.declared_metadata import Head, read_head
from ..metadata.metadata import read_metadata
from ..metadata.titles import PageTitles
from ..page import Page, Refuse
from ..tracing import note
from .blocks import Mark, make_blocks, marks_of
from .body_events import top_of
from .body_html import KeptLines, TreeMarkup
from .embedded_state import with_state
from .line_weights import Prior, prior_of
from .notices import MIN_TEXT, notice

EMBEDDED_SHARE = 0.15  # share of the text in embedded posts, from which they count as the article's text
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
    body: "BodyLines | str"
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
    if MASKED_ADDRESS in page.html:
        unmask(root)
    remove_permalinks(root)
    show_titles(root)
    plain_listings(root)
    head = read_head(root)
    lines = with_state(root, head, read_lines(root, trie), trie)
    lines.url = page.url
    note(lines)
    width = sum(lines.widths)
    if 2 * len(_BROKEN) * encoded.count(_BROKEN) > width >= MIN_TEXT:
        return NoArticle("most of the text is unreadable: the page does not have the encoding it declares", page.url)
    if width >= MIN_TEXT:
        return ParsedPage(page, lines, head, prior_of(lines, [head.title, *head.titles()]))
    scripted = root.find(".//script") is not None
    hint = "; its text may need JavaScript" if scripted else ""
    said = notice(lines, head.title, head.headings, [])
    return NoArticle(said or f"almost no text on the page ({width:.0f} bytes){hint}", page.url)


class PageReader:
    """Reads pages one after another, their paths in one trie: the classification of element names, kept as a cache."""

    def __init__(self) -> None:
        self._trie = PathTrie()

    def read(self, page: Page) -> ParsedPage | NoArticle:
        """As the function `read`; the trie is replaced when it has grown too large."""
        if self._trie.size > MAX_TRIE:
            self._trie = PathTrie()
        return read(page, self._trie)


class PageByPage:
    """Extracts each page independently, by a function that finds its body or a reason why there is none."""

    def __init__(self, find_body: "Callable[[ParsedPage], BodyLines | str]") -> None:
        self._reader = PageReader()
        self._find_body = find_body

    def extract(self, page: Page) -> Article | NoArticle:
        """Return the article of `page`. Raises `UnusablePage` if nothing can be read from it."""
        parsed = self._reader.read(page)
        return parsed if isinstance(parsed, NoArticle) else assemble(parsed, self._find_body(parsed))


def assemble(parsed: ParsedPage, body: BodyLines | str, others: Sequence[PageTitles] = ()) -> Article | NoArticle:
    """Return the article with the given body and the page's metadata; a `str` is the reason why there is none.

    `others`: titles of other pages of the section.
    """
    page, lines = parsed.page, parsed.lines
    note(Assembling(parsed, body, others))
    if isinstance(body, str):
        return NoArticle(body, page.url)
    base = parsed.head.base_url(page)
    marks = marks_of(lines, body.kept, body.captions, body.root)
    numbered = make_blocks(lines, marks, body.root, base)
    blocks = tuple(block for _, block in numbered)
    metadata = read_metadata(parsed.head, lines, body.kept, parsed.prior.title, page, others)
    metadata["image"] = metadata["image"] or next((url for block in blocks for url in block.images), None)
    return Article(
        text=join(blocks, _kinds_in_text(blocks)),
        blocks=blocks,
        method=body.method,
        confidence=_confidence(body, page.refuse),
        reason=body.reason,
        page_type=body.page_type,
        article_probability=body.article_probability,
        surrounding_match=body.surrounding_match,
        fits=body.fits,
        url=page.url,
        pages=(page,),
        markup=_markup(lines, marks, base, metadata["image"], [last for last, _ in numbered]),
        **metadata,
    )


def _markup(
    lines: Lines, marks: list[tuple[int, Mark]], base: str, image: str | None, last_lines: list[int]
) -> TreeMarkup | None:
    """Return what the body's HTML is made from; `last_lines`: of each block."""
    first = marks[0][0] if marks else 0
    top = top_of(lines, first, marks[-1][0]) if marks else None
    if top is None:
        return None
    name = (image or "").rpartition("/")[2].partition("?")[0]
    above = (element.get("src") or "" for line, _, element in lines.media if line <= first)
    lead = image if name and any(name in source for source in above) else None
    top = replace(top, element=deepcopy(top.element))  # the rest of the page's tree is freed
    return TreeMarkup(top, KeptLines({index: kind for index, (kind, _) in marks}, base, lead, last_lines))


def _confidence(body: BodyLines, refuse: Refuse) -> float:
    """Return the probability that the text is right; where lists are refused, at most that it is not a list's."""
    bounded = refuse in ("sure", "likely") and body.page_type in MAYBE_LISTS
    if not bounded or body.article_probability is None:
        return body.confidence
    return min(body.confidence, body.article_probability)


def _kinds_in_text(blocks: tuple[Block, ...]) -> frozenset[Kind]:
    """Return the kinds of blocks in the text by default; embedded posts only if they are much of the article."""
    embedded = sum([len(block.text) for block in blocks if block.kind == "embed"])
    if not embedded:
        return IN_TEXT
    everything = sum([len(block.text) for block in blocks if block.kind != "caption"])
    return IN_TEXT | {"embed"} if embedded > EMBEDDED_SHARE * everything else IN_TEXT
