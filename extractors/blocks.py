"""Kept lines → typed blocks.

The innermost element below the body's root that names a kind decides; elements above the root are the template's (a
layout table, a list that holds the article).
"""

from itertools import groupby

from .article import Block, Kind
from .lines import Lines, PathTrie

KINDS: dict[str, Kind] = {
    "pre": "code",
    "li": "list",
    "dt": "list",
    "dd": "list",
    "td": "table",
    "th": "table",
    "blockquote": "quote",
}
KINDS |= dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading")
CELL_WIDTH = 60  # bytes a line; "tables" with longer lines are layout, and their cells hold prose
JOINED = frozenset({"list", "table"})  # kinds whose neighbouring lines make one block


def make_blocks(lines: Lines, kept: list[int], root: int) -> tuple[Block, ...]:
    """Return the blocks of the kept lines, in order; `root` is the path of the body's root."""
    marks = [(index, *_kind(lines.trie, lines.paths[index], root)) for index in kept]
    blocks: list[Block] = []
    for (kind, holder), run in groupby(marks, key=lambda mark: mark[1:]):
        indices = [mark[0] for mark in run]
        if kind == "table" and lines.width[indices].mean() > CELL_WIDTH:
            kind = "paragraph"
        if kind in JOINED:
            blocks.append(Block(kind, _join_items(lines, indices, "\t" if kind == "table" else " ")))
        else:
            level = int(lines.trie.tag[holder][1]) if kind == "heading" else None
            blocks.extend(Block(kind, lines.texts[index], level) for index in indices)
    return tuple(blocks)


def _kind(trie: PathTrie, path: int, root: int) -> tuple[Kind, int]:
    """Return the kind of a line's block and the path of what holds the block together."""
    for step in trie.up(path, root):
        kind = KINDS.get(trie.tag[step])
        if kind in JOINED:
            return kind, _outermost_holder(trie, step, root)
        if kind:
            return kind, step
    return "paragraph", 0


def _outermost_holder(trie: PathTrie, path: int, root: int) -> int:
    """Return the list or table around an item; of nested ones the outer."""
    holders = [step for step in trie.up(path, root) if trie.tag[step] in ("ul", "ol", "dl", "table")]
    return holders[-1] if holders else trie.parent[path]


def _join_items(lines: Lines, indices: list[int], separator: str) -> str:
    """Join the lines of an item by `separator`, items by a line break."""
    items = groupby(indices, key=lambda index: lines.items[index])
    return "\n".join(separator.join(lines.texts[index] for index in run) for _, run in items)
