"""The body's root: the deepest element that holds most of what speaks for a body.

Elements count by family (see `PathTrie.family`), so that a body split over sibling containers has one root.
"""

from .lines import Floats, Lines
from .paths import PLAIN, PathTrie
from .profile import add

ROOT_SHARE = 0.75  # share of the content that the root must hold; flat from .75 to .9
PARTS = frozenset({"figure", "pre", "blockquote", "li", "dl"})  # never a whole body


def find_root(lines: Lines, content: Floats) -> int:
    """Return the deepest path whose family holds most of the content, but no element made for a part of a text."""
    trie, outline = lines.trie, lines.outline
    shares, own = family_shares(lines, content), outline.totals(content)
    fit = [number for number in range(1, len(outline)) if shares[number] >= ROOT_SHARE]
    root = outline.paths[max(fit, key=lambda n: (trie.depth[outline.paths[n]], own[n]), default=0)]
    root = _climb(trie, root)
    for path in list(trie.up(root)):
        if trie.tag[path] in PARTS and trie.parent[path] > 0:
            root = trie.parent[path]
    root = _climb(trie, root)
    if root and _is_paragraph(lines, root):
        root = trie.parent[root]
    return _climb(trie, root)


def family_shares(lines: Lines, content: Floats) -> list[float]:
    """Return, for each path of the outline, its family's share of the content."""
    outline, family = lines.outline, lines.trie.family
    totals = outline.totals(content)
    by_family: dict[int, float] = {}
    for number, path in enumerate(outline.paths):
        add(by_family, family[path], totals[number])
    whole = totals[0] or 1.0
    return [by_family[family[path]] / whole for path in outline.paths]


def _is_paragraph(lines: Lines, root: int) -> bool:
    """Whether several elements share the path, each with one line: paragraphs, whatever their tag."""
    outline = lines.outline
    if lines.trie.classes[root] or outline.number[root] in outline.parent:
        return False
    held = [index for index, path in enumerate(lines.paths) if path == root]
    return len(held) > 1 and not any(lines.continued[index] for index in held)


def _climb(trie: PathTrie, root: int) -> int:
    while (trie.tag[root] in PLAIN or trie.tag[root] == "figure") and trie.parent[root] > 0:
        root = trie.parent[root]
    return root
