"""The results of an extraction: an `Article`, which is a `Listing` for a list page, or why there is none."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Any, Literal, Protocol, get_args

from .page import Page
from .post import Post, as_json, joined_posts, paragraphs

PageType = Literal[
    "article", "thread", "documentation", "product", "service", "list", "collection", "uncertain"
]  # collection: cards of a shop or the like; list: links to articles
KINDS_OF_PAGES: tuple[PageType, ...] = (
    "article", "thread", "documentation", "product", "service", "list", "collection",
)  # fmt: skip
MAYBE_LISTS: frozenset[PageType] = frozenset({"list", "collection", "uncertain"})
Kind = Literal["paragraph", "heading", "list", "table", "code", "quote", "summary", "caption", "embed"]
KINDS: frozenset[Kind] = frozenset(get_args(Kind))
CHECK = "the site denies access or shows a check"  # a reason of `NoArticle`
GONE = "the page is an error page"  # another one
IN_TEXT: frozenset[Kind] = KINDS - {"caption", "embed"}  # kinds of blocks that form `Article.text` by default

# Fields that state how well an article fits its section, and what its HTML is made from
_NOT_IN_ROWS = frozenset({"surrounding_match", "fits", "markup", "pages"})
_NOT_OF_LISTS = frozenset({"published", "modified", "author", "source"})  # what a list shows of its entries


@dataclass(frozen=True, slots=True)
class Link:
    """A link within a block: its words, and an absolute http(s) URL."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the body.

    Each item of a list and each row of a table is one line of `text`: nested items are indented by two spaces for each
    list around them, those of ordered lists numbered; the cells of a row are separated by a tab. `level` is 1–6 for a
    heading, else None. `images`: absolute http(s) URLs. A picture without a caption becomes a caption with its
    alternative text; a player becomes an embed with one link and no text.
    """

    kind: Kind
    text: str
    level: int | None = None
    links: tuple[Link, ...] = ()
    images: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all fields that are not empty, as JSON types."""
        row: dict[str, Any] = {"kind": self.kind, "text": self.text}
        if self.level:
            row["level"] = self.level
        if self.links:
            row["links"] = [{"text": link.text, "url": link.url} for link in self.links]
        if self.images:
            row["images"] = list(self.images)
        return row


class Markup(Protocol):
    """What the HTML of a body is made from."""

    def html(self) -> str:
        """Return the body as clean HTML."""

    def only(self, blocks: Collection[int], /) -> "Markup":
        """Return the markup of some of the blocks, given by their places."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list. `url`: absolute if the page has a URL, else as written. `published`: None if not shown."""

    title: str
    url: str
    published: date | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON types, times in ISO 8601."""
        return {each.name: as_json(getattr(self, each.name)) for each in fields(self)}


@dataclass(frozen=True, slots=True)
class Article:
    """An article that was extracted from its page.

    `text`: the blocks of the requested kinds, joined by a blank line. `published`, `modified`: an aware datetime if the
    page gives a time zone, else a naive one as the page shows it, else a date. `method`: the method's name.
    `confidence`: 0 to 1, the probability that the text is right (F1 ≥ .8). `reason`: why this method
    was used, as text for the user. `robots_meta`: the directives of meta elements for crawlers, in the syntax of
    X-Robots-Tag; `tdm_meta`: their declaration on text and data mining, `1` for reserved. `page_type`: the most
    probable kind by structure and declarations; `article_probability`: of an article rather than a list, 0 to 1, None
    if that was not in doubt. `surrounding_match`: share of the lines
    around the body that the example of its template also has, 0 to 1; None without one. `fits`: whether the page has a
    known template of the section. These two are not fields of rows: they show how well the page fits its section
    (`workers.health`, `workers.redesign.redesign_watch`). `pages`: those from which it was extracted.
    """

    text: str
    blocks: tuple[Block, ...]
    method: str
    confidence: float
    reason: str
    url: str | None = None
    canonical_url: str | None = None
    title: str | None = None
    published: date | None = None  # a datetime is a date too
    modified: date | None = None
    author: str | None = None
    source: str | None = None
    keywords: tuple[str, ...] = ()
    language: str | None = None
    description: str | None = None
    site_name: str | None = None
    image: str | None = None
    robots_meta: tuple[str, ...] = ()
    tdm_meta: str | None = None
    page_type: PageType = "article"
    article_probability: float | None = None
    surrounding_match: float | None = None
    fits: bool = True
    markup: Markup | None = field(default=None, repr=False, compare=False)
    pages: tuple[Page, ...] = field(default=(), repr=False, compare=False)

    @property
    def posts(self) -> list[Post]:
        """The posts of a thread, over all of its pages, read when they are asked for; empty if the page is none."""
        from .posts import read_thread  # most articles have none

        return joined_posts(read_thread(self.pages, is_thread=self.page_type == "thread"))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of a `Listing`; of any other article, none."""
        return ()

    @property
    def html(self) -> str:
        """The body as clean HTML, written when it is first asked for; of an article without markup, its paragraphs."""
        return paragraphs(self.text) if self.markup is None else self.markup.html()

    def to_dict(self) -> dict[str, Any]:
        """Return all fields but `surrounding_match` and `fits` as JSON types, times in ISO 8601."""
        return {each.name: as_json(getattr(self, each.name)) for each in fields(self) if each.name not in _NOT_IN_ROWS}


@dataclass(frozen=True, slots=True)
class NoArticle:
    """The page has no article (a list, an empty shell …); a normal result, not an error. False in a condition.

    `fits`: as in `Article`.
    """

    reason: str
    url: str | None = None
    fits: bool = True

    @property
    def text(self) -> str:
        """The empty text."""
        return ""

    def __bool__(self) -> Literal[False]:
        return False

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON types."""
        return {"url": self.url, "reason": self.reason, "text": ""}


def join(blocks: Iterable[Block], include: Collection[str]) -> str:
    """Return the texts of the blocks of the given kinds, separated by a blank line."""
    return "\n\n".join([block.text for block in blocks if block.kind in include and block.text])


@dataclass(frozen=True, slots=True)
class Listing(Article):
    """A list page with its entries in the page's order, each URL once.

    `text`: the whole text of the list's elements, titles, dates and teasers, separated by a blank line; `blocks`: this
    text in blocks.
    """

    entries: tuple[Entry, ...] = ()


def listing_of(page: Article | NoArticle, entries: Sequence[Entry]) -> Listing | NoArticle:
    """Return the listing of a page whose list's text was read as `page`."""
    if isinstance(page, NoArticle):
        return page
    shared = {each.name: getattr(page, each.name) for each in fields(page) if each.name not in _NOT_OF_LISTS}
    return Listing(**shared | {"page_type": "list"}, entries=tuple(entries))
