"""The choice of the body's lines below its root: by the elements between, and by pictures directly above.

A path is out of the body, a `CAPTION`, `IN_SEGMENT` (its lines belong to the body only within the segment: a wrapper
with a class and little of the content, such as a box or a heading of its own) or `IN`. A path that is out has
the rule as its value: not below the root (`OUTSIDE`), or noise by its element, by the name of comments, by another
name.
"""

from functools import cache

from ..html.lines import CAPTION_WIDTH, Lines
from ..html.paths import PLAIN
from .line_weights import Prior
from .membership_loops import (
    CAPTION,
    COMMENTS,
    IN,
    IN_SEGMENT,
    NAMED_NOISE,
    NOISE_ELEMENT,
    OUT,
    OUTSIDE,
    WRAPPER_SHARE,
    standing_of_lines,
    standing_of_paths,
)
from .profile import Profile

__all__ = [
    "CAPTION", "COMMENTS", "IN", "IN_SEGMENT", "NAMED_NOISE", "NOISE_ELEMENT", "OUT", "OUTSIDE", "WRAPPER_SHARE",
]  # fmt: skip

CAPTION_SHARE = 0.4  # share of the content below which an element with a picture holds it and its caption
UNLINKED = 0.1  # link share of a lone line in a wrapper, up to which it may be part of the body
NEAR = 2  # lines before and after it in which there must be body


def standing_of(lines: Lines, root: int, shares: list[float], prior: Prior, profile: Profile) -> list[int]:
    """Return the relation of each line to the body below `root`. `shares`: of the content, by path of the outline."""
    outline, trie = lines.outline, lines.trie
    of_paths = standing_of_paths(outline, trie, root, shares, prior.noise, profile.strong)
    return standing_of_lines(of_paths, outline.places)


def under_pictures(lines: Lines, standing: list[int], root: int, shares: list[float]) -> set[int]:
    """Return the short lines that follow a picture in a small wrapper below the root: captions of any name.

    `standing`: of the lines; `shares`: of the content, by number in the outline.
    """
    trie, width = lines.trie, lines.widths

    @cache
    def are_in_small_wrapper(picture: int, text: int) -> bool:
        around = set(trie.up(picture))
        box = next((step for step in trie.up(text) if step in around), 0)
        boxed = trie.is_wrapper(box) and trie.family[box] != trie.family[root] and root in trie.up(box)
        return boxed and shares[lines.outline.number[box]] < CAPTION_SHARE

    found: set[int] = set()
    for index, path, *_ in lines.media:
        if index >= len(width) or width[index] > CAPTION_WIDTH or standing[index] <= OUT or index in found:
            continue
        if are_in_small_wrapper(path, lines.paths[index]):
            found.add(index)
    return found


def are_alone_in_wrapper(lines: Lines) -> list[bool]:
    """Return whether the wrapper around each line has no other text than headings; else it is a box with a heading."""
    outline, trie = lines.outline, lines.trie
    others = outline.totals(
        [0.0 if heading else width for heading, width in zip(lines.are_headings, lines.widths, strict=True)]
    )
    wrapper = list(range(len(outline)))
    for number, path in enumerate(outline.paths):
        if number and trie.tag[path] in PLAIN:
            wrapper[number] = wrapper[outline.parent[number]]
    return [not others[wrapper[place]] for place in outline.places]


def alone_among_body(lines: Lines, doubtful: list[int], kept: list[bool], root: int) -> list[int]:
    """Return the doubtful lines between lines of the body: each alone in a sibling element, without link or picture."""
    trie = lines.trie
    pictured = {path for _, path, *_ in lines.media} if doubtful else set()
    found: list[int] = []
    for index in doubtful:
        path = lines.paths[index]
        if lines.linked_bytes[index] > UNLINKED * lines.widths[index]:
            continue
        if trie.family[trie.parent[path]] == trie.family[root] and path not in pictured:
            before = range(max(0, index - NEAR), index)
            if any(kept[line] or line in found[-NEAR:] for line in before) and any(kept[index + 1 : index + 1 + NEAR]):
                found.append(index)
    return found


def line_numbers(lines: Lines) -> list[int]:
    """Return the lines of each <pre> that contains only 1, 2, 3 …: the line numbers beside a listing."""
    if "pre" not in lines.outline.tags:
        return []
    return [index for index, code in enumerate(lines.are_code) if code and _counts(lines.texts[index])]


def _counts(text: str) -> bool:
    if text.split(maxsplit=1)[0] != "1":  # a listing may be long
        return False
    numbers = text.split()
    return numbers == [str(number) for number in range(1, len(numbers) + 1)]
