"""Loops of `line_membership` over lines and paths, in plain lists.

`outline` and `trie` are the page's (see `paths`). Flags are lists with one entry a line.
"""

from typing import TYPE_CHECKING

from ..html.class_names import NOISE_TAGS
from ..html.paths import CAPTION as CAPTION_MARK
from ..html.paths import COMMENT, EMBED, FIGURE_CONTENT, PLAIN

if TYPE_CHECKING:
    from ..html.paths import Outline, PathTrie

WRAPPER_SHARE = 0.15  # share of the content from which a wrapper below the root counts as part of the body
NAMED_SHARE = 0.3  # the same for an element whose name means noise

OUTSIDE, NOISE_ELEMENT, COMMENTS, NAMED_NOISE, CAPTION, IN_SEGMENT, IN = 0, 1, 2, 3, 4, 5, 6
OUT = 3  # the largest value of a path that is out
STRONG, LISTING, CELLS, CONTENT = 1, 2, 4, 8


def standing_of_paths(
    outline: "Outline", trie: "PathTrie", root: int, shares: list[float], noise: list[int], strong: frozenset[int]
) -> list[int]:
    """Return, for each path of the outline that has lines, its relation to the body below `root`.

    `shares` of the content and `noise`: by number; `strong`: the leaves where the example has most of its body.
    """
    paths, above, tags = outline.paths, outline.parent, outline.tags
    families, marks, classes = trie.family, trie.mark, trie.classes
    family = families[root]
    standing = [OUTSIDE] * len(paths)
    below = [0] * len(paths)
    for number in range(1, len(paths)):
        place, path = above[number], paths[number]
        below[number] = 1 if below[place] or families[path] == family else 0
    for place in outline.places:
        if below[place]:
            below[place] = 2
    known: dict[int, int] = {}
    for number in range(1, len(paths)):
        if below[number] == 2:
            path = paths[number]
            passed = STRONG if strong and trie.leaf(path) in strong else 0
            standing[number] = _climbed(
                number, passed, family, paths, above, tags, families, marks, classes, shares, noise, known
            )
    return standing


def _climbed(
    number: int,
    passed: int,
    family: int,
    paths: list[int],
    above: list[int],
    tags: list[str],
    families: list[int],
    marks: list[int],
    classes: list[str],
    shares: list[float],
    noise: list[int],
    known: dict[int, int],
) -> int:
    """Return the relation of a path to the body: the outermost and the worst element up to the root decide.

    The content of the path is a sum of `STRONG` (the example has its body there), `LISTING` (code or an embedded
    post), `CELLS` (a table's) and `CONTENT` (something that a <figure> may contain besides pictures). `known`: what
    was found before, by number and sum.
    """
    way, own = [], []
    result = IN
    while True:
        if not number:
            result = OUTSIDE
            break
        path = paths[number]
        if families[path] == family:
            result = IN
            break
        key = 16 * number + passed
        result = known.get(key, -1)
        if result >= 0:
            break
        tag = tags[number]
        mark = marks[path]
        if mark == EMBED or tag in ("pre", "code"):
            passed |= LISTING
        evidence = _evidence(tag, mark, passed, noise[number], shares[number], classes[path])
        way.append(key)
        own.append(evidence)
        if evidence <= OUT:
            result = evidence
            break
        if tag in FIGURE_CONTENT:
            passed |= CONTENT
        if tag in ("td", "th"):
            passed |= CELLS
        number = above[number]
    for step in range(len(way) - 1, -1, -1):
        evidence = own[step]
        result = evidence if evidence < result else result
        known[way[step]] = result
    return result


def _evidence(tag: str, mark: int, passed: int, noise: int, share: float, classes: str) -> int:
    """Return the evidence of an element alone."""
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
    if noise and share < NAMED_SHARE:
        return NAMED_NOISE
    if share < WRAPPER_SHARE and not passed & CELLS and classes and tag not in PLAIN and tag != "figure":
        return IN_SEGMENT
    return IN


def standing_of_lines(standing: list[int], places: list[int]) -> list[int]:
    """Return the relation of each line to the body. `standing`: of the paths."""
    return [standing[place] for place in places]


def inside_body(standing: list[int], head: int, tail: int) -> tuple[list[bool], list[int]]:
    """Return whether each line is in the body, and the lines from `head` to before `tail` that may be.

    `standing`: of the lines.
    """
    kept, doubtful = [], []
    for line in range(len(standing)):
        relation = standing[line]
        kept.append(relation == IN)
        if relation == IN_SEGMENT and head <= line < tail:
            doubtful.append(line)
    return kept, doubtful


def unlinked_lines(kept: list[bool], links: list[bool]) -> tuple[list[bool], list[int]]:
    """Return `kept` without the lines that are links, and these lines."""
    found, among = [], []
    for line in range(len(kept)):
        stays, link = kept[line], links[line]
        found.append(stays and not link)
        if stays and link:
            among.append(line)
    return found, among


def caption_lines(standing: list[int], kept: list[bool], under_picture: set[int], head: int, tail: int) -> list[int]:
    """Return the captions among the lines from `head` to before `tail` that are not kept. `standing`: of the lines."""
    found = []
    for line in range(head, tail):
        relation = standing[line]
        if not kept[line] and (relation == CAPTION or (relation > OUT and line in under_picture)):
            found.append(line)
    return found
