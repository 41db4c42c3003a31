"""Which lines below the body's root belong to it: by the elements between, by links, and by pictures directly above.

A path is out of the body, a `CAPTION`, `IN_SEGMENT` (its lines belong to the body only within the segment: a wrapper
with a class and little of the content, such as a box or a heading of its own) or `IN`. What is out has its rule: it is
not below the root (`OUTSIDE`), or noise by its element, by its name as comments, or by another name.
"""

import numpy as np
from numpy.typing import NDArray

from ..html.class_names import NOISE_TAGS
from ..html.lines import CAPTION_WIDTH, Flags, Lines
from ..html.paths import CAPTION as CAPTION_MARK
from ..html.paths import COMMENT, EMBED, FIGURE_CONTENT, PLAIN
from .line_weights import Prior
from .profile import Profile

WRAPPER_SHARE = 0.15  # share of the content from which a wrapper below the root counts as part of the body
NAMED_SHARE = 0.3  # the same for an element named as noise
CAPTION_SHARE = 0.4  # the same below which an element with a picture holds it and its caption
LEAF_SHARE = 0.5  # share of the example's body from which a path is exempt from both
LINKED_LIST = 0.6  # link share from which a list or table as a whole is links
LIST_TAGS = frozenset({"li", "td", "dd"})
LINKED_PROSE = 0.4  # link share up to which a line is the prose that a linked heading may introduce
ADDRESS = ("http://", "https://", "www.")  # a link that shows its address is the author's reference
HEADING_REACH = 3  # lines in which that prose must follow
UNLINKED = 0.1  # link share of a lone line in a wrapper, up to which it may be part of the body
NEAR = 2  # lines before and after it in which the body must stand

OUTSIDE, NOISE_ELEMENT, COMMENTS, NAMED_NOISE, CAPTION, IN_SEGMENT, IN = range(7)
OUT = NAMED_NOISE  # the last of those that are out
STRONG, LISTING, CELLS, CONTENT = 1, 2, 4, 8
Standing = NDArray[np.int8]


def standing_of(lines: Lines, root: int, shares: list[float], prior: Prior, profile: Profile) -> Standing:
    """Return, for each path of the outline that has lines, its relation to the body below `root`."""
    outline, trie = lines.outline, lines.trie
    family = trie.family[root]
    climb = _Climb(lines, family, shares, prior.noise)
    standing = np.zeros(len(outline), np.int8)
    below = [False] * len(outline)
    for number in range(1, len(outline)):
        below[number] = below[outline.parent[number]] or trie.family[outline.paths[number]] == family
    for number in set(outline.of_line.tolist()):
        if not below[number]:
            continue
        usual = bool(profile.by_leaf) and profile.by_leaf.get(trie.leaf(outline.paths[number]), 0.0) >= LEAF_SHARE
        standing[number] = climb.stand(number, STRONG if usual else 0)
    return standing


class _Climb:
    """The path from a line up to the body's root; the outermost and the worst element decide.

    What the path contains is a sum of `STRONG` (the example writes its body there), `LISTING` (code or an embedded
    post), `CELLS` (a table's) and `CONTENT` (something that a <figure> may contain besides pictures).
    """

    def __init__(self, lines: Lines, family: int, shares: list[float], noise: list[int]) -> None:
        self._trie, self._outline = lines.trie, lines.outline
        self._family, self._shares, self._noise = family, shares, noise
        self._known: dict[tuple[int, int], int] = {}

    def stand(self, number: int, passed: int) -> int:
        """Return the relation of a path to the body."""
        known = self._known.get((number, passed))
        if known is None:
            known = self._known[number, passed] = self._stand(number, passed)
        return known

    def _stand(self, number: int, passed: int) -> int:
        if not number:
            return OUTSIDE
        path, tag = self._outline.paths[number], self._outline.tags[number]
        if self._trie.family[path] == self._family:
            return IN
        if tag in ("pre", "code") or self._trie.mark[path] == EMBED:
            passed |= LISTING
        own = self._own(number, path, tag, passed)
        if own <= OUT:
            return own
        passed |= (CONTENT if tag in FIGURE_CONTENT else 0) | (CELLS if tag in ("td", "th") else 0)
        return min(own, self.stand(self._outline.parent[number], passed))

    def _own(self, number: int, path: int, tag: str, passed: int) -> int:
        """Return the evidence of the element alone."""
        mark = self._trie.mark[path]
        if tag in ("figcaption", "caption") or (tag == "figure" and not passed & (CONTENT | LISTING)):
            return CAPTION
        if tag in NOISE_TAGS:
            return NOISE_ELEMENT
        if passed & LISTING:
            return IN
        if mark == COMMENT:
            return COMMENTS
        if mark == CAPTION_MARK:
            return CAPTION
        if passed & STRONG:
            return IN
        if self._noise[number] and self._shares[number] < NAMED_SHARE:
            return NAMED_NOISE
        boxed = self._shares[number] < WRAPPER_SHARE and not passed & CELLS and self._trie.is_wrapper(path)
        return IN_SEGMENT if boxed else IN


def is_under_picture(lines: Lines, candidates: Flags, root: int, shares: list[float]) -> Flags:
    """Whether a short line follows a picture in a small wrapper below the root: a caption, whatever its name.

    `shares`: of the content, by number in the outline.
    """
    trie = lines.trie
    short = candidates & (lines.width <= CAPTION_WIDTH)
    result = np.zeros(len(lines), np.bool_)
    for index, path, *_ in lines.media:
        if index < len(lines) and short[index] and not result[index]:
            around = set(trie.up(path))
            box = next((step for step in trie.up(lines.paths[index]) if step in around), 0)
            if trie.is_wrapper(box) and trie.family[box] != trie.family[root] and root in trie.up(box):
                result[index] = shares[lines.outline.number[box]] < CAPTION_SHARE
    return result


def is_alone_in_wrapper(lines: Lines) -> Flags:
    """Whether the wrapper around a line has no other text than headings; else it is a box with a heading."""
    outline, trie = lines.outline, lines.trie
    others = outline.totals(np.where(lines.headings, np.float32(0), lines.width))
    wrapper = list(range(len(outline)))
    for number, path in enumerate(outline.paths):
        if number and trie.tag[path] in PLAIN:
            wrapper[number] = wrapper[outline.parent[number]]
    return np.array([not others[number] for number in wrapper], np.bool_)[outline.of_line]


def is_alone_among_body(lines: Lines, doubtful: Flags, sure: Flags, root: int) -> Flags:
    """Whether a doubtful line is between lines of the body, alone in an element beside them, and no link or picture."""
    trie = lines.trie
    pictured = {path for _, path, *_ in lines.media}
    result = np.zeros(len(lines), np.bool_)
    for index in np.flatnonzero(doubtful & (lines.linked <= UNLINKED * lines.width)).tolist():
        path = lines.paths[index]
        if trie.family[trie.parent[path]] == trie.family[root] and path not in pictured:
            before, after = slice(max(0, index - NEAR), index), slice(index + 1, index + 1 + NEAR)
            result[index] = (sure[before] | result[before]).any() and sure[after].any()
    return result


def without_links(lines: Lines, kept: Flags, headings: Flags, inside: Flags, root: int) -> Flags:
    """Return `kept` without lines that are links.

    Linked items stay if the list or table as a whole is no list of links, and linked headings stay before prose.
    """
    outline, trie = lines.outline, lines.trie
    result = kept & ~lines.are_links
    among = np.flatnonzero(kept & lines.are_links).tolist()
    if not among:
        return result
    links, widths = outline.direct(lines.linked), outline.direct(lines.width)
    for index in among:
        number = outline.of_line[index]
        path = lines.paths[index]
        if trie.tag[path] in LIST_TAGS:
            result[index] = links[number] <= LINKED_LIST * widths[number]
        elif any(start in lines.texts[index] for start in ADDRESS):
            result[index] = inside[index]
        elif headings[index] and inside[index] and trie.family[trie.parent[path]] == trie.family[root]:
            result[index] = _prose_follows(lines, index, result, headings)
    return result


def _prose_follows(lines: Lines, index: int, kept: Flags, headings: Flags) -> bool:
    following = np.flatnonzero(kept[index + 1 : index + 1 + HEADING_REACH])
    if not len(following):
        return False
    prose = index + 1 + int(following[0])
    return not headings[prose] and bool(lines.linked[prose] < LINKED_PROSE * lines.width[prose])


def is_line_numbers(lines: Lines) -> Flags:
    """Whether a line is a <pre> that counts 1, 2, 3 …: the line numbers beside a listing."""
    flags = lines.code.copy()
    for index in np.flatnonzero(flags).tolist():
        flags[index] = _counts(lines.texts[index])
    return flags


def _counts(text: str) -> bool:
    numbers = text.split()
    return numbers[0] == "1" and numbers == [str(number) for number in range(1, len(numbers) + 1)]
