"""Element tree → text lines: what every method starts from.

Rules: a line ends where a block element begins or ends and at <br>; unknown elements are inline; <pre> is one line;
script, style, form controls, media and hidden elements are skipped. Each line has the path of its block, the width of
its text and the width of the part inside links. Width is UTF-8 bytes, so that a Chinese character (3) weighs about as
much as the half word of Latin letters that it corresponds to.

The tree is walked by compiled code where that is available, otherwise in Python (`walk`).
"""

import re
from collections import Counter
from functools import cached_property

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from .dom import inner_text
from .elements import IMAGE, KINDS, ElementList, Walked
from .paths import HEADINGS, Outline, PathTrie
from .revealing import CLOSED, open_all, reveal
from .walk import walk

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

MASKED_LENGTH = 40  # characters: digits of lines up to this count as equal (dates, counters); longer lines are prose
MAX_LINES = 100_000  # lines of a page; the rest is not read. The longest of the development pages has 836
MIN_SHOWN = 100  # visible characters; a page with fewer, and more hidden ones, is shown by its scripts
MAX_REVEALED = 5  # levels of nested elements that scripts insert
SHORT_PROSE = 1_500  # visible bytes of running text; a page with fewer may have its article in hidden text
LITTLE_PROSE, LITTLE_TEXT = 400, 1_000  # visible bytes of running text, and characters; below, a page is empty
HIDDEN_PROSE, HIDDEN_TIMES = 1_000, 4  # hidden text is read from this many bytes and times the visible text on
CAPTION_WIDTH = 300  # bytes; a longer line under a picture is prose
CODE_WEIGHT = 0.2  # weight of code in the search for the body
SENTENCE = 80  # bytes outside links, from which a line counts as running text
LINKED_PARAGRAPH, LINKED_LINE = 0.75, 0.6  # link share from which a <p> (.7 to .8 are the same) or other line is a link
LINKED_BYTES = 4  # lines up to this length never count as links, because they may be footnote marks
ROUNDING = 1e-6  # bytes; a share that is exactly a limit is not above it
TITLE_LINKED = 0.6  # link share of a line that names another article

_CODE, _PARAGRAPH = frozenset({"pre"}), frozenset({"p"})
_TITLE_PARTS = re.compile(r"\s[-–—:·]\s|[|_»]")
_HOST = re.compile(r"(?:https?:)?//(?:www\.)?([^/?#]+)", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_BETWEEN = "\0"  # libxml2 ends a text at this character, so no line contains it


class Lines:
    """The text lines of a page in document order; all sequences have one entry per line.

    `texts`; `paths`: of the line's block, in `trie`; `items`: number of the last <li>, <dt>, <dd> or <tr> that began;
    `widths` and `linked_bytes`: UTF-8 bytes of the text and of its part inside links; `width` and `linked` are the
    same as float32 arrays. `continued`: whether the line follows a <br>. `links`: of each link, the number of the line
    that contains or follows it; `link_elements`: the links themselves. `media` (images and players): numbers of lines,
    paths of the blocks, elements. `blocks`: the block of each line; `root`: the element below which they were read,
    without hidden elements if `hide`. `url`: the page's, if it is known.
    """

    def __init__(self, trie: PathTrie, walked: Walked):
        """Take the lines of a walk, whose paths are in `trie`."""
        self.trie = trie
        self.texts, self.paths, self.items = walked.texts, walked.paths, walked.items
        self.continued, self.media = walked.continued, walked.media
        self.links, self.link_elements, self.blocks = walked.links, walked.link_elements, walked.blocks
        self.url: str | None = None
        self.root: etree._Element | None = None
        self.hide = True
        self.widths = list(map(float, walked.widths))
        self.linked_bytes = [
            0.0 if not inside else inside * width / len(text) if inside < len(text) else width
            for text, inside, width in zip(walked.texts, walked.link_chars, self.widths, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def characters(self) -> int:
        """The length of all texts."""
        return sum(map(len, self.texts))

    @cached_property
    def prose(self) -> float:
        """The bytes outside links in lines with at least a sentence outside links."""
        both = zip(self.widths, self.linked_bytes, strict=True)
        return sum([width - linked for width, linked in both if width - linked >= SENTENCE])

    @cached_property
    def lowered(self) -> list[str]:
        """The lines in lower case."""
        return [text.lower() for text in self.texts]

    @cached_property
    def keys(self) -> list[str]:
        """The lines in the form in which pages are compared: lower case, digits of short lines masked."""
        keys = self.lowered[:]
        short = [line for line, text in enumerate(keys) if len(text) <= MASKED_LENGTH]
        masked = without_digits([keys[line] for line in short])
        for line, key in zip(short, masked, strict=True):
            keys[line] = key
        return keys

    @cached_property
    def hashes(self) -> list[int]:
        """Hashes of `keys`."""
        return [hash(key) for key in self.keys]

    @cached_property
    def width(self) -> Floats:
        """`widths` as an array."""
        return np.array(self.widths, np.float32)

    @cached_property
    def linked(self) -> Floats:
        """`linked_bytes` as an array."""
        return np.array(self.linked_bytes, np.float32)

    @cached_property
    def weight(self) -> Floats:
        """The weight of each line in the search for the body; code has little."""
        return np.where(self.code, np.float32(CODE_WEIGHT), np.float32(1))

    @cached_property
    def are_code(self) -> list[bool]:
        """Whether a line is a <pre>."""
        return self.outline.lines_in(_CODE)

    @cached_property
    def are_headings(self) -> list[bool]:
        """Whether a line is in <h1> to <h6>."""
        return self.outline.lines_in(HEADINGS)

    @cached_property
    def code(self) -> Flags:
        """`are_code` as an array."""
        return np.array(self.are_code, np.bool_)

    @cached_property
    def headings(self) -> Flags:
        """`are_headings` as an array."""
        return np.array(self.are_headings, np.bool_)

    @cached_property
    def link_lines(self) -> list[bool]:
        """Whether a line consists mostly of links."""
        lines = zip(self.widths, self.linked_bytes, self.outline.lines_in(_PARAGRAPH), strict=True)
        return [
            linked > (LINKED_PARAGRAPH if paragraph else LINKED_LINE) * width + ROUNDING and width > LINKED_BYTES
            for width, linked, paragraph in lines
        ]

    @cached_property
    def teaser_lines(self) -> list[int]:
        """The lines that follow a linked one in the same block, as another article's summary follows its title."""
        if True not in self.continued:
            return []
        found = []
        titled = teaser = False
        for line, (width, linked) in enumerate(zip(self.widths, self.linked_bytes, strict=True)):
            before = titled
            titled = linked > TITLE_LINKED * width
            follows = line > 0 and self.continued[line] and self.paths[line] == self.paths[line - 1]
            teaser = follows and not titled and (before or teaser)
            if teaser:
                found.append(line)
        return found

    @cached_property
    def caption_lines(self) -> list[int]:
        """The lines below a picture in the same block, alone or after a <br>."""
        found: list[int] = []
        for index, path, element in self.media:
            if index < len(self) and self.continued[index] and self.paths[index] == path:
                last = index + 1 == len(self) or self.paths[index + 1] != path or not self.continued[index + 1]
                if last and KINDS[element.tag] == IMAGE and self.trie.tag[path] != "p":
                    found += [index] if self.widths[index] <= CAPTION_WIDTH else []
        return found

    @cached_property
    def hrefs(self) -> list[str]:
        """The targets of the links as written on the page; "" for a link without one."""
        return self.link_elements.values("href")

    @cached_property
    def _host(self) -> str:
        """The host that most links name: the page's own; "" if most name none."""
        return Counter(map(_host_of, self.hrefs)).most_common(1)[0][0] if self.hrefs else ""

    def leads_away(self, href: str) -> bool:
        """Whether a link of the page names another host than most links do."""
        return _host_of(href) not in ("", self._host)

    @cached_property
    def outline(self) -> Outline:
        """The part of the trie that contains this page's paths."""
        return Outline(self.trie, self.paths)

    def forget_elements(self) -> None:
        """Release the elements, which keep the page's tree in memory."""
        self.links, self.link_elements, self.media = [], ElementList(), []
        self.blocks, self.root = ElementList(), None

    def move_to(self, trie: PathTrie) -> None:
        """Express the lines' paths in another trie."""
        self.paths = trie.copy_from(self.trie, self.paths)
        self.trie = trie
        self.__dict__.pop("outline", None)


def _host_of(href: str) -> str:
    address = _HOST.match(href)
    return address[1].lower() if address else ""


def without_digits(texts: list[str]) -> list[str]:
    """Return texts of lines with one 0 for the digits in a row."""
    return _DIGITS.sub("0", _BETWEEN.join(texts)).split(_BETWEEN) if texts else []  # one call is faster than many


def read_lines(root: etree._Element, trie: PathTrie) -> Lines:
    """Return the text lines below `root`; their paths are interned in `trie`.

    `root` is changed to the tree that readers see if the page contains elements that its scripts move into place, or
    shows almost nothing and has hidden text.
    """
    body = next(root.iterchildren("body"), root)
    lines, noted = _walk(body, trie)
    for _ in range(MAX_REVEALED):
        if not noted or not reveal(noted):
            break
        lines, noted = _walk(body, trie)
    if lines.prose >= SHORT_PROSE:
        return lines
    if reveal(body.iter("svg")):
        return read_lines(root, trie)
    found = _hidden_lines(body, trie, lines, noted, _title(root)) if noted else None
    return found or (lines if lines.characters >= MIN_SHOWN else _misplaced_lines(root, trie) or lines)


def _hidden_lines(
    body: etree._Element, trie: PathTrie, shown: Lines, noted: list[etree._Element], title: str
) -> Lines | None:
    """Return hidden text, or text for readers without scripts, if a page shows almost nothing, or nothing of its title;
    None if there is little such text.
    """
    empty = shown.prose < LITTLE_PROSE and shown.characters < LITTLE_TEXT
    if not empty and has_title(shown, title):
        return None
    closed = [element for element in noted if element.tag in CLOSED]
    changed: list[tuple[etree._Element, str]] = []
    for opened, hide in ((False, False), (True, True), (True, False)):
        if 3 * sum(len(inner_text(element)) for element in (closed if opened else noted)) < HIDDEN_PROSE:
            break  # a character has up to three bytes
        if opened:
            changed += open_all(body)
        found, _ = _walk(body, trie, hide)
        if found.prose >= max(HIDDEN_PROSE, HIDDEN_TIMES * shown.prose) and (empty or has_title(found, title)):
            return found
    for element, tag in changed:  # `shown` is the text of the tree as it was
        element.tag = tag
    return None


def _misplaced_lines(root: etree._Element, trie: PathTrie) -> Lines | None:
    """Return short hidden text, or what the parser left in a <head> that the page never closed."""
    for part, hide in ((root.find("body"), False), (root.find("head"), True)):
        if part is not None:
            lines, _ = _walk(part, trie, hide)
            if lines.characters >= MIN_SHOWN:
                return lines
    return None


def _title(root: etree._Element) -> str:
    return next((title.text or "" for title in root.iter("title")), "").lower()


def has_title(lines: Lines, title: str) -> bool:
    """Return whether a line is the main part of the page's title (lower case), or most of it."""
    part = main_part(title)
    return any(part in text or (2 * len(text) > len(part) and text in part) for text in lines.lowered)


def main_part(title: str) -> str:
    """Return the longest part of a page's title; the other parts usually name the site."""
    return " ".join(max(_TITLE_PARTS.split(title), key=len).split())


def _walk(body: etree._Element, trie: PathTrie, hide: bool = True) -> tuple[Lines, list[etree._Element]]:
    """Return the lines below `body`, and the elements to examine."""
    walked = walk(body, trie, hide, MAX_LINES)
    lines = Lines(trie, walked)
    lines.root, lines.hide = body, hide
    return lines, walked.noted
