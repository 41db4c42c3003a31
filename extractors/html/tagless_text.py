"""Page source → Ctext: its text without tags, but with their places; and a tree of its block elements.

In source 001, Ctext is the text that remains of a page when its tags are removed and its white space is kept. Its lines
are those of the file; ours end at the tags of block elements, because today's pages are written into few physical
lines. Methods that need only this work on it, since reading a whole tree would take longer than they do. What
they find is a range of lines (see `content.body_fragment`).

`build_tree` makes a tree of the block tags, as far as methods need one. End tags close the innermost open element of
their name, but not across a table cell; elements whose end tag may be omitted are closed where the next element of
their kind begins. Browsers handle broken markup more precisely, but this is enough here: a wrong end moves a border by
a few elements.
"""

import html
import re
from collections.abc import Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

# Most frequent first: the regular expression tries them in this order.
_BLOCKS = """div p li td br tr ul h2 h3 table h1 tbody dd dt section article dl th ol h4 header footer figure
    figcaption nav h5 h6 main aside blockquote center form pre hr address body html fieldset legend details summary
    dialog dir hgroup menu search caption colgroup col thead tfoot frameset frame noframes marquee"""
BLOCK_TAGS = frozenset(_BLOCKS.split())
RAW = ("script", "style")  # their end is the first end tag; without one, the end of the page
SKIPPED = ("noscript", "template", "svg", "select", "button", "textarea", "iframe", "object", "title")
END = "\x03"  # end of a line: a character that no page contains

_FORMS = [r"<!--[^-]*+(?:-(?!->)[^-]*+)*+(?:-->|\Z)"]
_FORMS += [rf"<{tag}\b[^<]*+(?:<(?!/{tag}\b)[^<]*+)*+(?:</{tag}\s*>|\Z)" for tag in RAW]
_FORMS += [rf"<{tag}\b[^<]*+(?:<(?!/?{tag}\b)[^<]*+)*+</{tag}\s*>" for tag in SKIPPED]
# The value of an attribute: `=` and a quoted value without brackets, or a value without quotation marks. A quoted value
# with brackets counts only if its end is before white space or the tag's end, and not where another value begins: if
# a quotation mark is missing, the value must not extend to the next one.
_PLAIN = r"""[^<>=]++|=\s*+(?:"[^"<>]*+"|'[^'<>]*+')|=(?!\s*+["'])"""
_BRACKETED = r"""=\s*+(?:"[^"]*+(?<!=)"|'[^']*+(?<!=)')(?=\s|/?>)"""
_WITH_BRACKETS = rf"(<[a-z](?:{_PLAIN})*+{_BRACKETED}(?:{_PLAIN}|{_BRACKETED})*+>?)"
_UNSEEN = re.compile("|".join(_FORMS), re.IGNORECASE)
_BRACKET = re.compile(r"""=\s*+(?:"[^"<>]*+[<>]|'[^'<>]*+[<>])""")  # without a match, no value contains brackets
_UNSEEN_OR_BRACKETS = re.compile("|".join([*_FORMS, _WITH_BRACKETS]), re.IGNORECASE)
_UNREAD = re.compile("|".join([*_FORMS[: 1 + len(RAW)], _WITH_BRACKETS]), re.IGNORECASE)
_CAPITALS = re.compile(r"</?[A-Z]\w*+")
_BODY = re.compile(r"<body\b|</head\b", re.IGNORECASE)
_BLOCK = re.compile(rf"(</?(?:{'|'.join(_BLOCKS.split())})(?:\s[^<>]*+)?/?>)")
_TAG = re.compile(rf"<[/!?a-zA-Z][^<>{END}]*+>")
_LINK = re.compile(r"<a\s(?!name=)[^<>]*+>[^<]*+(?:<(?!/?a\b)[^<]*+)*+")

CACHED = 20_000  # tags whose parsed form is cached
VOID = frozenset({"br", "hr", "col", "frame"})
CELLS = frozenset({"td", "th"})
TABLE = frozenset({"table", "tbody", "thead", "tfoot", "tr", "td", "th", "caption", "colgroup"})
# By element: the open elements directly above it that it closes, because they cannot contain it.
CLOSED_BY = {
    "li": frozenset({"p", "li"}),
    **dict.fromkeys(("dt", "dd"), frozenset({"p", "dt", "dd"})),
    **dict.fromkeys(("td", "th"), frozenset({"p", "td", "th"})),
    **dict.fromkeys(("tr", "tbody", "thead", "tfoot"), frozenset({"p", "td", "th", "tr"})),
}
PARAGRAPH = frozenset({"p"})
MAX_DEPTH = 256  # levels; deeper elements count for their ancestor

_NAME = re.compile(r"</?([a-z0-9]+)")
_PLACE = re.compile(r"""\s(?:class|id)\s*+=\s*+["']?+([^"'>]*+)""")


@dataclass(frozen=True)
class Ctext:
    """A page's text lines and the block tags between them: `tags[i]`, as written, ends line i.

    `head`: the source before the body.
    """

    head: str
    tags: list[str]
    _sources: list[str] = field(repr=False)  # the source of each line

    def __len__(self) -> int:
        return len(self._sources)

    @cached_property
    def lengths(self) -> Ints:
        """Characters of each line outside links, without white space; int64."""
        return np.fromiter(map(len, self.unlinked), np.int64, len(self))

    @cached_property
    def unlinked(self) -> list[str]:
        """The text of each line outside links, without white space."""
        return _without_blanks(_LINK.sub(lambda link: END * link[0].count(END), END.join(self._sources)))

    @cached_property
    def bare(self) -> list[str]:
        """The text of each line, without white space."""
        return _without_blanks(END.join(self._sources))

    @cached_property
    def widths(self) -> Ints:
        """The half-width characters of each line outside links, without white space; int64."""
        return _widths(self.unlinked)

    @cached_property
    def linked(self) -> Ints:
        """The half-width characters of each line inside links, without white space; int64."""
        return _widths(self.bare) - self.widths

    @cached_property
    def links(self) -> list[int]:
        """How many links begin in each line."""
        return [source.count("<a ") for source in self._sources]

    def text(self, line: int) -> str:
        """Return a line's text, links included."""
        return " ".join(_strip_tags(self._sources[line]).split())

    def between(self, first: int, end: int, dropped: Set[int] = frozenset()) -> str:
        """Return the source of the lines from `first` to before `end`, with the tag before and the tag after them.

        Of `dropped` lines only the tags are included, so that elements still open and close at the same places.
        """
        parts = [self.tags[first - 1]] if first else []
        for line, tag in zip(range(first, end), [*self.tags[first:end], ""], strict=False):
            parts += "" if line in dropped else self._sources[line], tag
        return "".join(parts)


def _widths(texts: list[str]) -> Ints:
    """Return the length of each text: 2 for a full-width character such as a Chinese one, 1 for a Latin one; int64.

    No byte of a Chinese character in GBK is that of `END`.
    """
    encoded = END.join(texts).encode("gbk", "replace").split(END.encode())
    return np.fromiter(map(len, encoded), np.int64, len(texts))


def read_ctext(source: str) -> Ctext:
    """Return the Ctext of a page's source. Linear in its length for any content."""
    source = source.replace(END, "")
    begin = _BODY.search(source)
    head, body = (source[: begin.start()], source[begin.start() :]) if begin else ("", source)
    seen = _UNSEEN.sub("", body)
    if _BRACKET.search(seen):
        seen = _UNSEEN_OR_BRACKETS.sub(lambda found: _escaped(found[1]) if found[1] else "", body)
    pieces = _BLOCK.split(_lower_tags(seen))
    return Ctext(head, pieces[1::2], pieces[::2])


def escape_values(source: str) -> str:
    """Return a page's source with `<` and `>` in attribute values as references, so that they end no tag. Linear."""
    return _UNREAD.sub(lambda found: _escaped(found[1]) if found[1] else found[0], source)


def _escaped(tag: str) -> str:
    if tag[-1] != ">":  # it extends into another tag, so it is not a tag
        return tag
    return f"<{tag[1:-1].replace('<', '&lt;').replace('>', '&gt;')}>"


def _lower_tags(source: str) -> str:
    return _CAPITALS.sub(lambda tag: tag[0].lower(), source) if _CAPITALS.search(source) else source


def _strip_tags(source: str) -> str:
    text = _TAG.sub("", source)
    return html.unescape(text) if "&" in text else text


def _without_blanks(source: str) -> list[str]:
    return "".join(_strip_tags(source).split()).split(END)


@dataclass(frozen=True, slots=True)
class BlockTree:
    """Elements by number, 0 the document, parents before children; one entry each.

    `tags`: names. `places`: class and id as written, "" for none. `parents`: numbers. `starts` and `ends`: their first
    line, and the one after their last. `of_line`: the element of each line.
    """

    tags: list[str]
    places: list[str]
    parents: list[int]
    starts: list[int]
    ends: list[int]
    of_line: list[int]

    def children(self) -> list[list[int]]:
        """Return the children of each element."""
        found: list[list[int]] = [[] for _ in self.tags]
        for number, parent in enumerate(self.parents[1:], 1):
            found[parent].append(number)
        return found

    def totals(self, amounts: list[int]) -> list[int]:
        """Return the sum of the lines' `amounts` at and below each element."""
        sums = [0] * len(self.tags)
        for element, amount in zip(self.of_line, amounts, strict=True):
            sums[element] += amount
        for number in range(len(sums) - 1, 0, -1):
            sums[self.parents[number]] += sums[number]
        return sums


def build_tree(ctext: Ctext) -> BlockTree:
    """Return the tree of a page's block elements."""
    names, places, parents, starts, ends, of_line = [""], [""], [0], [0], [0], [0]
    open_ = [0]
    top = 0  # the last of them
    absent: set[str] = set()  # names of which no element is open that an end tag may close
    for line, tag in enumerate(ctext.tags, 1):
        closing, name, place = _read_tag(tag)
        if closing:
            count = 1 if top and names[top] == name else 0 if name in absent else _closed(name, open_, names)
            if not count:
                absent.add(name)
            for _ in range(count):
                top = open_.pop()
                ends[top] = line
                if names[top] in CELLS:
                    absent.clear()
        elif name not in VOID:
            closed = CLOSED_BY.get(name, PARAGRAPH)
            while names[open_[-1]] in closed:
                top = open_.pop()
                ends[top] = line
                if names[top] in CELLS:
                    absent.clear()
            if len(open_) < MAX_DEPTH:
                absent.discard(name)
                parents.append(open_[-1])
                open_.append(len(names))
                names.append(name)
                places.append(place)
                starts.append(line)
                ends.append(line)
        top = open_[-1]
        of_line.append(top)
    for element in open_:
        ends[element] = len(ctext)
    return BlockTree(names, places, parents, starts, ends, of_line)


def _closed(name: str, open_: list[int], names: list[str]) -> int:
    """Return how many open elements an end tag closes; none if its element is not open."""
    for count, element in enumerate(reversed(open_), 1):
        if names[element] == name:
            return count if element else 0
        if names[element] in CELLS and name not in TABLE:
            break
    return 0


@lru_cache(CACHED)
def _read_tag(tag: str) -> tuple[bool, str, str]:
    name = _NAME.match(tag)
    return tag[1] == "/", name[1] if name else "", " ".join(_PLACE.findall(tag))
