"""The data of all figures: pages read, elements named, or why a page has nothing to draw."""

from ..article import NoArticle
from ..content.assembly import BodyLines, ParsedPage
from ..html.dom import parse
from ..html.paths import PathTrie
from ..metadata.declared_metadata import read_head
from ..page import Page


class NoFigure(Exception):
    """A page gives no data for a figure; the message gives the reason."""


def with_text(parsed: ParsedPage | NoArticle) -> ParsedPage:
    """Return a page that was read. Raises `NoFigure` if it contains almost no text."""
    if isinstance(parsed, NoArticle):
        raise NoFigure(parsed.reason)
    return parsed


def outcome(body: BodyLines | str) -> tuple[tuple[int, ...], str]:
    """Return the lines that a method kept, and its reason; no lines for a page that it refused."""
    return ((), body) if isinstance(body, str) else (tuple(body.kept), body.reason)


def element_name(tag: str, classes: str = "") -> str:
    """Return the name of an element in the form of a selector: its tag, and its first class."""
    first = classes.split()[:1]
    return f"{tag or 'page'}.{first[0]}" if first else tag or "page"


def path_name(trie: PathTrie, path: int) -> str:
    """Return the name of the element at the end of a path."""
    return element_name(trie.tag[path], trie.classes[path])


def title_of(page: Page) -> str:
    """Return the text of a page's <title>. Raises `UnusablePage` if the page cannot be parsed."""
    return read_head(parse(page.encoded())).title
