"""The tree of a page with the properties of each element that lists need: links, width of its text, class words.

Width is UTF-8 bytes without white space, as in `lines`: the titles of a Chinese list have few characters.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, takewhile

from lxml import etree

from ...html.dom import inner_text, parse, short_text
from ...html.tagless_text import BLOCK_TAGS
from ...html.urls import web_url
from ...page import Page

SKIPPED = ("script", "style", "noscript", "template", "select", "option", "button", "svg", "iframe", "head")
NOISE_TAGS = frozenset({"nav", "header", "footer", "aside", "menu", "dialog"})
NOISE_ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "menu", "dialog"})
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
CELLS = frozenset({"td", "th"})  # their column has the role that a class has for other elements
NO_ADDRESS = ("javascript:", "mailto:", "tel:")
MAX_ELEMENTS = 60_000  # that are read; the development pages have up to 4,600
MAX_LINKS = 10_000  # of a page; the list pages of the development sets have up to 1,350
MAX_WAY = 60  # elements around a link that are examined: thousands may be nested
MAX_STEPS = 2_000  # beginnings and ends of elements of a link with a <time> that are read
MAX_COLUMNS = 50  # of a table; the further ones are one
BEFORE_LINK = 25  # bytes of a block's text before a link, from which the link stands in running text
POSITION_WORDS = frozenset({
    "odd", "even", "first", "last", "alt", "alternate", "active", "current", "new", "sticky", "featured", "selected",
    "hidden", "visible",
})  # fmt: skip
_HOST = re.compile(r"https?://(?:[^/?#@]*@)?([^/?#:]*)", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")

Place = tuple[tuple[str, str], ...]  # tag and first class word of the elements from a link up


@dataclass(frozen=True, slots=True)
class TreeLink:
    """A link to another address.

    `text`: its words, else (`labelled`) its label or title, or that of its image. `in_prose`: whether running text of
    its block precedes it. `own_site`: whether its target is the page's own site or a part of it; true for all links if
    the page has no address.
    """

    element: etree._Element
    url: str
    text: str
    width: int
    labelled: bool
    in_prose: bool
    own_site: bool


class LinkedTree:
    """The body of a page. Raises `UnusablePage` if the page cannot be parsed."""

    def __init__(self, page: Page) -> None:
        root = parse(page.html)
        base = next((href for element in root.iter("base") if (href := element.get("href"))), "")
        self.base = web_url(page.url or "", base) or page.url or ""
        etree.strip_elements(root, *SKIPPED, with_tail=False)
        body = root.find("body")
        self.root = root if body is None else body
        _shorten(self.root)
        self.links: list[TreeLink] = []
        self._first: dict[etree._Element, int] = {}
        self._count: dict[etree._Element, int] = {}
        self._width: dict[etree._Element, int] = {}
        self._labels: dict[etree._Element, int] = {}
        self._children: dict[etree._Element, list[etree._Element]] = {}
        self._steps: dict[etree._Element, tuple[str, str]] = {}
        self._before: dict[etree._Element, int] = {}  # see `_text_before`
        self._read()

    def _read(self) -> None:
        elements = list(self.root.iter(etree.Element))
        parents = [element.getparent() for element in elements]
        host = host_of(self.base)
        for element, parent in zip(elements, parents, strict=True):
            self._first[element] = len(self.links)
            self._count[element] = 0
            self._width[element] = width_of(element.text)
            if parent is not None and not is_noise(element):
                self._children.setdefault(parent, []).append(element)
            is_read = element.tag == "a" and len(self.links) < MAX_LINKS
            if is_read and (url := self._url(element)):
                words = link_words(element)
                text = words or link_label(element)
                own = not host or _same_site(host, host_of(url))
                self.links.append(TreeLink(element, url, text, width_of(text), not words, self._in_prose(element), own))
                self._count[element] = 1
        self._labels = {link.element: link.width for link in self.links if link.labelled}
        for element, parent in zip(elements[:0:-1], parents[:0:-1], strict=True):
            if parent is not None:
                self._count[parent] += self._count[element]
                self._width[parent] += self._width[element] + width_of(element.tail)
                if element in self._labels:
                    self._labels[parent] = self._labels.get(parent, 0) + self._labels[element]

    def _in_prose(self, link: etree._Element) -> bool:
        if contains(link, BLOCK_TAGS):
            return False
        before = 0
        for child in chain([link], islice(link.iterancestors(), MAX_WAY)):
            above = child.getparent()
            if above is None:
                break
            before += self._text_before(child)
            if before >= BEFORE_LINK or above.tag in BLOCK_TAGS:
                return before >= BEFORE_LINK and above.tag not in HEADINGS
        return False

    def _text_before(self, child: etree._Element) -> int:
        """Return the width of the text between the last line break or block before `child` and it, without links."""
        unread = [child]
        while unread[-1] not in self._before:
            sibling = unread[-1].getprevious()
            if sibling is None:
                parent = unread[-1].getparent()
                self._before[unread[-1]] = width_of(parent.text) if parent is not None else 0
            elif sibling.tag == "br" or sibling.tag in BLOCK_TAGS:
                self._before[unread[-1]] = width_of(sibling.tail)
            else:
                unread.append(sibling)
        for element, sibling in zip(unread[-2::-1], unread[:0:-1], strict=True):
            within = 0 if sibling.tag == "a" else width_of(short_text(sibling, BEFORE_LINK))
            self._before[element] = self._before[sibling] + within + width_of(sibling.tail)
        return self._before[child]

    def _url(self, link: etree._Element) -> str | None:
        href = (link.get("href") or "").strip().partition("#")[0]
        if not href or href.lower().startswith(NO_ADDRESS):
            return None
        return web_url(self.base, href) if self.base else href

    def children(self, element: etree._Element) -> list[etree._Element]:
        """Return the children of an element that are not navigation or the like."""
        return self._children.get(element, [])

    def links_in(self, element: etree._Element) -> list[TreeLink]:
        """Return the links of an element, itself among them, in document order."""
        first = self._first[element]
        return self.links[first : first + self._count[element]]

    def has_link(self, element: etree._Element) -> bool:
        """Whether an element is or contains a link."""
        return self._count[element] > 0

    def width(self, element: etree._Element) -> int:
        """Return the width of all text of an element."""
        return self._width[element]

    def most_words(self, element: etree._Element) -> int:
        """Return the width of all text of an element, and of the labels in place of text."""
        return self._width[element] + self._labels.get(element, 0)

    def place(self, link: etree._Element, element: etree._Element) -> Place:
        """Return the place of a link within an element."""
        around = chain([link], islice(link.iterancestors(), MAX_WAY))
        return tuple(map(self._step, takewhile(lambda each: each is not element, around)))

    def _step(self, element: etree._Element) -> tuple[str, str]:
        step = self._steps.get(element)
        if step is None:
            column = (
                str(len(list(islice(element.itersiblings(preceding=True), MAX_COLUMNS))))
                if element.tag in CELLS
                else ""
            )
            step = self._steps[element] = str(element.tag), column or next(iter(self.class_words(element)), "")
        return step

    def class_words(self, element: etree._Element) -> tuple[str, ...]:
        """Return the words of an element's class, without numbers and words for a position in the list."""
        return _class_words(element.get("class") or "")


@lru_cache(1_000)
def _class_words(classes: str) -> tuple[str, ...]:
    words = (_DIGITS.sub("", word) for word in classes.lower().split())
    return tuple(word for word in words if (plain := word.strip("-_")) and plain not in POSITION_WORDS)


def _shorten(root: etree._Element) -> None:
    """Remove all that follows the first `MAX_ELEMENTS` elements."""
    last = next(islice(root.iter(etree.Element), MAX_ELEMENTS - 1, None), None)
    if last is not None:
        for step in (last, *last.iterancestors()):
            above = step.getparent()
            if step is root or above is None:
                break
            del above[above.index(step) + 1 :]
        del last[:]


def is_noise(element: etree._Element) -> bool:
    """Whether an element is navigation or the like."""
    return element.tag in NOISE_TAGS or element.get("role") in NOISE_ROLES


def link_words(link: etree._Element) -> str:
    """Return a link's words without a <time> in it."""
    if not contains(link, ("time",)):
        return fold(inner_text(link))
    parts: list[str | None] = []
    walk = etree.iterwalk(link, events=("start", "end"))
    for event, node in islice(walk, MAX_STEPS):
        if event == "end":
            parts.append(node.tail if node is not link else None)
        elif node.tag == "time":
            walk.skip_subtree()
            parts.append(" ")
        else:
            parts.append(node.text)
    return fold("".join(filter(None, parts)))


def link_label(link: etree._Element) -> str:
    """Return the label of a link: its label, its title or that of an image in it; "" if there is none."""
    texts = (link.get("aria-label"), link.get("title"), *(image.get("alt") for image in link.iter("img")))
    return next((folded for text in texts if (folded := fold(text))), "")


def in_heading(link: etree._Element, element: etree._Element) -> bool:
    """Whether a link of an element is in a heading within the element, or contains one."""
    step: etree._Element | None = link
    while step is not None:
        if step.tag in HEADINGS:
            return True
        step = None if step is element else step.getparent()
    return contains(link, HEADINGS)


def contains(link: etree._Element, tags: Iterable[str]) -> bool:
    """Whether an element with one of the tags is in a link."""
    return len(link) > 0 and next(link.iter(*tags), None) is not None  # `iter` takes long to begin


def host_of(url: str) -> str:
    """Return the host of an absolute address without "www.", "" if there is none."""
    found = _HOST.match(url)
    return found[1].lower().removeprefix("www.") if found else ""


def fold(text: object) -> str:
    """Return a text with its white space folded, "" for None."""
    return " ".join(str(text or "").split())


def width_of(text: str | None) -> int:
    """Return the UTF-8 bytes of a text without white space."""
    if not text or text.isspace():
        return 0
    plain = "".join(text.split())
    return len(plain) if plain.isascii() else len(plain.encode("utf-8", "replace"))


def _same_site(a: str, b: str) -> bool:
    return a == b or a.endswith(f".{b}") or b.endswith(f".{a}")
