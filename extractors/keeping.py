"""Which lines below the body's root belong to it: by the elements between, by links, by what pictures stand above.

A path stands `OUT` (noise by its element or by its name), is a `CAPTION`, counts `IN_SEGMENT` only (a wrapper with a
class that holds little of the content: a box, or a heading in a wrapper of its own) or is `IN`.
"""

import numpy as np
from numpy.typing import NDArray

from .lines import CAPTION_WIDTH, Flags, Lines
from .names import NOISE_TAGS
from .paths import CAPTION as CAPTION_MARK
from .paths import COMMENT, EMBED, FIGURE_CONTENT, HEADINGS, PLAIN
from .priors import Prior
from .profile import Profile

WRAPPER_SHARE = 0.15  # share of the content from which a wrapper below the root counts as part of the body
NAMED_SHARE = 0.3  # the same for an element named as noise
CAPTION_SHARE = 0.4  # the same below which an element with a picture holds it and its caption
LEAF_SHARE = 0.5  # share of the example's body from which a path is exempt from both
LINKED_PARAGRAPH, LINKED_LINE = 0.75, 0.6  # link share from which a <p> (flat from .7 to .8), any other line is a link
LINKED_BYTES = 4  # shorter lines may be links: footnote marks
LINKED_LIST = 0.6  # link share from which a list or table as a whole is links
LIST_TAGS = frozenset({"li", "td", "dd"})
LINKED_PROSE = 0.4  # link share up to which a line is the prose that a linked heading may introduce
ADDRESS = ("http://", "https://", "www.")  # a link that shows its address is the author's reference
HEADING_REACH = 3  # lines in which that prose must follow
UNLINKED = 0.1  # link share of a lone line in a wrapper, up to which it may be part of the body
NEAR = 2  # lines before and after it in which the body must stand

OUT, CAPTION, IN_SEGMENT, IN = range(4)
Standing = NDArray[np.int8]


def standing_of(lines: Lines, root: int, shares: list[float], prior: Prior, profile: Profile) -> Standing:
    """Return, for each path of the outline that holds lines, how it stands to the body below `root`."""
    trie, outline = lines.trie, lines.outline
    standing = np.zeros(len(outline), np.int8)
    for number in set(outline.of_line.tolist()):
        strong = bool(profile.by_leaf) and profile.by_leaf.get(trie.leaf(outline.paths[number]), 0.0) >= LEAF_SHARE
        standing[number] = _stand(number, lines, trie.family[root], shares, prior, strong)
    return standing


def _stand(number: int, lines: Lines, family: int, shares: list[float], prior: Prior, strong: bool) -> int:
    """Return how a path stands; `strong`: the example writes its body there. Outermost and worst element decide."""
    trie, outline = lines.trie, lines.outline
    state = IN
    cells = listing = False  # whether a table's cell, or code or an embedded post, stands at or below the step
    content = False  # whether something that a <figure> may hold besides pictures does
    while number and trie.family[outline.paths[number]] != family:
        path = outline.paths[number]
        tag, mark = trie.tag[path], trie.mark[path]
        listing = listing or tag in ("pre", "code") or mark == EMBED
        if tag in ("figcaption", "caption") or (tag == "figure" and not content and not listing):
            state = min(state, CAPTION)
        elif tag in NOISE_TAGS or (not listing and mark == COMMENT):
            return OUT
        elif not listing and mark == CAPTION_MARK:
            state = min(state, CAPTION)
        elif not listing and not strong and prior.noise[number] and shares[number] < NAMED_SHARE:
            return OUT
        elif not listing and not strong and not cells and trie.is_wrapper(path) and shares[number] < WRAPPER_SHARE:
            state = min(state, IN_SEGMENT)
        content = content or tag in FIGURE_CONTENT
        cells = cells or tag in ("td", "th")
        number = outline.parent[number]
    return state if number else OUT


def is_heading(lines: Lines) -> Flags:
    """Whether a line stands in <h1> to <h6>."""
    outline, tag = lines.outline, lines.trie.tag
    return np.array([tag[path] in HEADINGS for path in outline.paths], np.bool_)[outline.of_line]


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
    """Whether the wrapper around a line holds no text but headings: others are a box with its own heading."""
    outline, trie = lines.outline, lines.trie
    others = outline.totals(np.where(is_heading(lines), np.float32(0), lines.width))
    wrapper = list(range(len(outline)))
    for number, path in enumerate(outline.paths):
        if number and trie.tag[path] in PLAIN:
            wrapper[number] = wrapper[outline.parent[number]]
    return np.array([not others[number] for number in wrapper], np.bool_)[outline.of_line]


def is_alone_among_body(lines: Lines, doubtful: Flags, sure: Flags, root: int) -> Flags:
    """Whether a doubtful line stands between the body's, in an element of its own beside them, no link or picture."""
    trie = lines.trie
    pictured = {path for _, path, *_ in lines.media}
    result = np.zeros(len(lines), np.bool_)
    for index in np.flatnonzero(doubtful & (lines.linked <= UNLINKED * lines.width)).tolist():
        path = lines.paths[index]
        if trie.family[trie.parent[path]] == trie.family[root] and path not in pictured:
            before, after = slice(max(0, index - NEAR), index), slice(index + 1, index + 1 + NEAR)
            result[index] = (sure[before] | result[before]).any() and sure[after].any()
    return result


def is_linked(lines: Lines) -> Flags:
    """Whether a line is little but links."""
    tag = lines.trie.tag
    limit = np.array([LINKED_PARAGRAPH if tag[path] == "p" else LINKED_LINE for path in lines.paths], np.float32)
    return (lines.linked > limit * lines.width) & (lines.width > LINKED_BYTES)


def without_links(lines: Lines, kept: Flags, headings: Flags, inside: Flags, root: int) -> Flags:
    """Return `kept` without lines that are links, but with linked items of a list or table that as a whole is none, and
    with linked headings before prose.
    """
    outline, trie = lines.outline, lines.trie
    links, widths = outline.direct(lines.linked), outline.direct(lines.width)
    linked = is_linked(lines)
    result = kept & ~linked
    for index in np.flatnonzero(kept & linked).tolist():
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
    tag = lines.trie.tag
    both = zip(lines.paths, lines.texts, strict=True)
    return np.array([tag[path] == "pre" and _counts(text) for path, text in both], np.bool_)


def _counts(text: str) -> bool:
    numbers = text.split()
    return numbers[0] == "1" and numbers == [str(number) for number in range(1, len(numbers) + 1)]
