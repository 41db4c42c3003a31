"""The page's tree below the body's root → a flat list of events, each text with the number of its line.

The rules of the walk (`html.python_walk`) decide where a line ends and which elements are read, so the numbers are
those of `Lines`. What the walk skips and a reader sees is an event too: pictures, players, formulas, boxes of tasks.
"""

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from lxml import etree

from ..html.dom import inner_text
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

START, END, TEXT, CODE, NEW_LINE, PICTURE, EMBEDDED, FORMULA, TASK = range(9)
NO_LINE = -1
# Elements that are understood by what is around them: the language of code, the list of an item.
PARTS = frozenset({
    "p", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ul", "ol", "dt", "dd", "dl", "blockquote", "figure", "td",
    "th", "tr", "thead", "tbody", "table",
})  # fmt: skip
NAMES_LENGTH = 300  # characters of a class attribute that are read
_LINE_NUMBERS = re.compile(r"(?:^|[\s-])(?:gutter|lineno|linenos|linenumber|line-numbers?|ln|lnt|ln-numbers)(?:\s|$)")
MAX_NOSCRIPT = 20  # pictures within a <noscript>


@dataclass(slots=True)
class Events:
    """Events in document order, as lists of equal length.

    `values`: of a start or a medium the element, of an end the place of its start, of a text the text, of code the
    <pre> and its text. `lines`: of a text or code the number of its line, of a medium that of the line that contains or
    follows it. `ends`: of a start the place of its end.
    """

    kinds: list[int] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    ends: dict[int, int] = field(default_factory=dict)

    def add(self, kind: int, value: Any, line: int = NO_LINE) -> None:
        """Add an event."""
        self.kinds.append(kind)
        self.values.append(value)
        self.lines.append(line)


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


def read_events(top: Top) -> Events:
    """Return the events of an element and all that is in it."""
    events = Events()
    add, lines = events.add, events.lines
    number, depth, hide = top.number, top.depth - 1, top.hide
    pending: list[int] = []  # places of the texts of the line that is being read
    begun = False  # whether that line has a text
    opened: list[int] = []  # places of the open elements' starts
    skipped: etree._Element | None = None

    def flush() -> None:
        nonlocal number, begun
        if begun:
            for place in pending:
                lines[place] = number
            number += 1
            begun = False
        pending.clear()

    def write(text: str) -> None:
        nonlocal begun
        if begun or not text.isspace():
            begun = True
            pending.append(len(lines))
            add(TEXT, text)

    walker = etree.iterwalk(top.element, events=("start", "end"))
    for event, node in walker:
        kind = KINDS.get(node.tag, INLINE)
        flat = depth >= MAX_DEPTH
        if event == "start":
            hidden = kind <= PRE and hide and not flat and bool(names := node.keys()) and is_hidden(node, names)
            if hidden and node is top.element:
                hidden = False
            if (kind >= PRE and not (flat and kind == PRE)) or hidden:
                if (kind in (PRE, BREAK) and not hidden) or (flat and kind != IMAGE):
                    flush()
                if kind == BREAK:
                    add(NEW_LINE, None)
                elif kind in (IMAGE, PLAYER):
                    add(PICTURE if kind == IMAGE else EMBEDDED, node, number)
                elif kind > PRE:
                    _add_skipped(events, node, number)
                elif not hidden and (code := _code(node)) is not None:
                    add(CODE, (node, code), number)
                    number += 1
                skipped = node
                walker.skip_subtree()
                continue
            if kind >= BLOCK:
                flush()
            depth += 1
            opened.append(len(lines))
            add(START, node)
            if text := node.text:
                write(text)
            continue
        if node is skipped:
            skipped = None
        else:
            depth -= 1
            if kind >= BLOCK:
                flush()
            start = opened.pop()
            events.ends[start] = len(lines)
            add(END, start)
        if (text := node.tail) and node is not top.element:
            write(text)
    return events


def _code(pre: etree._Element) -> str | None:
    """Return the text of a <pre> with its line breaks, without the numbers of its lines; None if it has no text."""
    parts: list[str] = []
    has_text = False
    walker = etree.iterwalk(pre, events=("start", "end"))
    skipped: etree._Element | None = None
    for event, node in walker:
        kind = KINDS.get(node.tag, INLINE)
        if event == "start":
            hidden = kind < BREAK and node is not pre and is_hidden(node, node.keys())
            numbers = kind < BREAK and node is not pre and not hidden and _numbers_lines(node)
            if kind >= BREAK or hidden or numbers:
                skipped = node
                has_text |= numbers
                walker.skip_subtree()
                if kind == BREAK:
                    parts.append("\n")
            elif node.text:
                parts.append(node.text)
        elif node is not pre:
            if BLOCK <= kind <= PRE and node is not skipped and parts and parts[-1][-1] != "\n":
                parts.append("\n")
            if node.tail:
                parts.append(node.tail)
    code = "".join(parts).strip("\n")
    return code if has_text or (code and not code.isspace()) else None


def _numbers_lines(element: etree._Element) -> bool:
    """Whether an element within code only contains the numbers of its lines."""
    words = inner_text(element).split() if _LINE_NUMBERS.search((element.get("class") or "")[:NAMES_LENGTH]) else []
    return bool(words) and all(word.isdecimal() for word in words)


def _add_skipped(events: Events, node: etree._Element, number: int) -> None:
    """Add the event of an element that has no text for the walk, if it shows something."""
    tag = node.tag
    if tag == "math" or (tag == "script" and "math/tex" in (node.get("type") or "")):
        events.add(FORMULA, node, number)
    elif tag == "input" and (node.get("type") or "").lower() == "checkbox":
        events.add(TASK, node.get("checked") is not None, number)
    elif tag == "noscript":
        for picture in islice(node.iter("img"), MAX_NOSCRIPT):
            events.add(PICTURE, picture, number)
