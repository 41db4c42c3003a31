# ruff: noqa: F821 - `walk` deletes its recursive functions, and ruff then takes them for undefined
"""The walk over the tree in Python: the definition of what `compiled_walk` does, and used where that is not available.

Paths are determined only when a line is written, and there is no list of nodes.
"""

from collections.abc import Sequence

from lxml import etree

from .dom import inner_text
from .elements import (
    ALWAYS_NOTED,
    BREAK,
    IMAGE,
    INLINE,
    ITEM,
    KINDS,
    LINK,
    MAX_DEPTH,
    NOTED,
    PRE,
    SKIP,
    ElementList,
    Walked,
    is_hidden,
)
from .paths import PathTrie

FOLDED_AT_ONCE = 100_000  # characters; a 50 MB line would need half a GB for its words


def walk(body: etree._Element, trie: PathTrie, hide: bool, most: int) -> Walked:
    """Return at most `most` lines below `body`; their paths are interned in `trie`. `hide`: without hidden elements."""
    rows: list[tuple[str, int, int, int, bool]] = []  # text, path, item, characters inside links, whether after a <br>
    blocks, links, link_elements = ElementList(), list[int](), ElementList()
    media: list[tuple[int, int, etree._Element]] = []
    noted: list[etree._Element] = []
    broken = False  # whether the last line ended at a <br>
    buffer: list[str] = []  # the text of the line that is being read; never begins with white space only
    linked = 0  # characters of that line inside links
    item = 0
    open_elements: list[etree._Element] = [body] * (MAX_DEPTH + 2)  # the open element at each depth
    open_names: list[Sequence[str | bytes]] = [body.keys()] * (MAX_DEPTH + 2)  # names of their attributes
    open_paths = [-1] * (MAX_DEPTH + 2)  # their paths, once they were needed
    kind_of = KINDS.get

    def path_at(depth: int) -> int:
        path = open_paths[depth]
        if path < 0:
            above = path_at(depth - 1) if depth else 0
            path = open_paths[depth] = trie.child(above, open_elements[depth], open_names[depth])
        return path

    def flush(block: int, verbatim: bool = False) -> None:
        """End the line that is being read, if it has a text."""
        nonlocal linked
        if not buffer:
            return
        text = "".join(buffer)
        text = text.strip("\n") if verbatim else fold(text)
        if text and not text.isspace():
            rows.append((text, path_at(block), item, linked, broken))
            blocks.append(open_elements[block])
        buffer.clear()
        linked = 0

    def read(text: str | None, in_link: bool) -> None:
        nonlocal linked
        if text and (buffer or not text.isspace()):
            buffer.append(text)
            if in_link:
                linked += len(text.strip())

    def read_verbatim(element: etree._Element, depth: int, in_link: bool) -> None:
        read(element.text, in_link)
        for child in element:
            kind = kind_of(child.tag, INLINE)
            if kind == BREAK:
                buffer.append("\n")
            elif kind < SKIP and not is_hidden(child, child.keys()):
                if depth < MAX_DEPTH:
                    read_verbatim(child, depth + 1, in_link or kind == LINK)
                else:
                    read(inner_text(child), in_link)
            read(child.tail, in_link)

    def read_flat(element: etree._Element, block: int, in_link: bool) -> None:
        """Like `read_children` with a loop for the recursion, and all lines in the path of `block`."""
        walker = etree.iterwalk(element, events=("start", "end"))
        for event, node in walker:
            kind = kind_of(node.tag, INLINE)
            if kind not in (INLINE, LINK, IMAGE):
                flush(block)
            if event == "start" and kind < SKIP:
                read(node.text, in_link)
            elif event == "end" and node is not element:
                read(node.tail, in_link)
            if event == "start" and kind >= SKIP:
                walker.skip_subtree()

    def enter(element: etree._Element, names: Sequence[str | bytes], depth: int) -> None:
        open_elements[depth], open_names[depth], open_paths[depth] = element, names, -1

    def read_children(parent: etree._Element, depth: int, block: int, in_link: bool) -> None:
        nonlocal item, broken
        below = depth + 1
        for child in parent:
            kind = kind_of(child.tag, INLINE)
            names = child.keys() if kind <= PRE else ()
            if names and hide and is_hidden(child, names):
                noted.append(child)
            elif kind <= LINK:
                inside = in_link or kind == LINK
                if kind == LINK:
                    links.append(len(rows))
                    link_elements.append(child)
                    if in_link or ("href" not in names and len(child)):
                        noted.append(child)
                read(child.text, inside)
                if len(child) and depth < MAX_DEPTH:
                    enter(child, names, below)
                    read_children(child, below, block, inside)
                elif len(child):
                    read_flat(child, block, inside)
            elif kind <= PRE:
                flush(block)
                broken = False
                item += kind == ITEM
                if depth >= MAX_DEPTH:
                    read_flat(child, block, in_link)
                    flush(block)
                else:
                    enter(child, names, below)
                    if kind == PRE:
                        read_verbatim(child, below, in_link)
                    else:
                        read(child.text, in_link)
                        read_children(child, below, below, in_link)
                    flush(below, verbatim=kind == PRE)
                broken = False
            elif kind == BREAK:
                flush(block)
                broken = True
            elif IMAGE <= kind < NOTED:
                media.append((len(rows), path_at(block), child))
            elif kind == ALWAYS_NOTED or (kind == NOTED and len(child)):
                noted.append(child)
            read(child.tail, in_link)

    read(body.text, False)
    read_children(body, 0, 0, False)
    flush(0)
    # The functions refer to themselves; without `del`, a page's memory is only freed by the garbage collector.
    del path_at, read_children, read_verbatim
    del rows[most:]
    texts, paths, items, link_chars, continued = map(list, zip(*rows, strict=True)) if rows else ([], [], [], [], [])
    widths = [len(text) if text.isascii() else len(text.encode()) for text in texts]
    return Walked(texts, paths, items, continued, widths, link_chars, blocks, links, link_elements, media, noted)


def fold(text: str, at_once: int = FOLDED_AT_ONCE) -> str:
    """Return `text` with each run of white space as one space, and none at its ends; `at_once` characters at a time."""
    if len(text) < at_once:
        return " ".join(text.split())
    parts = []
    start = 0
    while start < len(text):
        end = text.find(" ", start + at_once)
        end = len(text) if end < 0 else end
        parts.append(" ".join(text[start:end].split()))
        start = end
    return " ".join(filter(None, parts))
