"""The body's root: the deepest element that contains most of the evidence for a body.

Elements count by family (see `PathTrie.family`), so that a body split over sibling containers has one root.
"""

import numpy as np

from ..html.lines import Floats, Lines
from ..html.paths import HEADINGS, PLAIN, PathTrie

ROOT_SHARE = 0.75  # share of the content that the root must hold; flat from .75 to .9
BESIDE = 0.07  # share of the content directly in the root's parent, from which that is the root; flat from .05 to .1
PARTS = frozenset({"figure", "pre", "blockquote", "li", "dl"})  # never a whole body


def find_root(lines: Lines, content: Floats) -> int:
    """Return the deepest path whose family has most of the content; elements for parts of a text are not considered."""
    return root_and_shares(lines, content)[0]


def root_and_shares(lines: Lines, content: Floats) -> tuple[int, list[float]]:
    """Return the results of `find_root` and `family_shares`; one computation gives both."""
    trie, outline = lines.trie, lines.outline
    own = outline.totals(content)
    shares = _family_shares(lines, own)
    fit = [number for number in range(1, len(outline)) if shares[number] >= ROOT_SHARE]
    root = outline.paths[max(fit, key=lambda n: (trie.depth[outline.paths[n]], own[n]), default=0)]
    root = _climb(trie, root)
    for path in list(trie.up(root)):
        if trie.tag[path] in PARTS and trie.parent[path] > 0:
            root = trie.parent[path]
    root = _out_of_listing(lines, _climb(trie, root))
    if root and _is_paragraph(lines, root):
        root = trie.parent[root]
    return _with_beginning(lines, content, _climb(trie, root)), shares


def _out_of_listing(lines: Lines, root: int) -> int:
    """Return the root; if it contains only code, the element around it that has other text or is named as a body."""
    if not lines.code.any():
        return root
    outline, role = lines.outline, lines.trie.role
    other = outline.totals(np.where(lines.code, np.float32(0), lines.width))
    number = outline.number[root]
    while number and not other[number] and not role[outline.paths[number]].body:
        number = outline.parent[number]
    return outline.paths[number]


def _with_beginning(lines: Lines, content: Floats, root: int) -> int:
    """Return the root, or its parent if that has paragraphs too, such as those before the part behind a paywall."""
    outline, trie = lines.outline, lines.trie
    above = trie.parent[root]
    if above <= 0:
        return root
    beside = sum(
        amount
        for amount, path, tag in zip(outline.direct(content), outline.paths, outline.tags, strict=True)
        if amount and path != root and tag not in HEADINGS and _climb(trie, path) == above
    )
    return _climb(trie, above) if beside >= BESIDE * content.sum() else root


def family_shares(lines: Lines, content: Floats) -> list[float]:
    """Return, for each path of the outline, its family's share of the content."""
    return _family_shares(lines, lines.outline.totals(content))


def _family_shares(lines: Lines, totals: list[float]) -> list[float]:
    families = lines.outline.families
    shares: list[float] = (np.bincount(families, totals) / (totals[0] or 1.0))[families].tolist()
    return shares


def _is_paragraph(lines: Lines, root: int) -> bool:
    """Whether several elements have this path, each with one line: such elements are paragraphs, whatever their tag."""
    outline = lines.outline
    if lines.trie.classes[root] or outline.number[root] in outline.parent:
        return False
    held = [index for index, path in enumerate(lines.paths) if path == root]
    return len(held) > 1 and not any(lines.continued[index] for index in held)


def _climb(trie: PathTrie, root: int) -> int:
    while (trie.tag[root] in PLAIN or trie.tag[root] == "figure") and trie.parent[root] > 0:
        root = trie.parent[root]
    return root
