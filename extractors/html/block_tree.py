"""The block tags of a Ctext → a tree of the page's block elements, as far as methods need one.

End tags close the innermost open element of their name, but not across a table cell; elements whose end tag may be
omitted are closed where the next element of their kind begins. Browsers handle broken markup more precisely, but this
is enough here: a wrong end moves a border by a few elements.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from .tagless_text import Ctext

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
