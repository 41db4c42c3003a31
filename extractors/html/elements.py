"""The treatment of elements in the walk over the tree: kinds by tag, and the rules for hidden ones.

Both forms of the walk, `python_walk` and the compiled one, get these tables and rules from here.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, SupportsIndex

from lxml import etree

from .class_names import CACHED, SCREEN_READER

MAX_DEPTH = 256  # levels of recursion; deeper elements are read without it, in their ancestor's path

INLINE, LINK, BLOCK, ITEM, PRE, BREAK, SKIP, IMAGE, PLAYER, NOTED, ALWAYS_NOTED = range(11)
_BLOCKS = """html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p section summary table caption
    colgroup col thead tbody tfoot tr td th ul frameset frame noframes marquee"""
_SKIPPED = """script style svg head object canvas math option textarea input title datalist rp rt"""  # rt: a reading
_PLAYERS = "iframe embed video audio amp-iframe amp-video amp-audio amp-youtube lite-youtube"
KINDS = {
    **dict.fromkeys(_BLOCKS.split(), BLOCK),
    **dict.fromkeys(_SKIPPED.split(), SKIP),
    **dict.fromkeys(("li", "dt", "dd", "tr"), ITEM),  # blocks that are counted where they begin, see `Lines.items`
    "br": BREAK,
    "a": LINK,
    "pre": PRE,
    "img": IMAGE,
    **dict.fromkeys(("amp-img", "amp-anim"), IMAGE),
    **dict.fromkeys(_PLAYERS.split(), PLAYER),  # skipped, but noted as media
    **dict.fromkeys(("button", "select", "noscript"), NOTED),  # skipped; noted if they contain an element
    "template": ALWAYS_NOTED,  # see `revealing`
}
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


class Elements(Protocol):
    """Elements of one tree, in document order."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[etree._Element]: ...
    def __getitem__(self, place: SupportsIndex, /) -> etree._Element: ...

    def values(self, name: str) -> list[str]:
        """Return the value of an attribute of each element, "" where it has none."""


class ElementList(list[etree._Element]):
    """`Elements` in a list."""

    def values(self, name: str) -> list[str]:
        """Return the value of an attribute of each element, "" where it has none."""
        return [element.get(name) or "" for element in self]


class Walked(NamedTuple):
    """The result of a walk; the first six have one entry per line, with the same meaning as in `Lines`.

    `widths`: UTF-8 bytes of the texts. `link_chars`: characters inside links. `blocks`: the block of each line.
    `links`, `link_elements` and `media` as in `Lines`. `noted`: elements to examine: hidden ones, those of the kinds
    for it, unusual links.
    """

    texts: list[str]
    paths: list[int]
    items: list[int]
    continued: list[bool]
    widths: list[int]
    link_chars: list[int]
    blocks: Elements
    links: list[int]
    link_elements: Elements
    media: list[tuple[int, int, etree._Element]]
    noted: list[etree._Element]


def is_hidden(element: etree._Element, names: Sequence[str | bytes]) -> bool:
    """Whether an element with attributes of these names is hidden from readers."""
    return (
        ("class" in names and is_for_screen_readers(element.get("class", "")))
        or ("style" in names and hides(element.get("style", "")))
        or "hidden" in names
    )


@lru_cache(CACHED)
def hides(style: str) -> bool:
    """Whether a style attribute hides its element."""
    return _HIDDEN_STYLE.search(style) is not None


@lru_cache(CACHED)
def is_for_screen_readers(classes: str) -> bool:
    """Whether a class attribute hides its element from all but screen readers."""
    return SCREEN_READER.search(classes) is not None
