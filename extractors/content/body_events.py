"""The page's tree below the body's root → a flat list of events: the kept texts, and what HTML says about them.

The rules of the walk (`html.python_walk`) decide where a line ends and which elements are read, so the numbers of lines
are those of `Lines`. What the walk skips and a reader sees is an event too: pictures, players, formulas, boxes of
tasks. An element in which nothing is kept leaves its line breaks, or, if it is a block, an event of its own.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from lxml import etree

from ..article import Kind
from ..html.elements import (
    BLOCK,
    BREAK,
    IMAGE,
    INLINE,
    KINDS,
    LINK,
    MAX_DEPTH,
    PLAYER,
    PRE,
    is_hidden,
)
from ..html.lines import Lines
from .pictures import STYLE_LENGTH

(
    START, END, START_INLINE, END_INLINE, BORDER, EMPTY, TEXT, CAPTION, CODE, NEW_LINE, PICTURE, EMBEDDED, FORMULA, TASK
) = range(14)  # fmt: skip
Event = tuple[int, Any]
_OPENED, _END, _END_INLINE = (START, None), (END, None), (END_INLINE, None)
_BORDER, _NEW_LINE = (BORDER, None), (NEW_LINE, None)
# What is in an element
HAS_PROSE, HAS_CODE, HAS_CAPTION, HAS_EMBED, HAS_OTHER, HAS_MEDIUM, HAS_TABLE = (1 << bit for bit in range(7))
HAS_TEXT = HAS_PROSE | HAS_CODE
HAS_KEPT = HAS_TEXT | HAS_CAPTION
_HELD: dict[Kind | None, int] = {None: HAS_OTHER, "caption": HAS_CAPTION, "embed": HAS_PROSE | HAS_EMBED}
# Elements that are understood by what is around them: the language of code, the list of an item.
PARTS = frozenset({
    "p", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ul", "ol", "dt", "dd", "dl", "blockquote", "figure", "td",
    "th", "tr", "thead", "tbody", "table",
})  # fmt: skip
HEADINGS = {"h1": "h2", "h2": "h2", "h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6"}
INLINE_MEANINGS = {
    "b": "strong", "strong": "strong", "i": "em", "em": "em", "cite": "cite", "sub": "sub", "sup": "sup", "del": "del",
    "s": "del", "strike": "del", "ins": "ins", "mark": "mark", "code": "code", "tt": "code", "kbd": "kbd",
    "samp": "samp",
}  # fmt: skip
ROWS = frozenset({"table", "thead", "tbody", "tfoot"})
PARENTS = {"dt": {"dl"}, "dd": {"dl"}, "tr": ROWS, "td": {"tr"}, "th": {"tr"}, "summary": {"details"}}
PARENTS |= {tag: {"table"} for tag in ("thead", "tbody", "tfoot", "caption")}
OWN = {"ul": "ul", "menu": "ul", "dir": "ul", **{tag: tag for tag in ("ol", "li", "dl", "blockquote", "details")}}
OWN |= HEADINGS | {tag: tag for tag in PARENTS}
MEANT = frozenset({*INLINE_MEANINGS, *OWN, "a", "figure", "table", "mjx-math"})
STYLED = frozenset({"span", "font"})  # have a meaning by their attributes
_DRAWN = re.compile(r"(?:^|\s)(?:katex-html|MathJax(?:_Display|_SVG|_CHTML|_Preview)?)(?:\s|$)")
_DRAWN_BY = frozenset({"span", "mjx-math"})
MAX_NOSCRIPT = 20  # pictures within a <noscript>


class Events(NamedTuple):
    """Events in document order, and the HTML of all media.

    Values: of the start of a block its tag, the element and what is in it; of an inline one, and of a block in which
    nothing is kept, its tag and the element; of a text the text, in a caption with the number of its line; of code the
    <pre> and its text; of a medium its HTML; of a task whether it is done.
    """

    events: list[Event]
    media: list[str]


@dataclass(frozen=True, slots=True)
class Top:
    """The smallest block that contains the body.

    `number`: of its first line; `depth`: levels below the element from which the page was walked.
    """

    element: etree._Element
    number: int
    depth: int
    hide: bool


def top_of(lines: Lines, first: int, last: int) -> Top | None:
    """Return the smallest block that contains the lines `first` to `last`; None if their elements are not known."""
    if lines.root is None or last >= len(lines.blocks):
        return None
    chain = [lines.blocks[first], *lines.blocks[first].iterancestors()]
    end = lines.blocks[last]
    above = {end, *end.iterancestors()}
    top = next(element for element in chain if element in above)
    while (top.tag in PARTS or KINDS.get(top.tag, INLINE) <= LINK) and top is not lines.root:
        top = chain[chain.index(top) + 1]
    inside = set(islice(chain, chain.index(top) + 1))  # elements known to be in `top`
    number = first
    while number and _is_within(lines.blocks[number - 1], top, inside):
        number -= 1
    depth = chain.index(lines.root) - chain.index(top)
    return Top(top, number, depth, lines.hide)


def _is_within(element: etree._Element, top: etree._Element, inside: set[etree._Element]) -> bool:
    passed = []
    found: etree._Element | None = element
    while found is not None and found not in inside:
        passed.append(found)
        found = found.getparent()
    if found is not None:
        inside.update(passed)
    return found is not None


def read_events(top: Top, kinds: Mapping[int, Kind], medium: Callable[[int, etree._Element], str]) -> Events:
    """Return the events of an element and all that is in it.

    `kinds`: of the lines that are kept, at least one; `medium`: returns the HTML of a picture, player or formula.
    """
    events: list[Event] = []
    media: list[str] = []
    add, kind_of = events.append, KINDS.get
    root, number, hide = top.element, top.number, top.hide
    deepest, first, last = MAX_DEPTH - top.depth + 1, min(kinds), max(kinds) + 1
    # The open elements: their kinds, siblings that follow, places of the first event, `inside` and `breaks` before it
    opened: list[tuple[etree._Element, int, Iterator[etree._Element], int, int, int]] = []
    siblings = iter((root,))
    inside = breaks = 0  # what is in the innermost open element; how many <br> were read
    of_line = 0  # what is in the line that is being read; 0: it has no text until now
    shown = ""  # the last medium, until a text is kept

    def read(text: str) -> None:
        nonlocal inside, of_line, shown
        of_line = of_line or _HELD.get(kinds.get(number), HAS_PROSE)
        inside |= of_line
        if of_line != HAS_OTHER:
            shown = ""
            add((CAPTION, (number, text)) if of_line == HAS_CAPTION else (TEXT, text))

    while True:
        node = next(siblings, None)
        if node is not None:
            kind, place = kind_of(node.tag, INLINE), -1
            flat = len(opened) >= deepest
            names: Sequence[str | bytes] = node.keys() if kind <= PRE else ()
            hidden = bool(names) and hide and not flat and is_hidden(node, names) and node is not root
            if (kind >= PRE and not (flat and kind == PRE)) or hidden:
                if of_line and ((kind in (PRE, BREAK) and not hidden) or (flat and kind != IMAGE)):
                    number += 1
                    of_line = 0
                if kind == BREAK:
                    breaks += 1
                    add(_NEW_LINE)
                elif kind > PRE:
                    for what, value in _skipped(node, kind):
                        if what == TASK:
                            if node.get("disabled") is not None:  # no control: it may be all of a label
                                inside |= HAS_MEDIUM
                            add((TASK, value))
                        elif first <= number <= last and (html := medium(what, value)) and html != shown:
                            shown = html
                            inside |= HAS_MEDIUM
                            media.append(html)
                            add((what, html))
                elif not hidden and (code := _code(node)) is not None:
                    holds = _HELD.get(kinds.get(number), HAS_PROSE)
                    inside |= holds ^ (HAS_PROSE | HAS_CODE) if holds & HAS_PROSE else holds
                    if holds != HAS_OTHER:
                        shown = ""
                        add((CODE, (node, code)))
                    number += 1
            else:
                if kind >= BLOCK and of_line:
                    number += 1
                    of_line = 0
                place, outside, breaks_before = len(events), inside, breaks
                inside = 0
                if node.tag in MEANT or (names and node.tag in STYLED):
                    add(_OPENED)
                elif kind >= BLOCK:
                    add(_BORDER)
                if (text := node.text) and (of_line or not text.isspace()):
                    read(text)
                if len(node):
                    opened.append((node, kind, siblings, place, outside, breaks_before))
                    siblings = iter(node)
                    continue
        elif opened:
            node, kind, siblings, place, outside, breaks_before = opened.pop()
        else:
            return Events(events, media)
        if place >= 0:
            tag = node.tag
            if kind >= BLOCK and of_line:
                number += 1
                of_line = 0
            if not inside & HAS_KEPT and (inside & HAS_OTHER or not inside & HAS_MEDIUM):
                del events[place:]
                if kind >= BLOCK:
                    add((EMPTY, (tag, node)))
                else:  # a third one would change nothing
                    events += [_NEW_LINE] * min(2, breaks - breaks_before)
            elif kind >= BLOCK:
                if events[place] is _OPENED or inside & HAS_KEPT == HAS_CAPTION:
                    events[place] = START, (tag, node, inside)
                    add(_END)
                else:
                    add(_BORDER)
            elif events[place] is _OPENED:
                if tag in _DRAWN_BY and _is_drawn_formula(node):
                    del events[place:]
                else:
                    events[place] = START_INLINE, (tag, node)
                    add(_END_INLINE)
            inside |= outside
            if tag == "table":
                inside |= HAS_TABLE
        if node is not root and (text := node.tail) and (of_line or not text.isspace()):
            read(text)


def _is_drawn_formula(element: etree._Element) -> bool:
    """Whether an element is what a script made of a formula whose source is beside it."""
    if element.tag == "span" and not _DRAWN.search((element.get("class") or "")[:STYLE_LENGTH]):
        return False
    beside = [near for near in (element.getprevious(), element.getnext()) if near is not None]
    is_script = beside and beside[-1].tag == "script" and "math/tex" in (beside[-1].get("type") or "")
    return bool(is_script) or any(next(near.iter("math"), None) is not None for near in beside)


def _code(pre: etree._Element) -> str | None:
    """Return the text of a <pre> with its line breaks; None if it has no text."""
    parts: list[str] = []
    walker = etree.iterwalk(pre, events=("start", "end"))
    skipped: etree._Element | None = None
    for event, node in walker:
        kind = KINDS.get(node.tag, INLINE)
        if event == "start":
            names: Sequence[str] = node.keys() if kind < BREAK and node is not pre else ()
            hidden = bool(names) and is_hidden(node, names)
            if kind >= BREAK or hidden:
                skipped = node
                walker.skip_subtree()
                if kind == BREAK:
                    parts.append("\n")
            elif text := node.text:
                parts.append(text)
        elif node is not pre:
            if BLOCK <= kind <= PRE and node is not skipped and parts and parts[-1][-1] != "\n":
                parts.append("\n")
            if text := node.tail:
                parts.append(text)
    code = "".join(parts).strip("\n")
    return code if code and not code.isspace() else None


def _skipped(node: etree._Element, kind: int) -> Iterator[tuple[int, Any]]:
    """Yield the kinds and values of the events of an element that has no text for the walk."""
    tag = node.tag
    if kind == IMAGE:
        yield PICTURE, node
    elif kind == PLAYER:
        yield EMBEDDED, node
    elif tag == "math" or (tag == "script" and "math/tex" in (node.get("type") or "")):
        yield FORMULA, node
    elif tag == "input" and (node.get("type") or "").lower() == "checkbox":
        yield TASK, node.get("checked") is not None
    elif tag == "noscript":
        for picture in islice(node.iter("img"), MAX_NOSCRIPT):
            yield PICTURE, picture
