"""Kept lines → typed blocks.

The innermost element below the body's root that names a kind decides; elements above the root belong to the template (a
layout table, a list that contains the article). Captions and players are blocks too, of kinds that a caller may leave
out.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import compress, groupby
from operator import itemgetter

from lxml import etree

from ..article import Block, Kind, Link
from ..html.dom import inner_text
from ..html.elements import IMAGE, KINDS
from ..html.lines import Lines
from ..html.paths import CAPTION, EMBED, SUMMARY, PathTrie
from ..html.urls import web_url
from .pictures import alternative, picture_url, player_url

BLOCK_KINDS: dict[str, Kind] = {
    "pre": "code",
    "li": "list",
    "dt": "list",
    "dd": "list",
    "td": "table",
    "th": "table",
    "blockquote": "quote",
    "figcaption": "caption",
    "caption": "caption",
}
BLOCK_KINDS |= dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading")
MARKED: dict[int, Kind] = {CAPTION: "caption", EMBED: "embed", SUMMARY: "summary"}
PROSE_CELL = 200  # characters per cell; a table without headings whose cells are longer is layout
JOINED = frozenset({"list", "table"})  # kinds whose neighbouring lines make one block
INDENT, MAX_INDENTED = "  ", 20  # of an item for each list around it; levels that are indented
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_NUMBERED = re.compile(r"[(（\[]?(?:\d{1,4}|[a-zA-Z]|[一二三四五六七八九十]{1,3})[.)、．）\]]")  # by the author
_CELLS = ("td", "th")
TABLE_PARTS = ("caption", "thead", "tbody", "tfoot", "tr", "th", "td")
_INTEGER = re.compile(r"\s*[-+]?[0-9]{1,9}\s*")
Mark = tuple[Kind, int]  # the kind of a line's block, and the path of the element that groups the block
CAPTION_MARK: Mark = ("caption", 0)


def make_blocks(lines: Lines, marks: list[tuple[int, Mark]], root: int, base: str) -> list[tuple[int, Block]]:
    """Return the blocks of the lines with marks, in order, with the captions, pictures and players among them.

    With each block, the number of its last line; with a picture or player of its own, that of the block before it.
    `root` is the path of the body's root, `base` the URL that relative ones refer to.
    """
    found: list[tuple[int, Block]] = []  # (number of the block's last line, block)
    links = _links_by_line(lines, {index for index, _ in marks}, base)
    numbers: dict[etree._Element, int | None] = {}  # of items of ordered lists, until they are written
    tables = [_table_of(lines, index, kind) for index, (kind, _) in marks]
    for_layout = {table for table in set(tables) if table is not None and not has_data(table)}
    for ((kind, holder), table), run in groupby(zip(marks, tables, strict=True), key=lambda one: (one[0][1], one[1])):
        indices = [index for (index, _), _ in run]
        if table in for_layout:
            kind = "paragraph"
        if kind in JOINED:
            text = _table_text(lines, indices) if kind == "table" else _list_text(lines, indices, root, numbers)
            inside = tuple(link for index in indices for link in links.get(index, ()))
            found.append((indices[-1], Block(kind, text, links=inside)))
        else:
            level = int(lines.trie.tag[holder][1]) if kind == "heading" else None
            found += [(i, Block(kind, lines.texts[i], level, links.get(i, ()))) for i in indices]
    return _with_media(lines, found, root, base)


def marks_of(lines: Lines, kept: list[int], captions: list[int], root: int) -> list[tuple[int, Mark]]:
    """Return each kept line and caption with its mark, in order; `root` is the path of the body's root."""
    paths = lines.paths
    by_path = {path: _kind(lines.trie, path, root) for path in set(map(paths.__getitem__, kept))}
    marks = {index: by_path[paths[index]] for index in kept} | dict.fromkeys(captions, CAPTION_MARK)
    return sorted(marks.items(), key=itemgetter(0))


def _kind(trie: PathTrie, path: int, root: int) -> Mark:
    """Return the mark of a line."""
    steps = list(trie.up(path, root))
    for step in steps:
        marked = MARKED.get(trie.mark[step])
        kind = marked or BLOCK_KINDS.get(trie.tag[step])
        if kind == "quote" and any(trie.mark[above] == EMBED for above in steps):
            kind = "embed"
        if kind in JOINED:
            return kind, _holder(trie, step, root, kind)
        if kind:
            return kind, step
    return "paragraph", 0


def _holder(trie: PathTrie, path: int, root: int, kind: Kind) -> int:
    """Return the innermost table around a cell, since a table for layout may contain it, or the outermost list."""
    holders = [step for step in trie.up(path, root) if trie.tag[step] in ("ul", "ol", "dl", "table")]
    if kind == "table":
        holders = [step for step in holders if trie.tag[step] == "table"][:1]
    return holders[-1] if holders else trie.parent[path]


def _table_of(lines: Lines, index: int, kind: Kind) -> etree._Element | None:
    """Return the table around a line that is in a cell."""
    if kind != "table":
        return None
    block = lines.blocks[index]
    return next((element for element in (block, *block.iterancestors("table")) if element.tag == "table"), None)


def _table_text(lines: Lines, indices: list[int]) -> str:
    """Return the rows, one per line, their cells, also empty ones before others, separated by tabs."""
    return "\n".join(_row_text(lines, row) for row in _items(lines, indices))


def _row_text(lines: Lines, indices: list[int]) -> str:
    texts: dict[etree._Element, list[str]] = {}
    for index in indices:
        block = lines.blocks[index]
        cell = next((each for each in (block, *block.iterancestors()) if each.tag in _CELLS), block)
        if not texts and (row := cell.getparent()) is not None and row.tag == "tr":
            texts = {each: [] for each in row.iterchildren(*_CELLS)}
        texts.setdefault(cell, []).append(lines.texts[index])
    return "\t".join(map(" ".join, texts.values())).rstrip("\t")


def _list_text(lines: Lines, indices: list[int], root: int, numbers: dict[etree._Element, int | None]) -> str:
    """Return the items, one per line; nested ones are indented, those of ordered lists numbered.

    `numbers`: of the items of lists that were numbered before; None for one whose number is written.
    """
    tags = lines.trie.tag
    items = list(_items(lines, indices))
    lists = {
        path: [tags[step] for step in lines.trie.up(path, root) if tags[step] in _LISTS]
        for path in {lines.paths[item[0]] for item in items}
    }
    least = min(map(len, lists.values()))
    written = []
    for item in items:
        around = lists[lines.paths[item[0]]]
        text = " ".join(lines.texts[index] for index in item)
        if around[:1] == ["ol"] and not _NUMBERED.match(text):
            number = _number(lines.blocks[item[0]], numbers)
            text = text if number is None else f"{number}. {text}"
        written.append(INDENT * min(len(around) - least, MAX_INDENTED) + text)
    return "\n".join(written)


def _number(block: etree._Element, numbers: dict[etree._Element, int | None]) -> int | None:
    """Return the number of the item of an ordered list that a block begins; None if it is in none, or continues it."""
    item = next((element for element in (block, *block.iterancestors()) if element.tag == "li"), None)
    parent = None if item is None else item.getparent()
    if item is None or parent is None or parent.tag != "ol":
        return None
    if item not in numbers:
        siblings = parent.findall("li")
        backwards = parent.get("reversed") is not None
        number = _integer(parent.get("start"), len(siblings) if backwards else 1)
        for sibling in siblings:
            numbers[sibling] = number = _integer(sibling.get("value"), number)
            number += -1 if backwards else 1
    written = numbers[item]
    numbers[item] = None
    return written


def _integer(written: str | None, otherwise: int) -> int:
    return int(written) if written and _INTEGER.fullmatch(written) else otherwise


def _items(lines: Lines, indices: list[int]) -> Iterator[list[int]]:
    """Yield the lines of each item or row."""
    for _, item in groupby(indices, key=lambda index: lines.items[index]):
        yield list(item)


def _links_by_line(lines: Lines, wanted: set[int], base: str) -> dict[int, tuple[Link, ...]]:
    links: dict[int, list[Link]] = {}
    searched: dict[int, int] = {}  # links of a line are in the order of their texts: each is searched from the last one
    missing: set[tuple[int, str]] = set()
    for place in compress(range(len(lines.links)), map(wanted.__contains__, lines.links)):
        index, element = lines.links[place], lines.link_elements[place]
        text = " ".join((inner_text(element) if len(element) else element.text or "").split())
        if not text or (index, text) in missing:
            continue
        found = lines.texts[index].find(text, searched.get(index, 0))
        if found < 0:
            missing.add((index, text))
        else:
            searched[index] = found
            url = web_url(base, element.get("href") or "")
            if url:
                links.setdefault(index, []).append(Link(text, url))
    return {index: tuple(made) for index, made in links.items()}


def _with_media(lines: Lines, found: list[tuple[int, Block]], root: int, base: str) -> list[tuple[int, Block]]:
    """Add the pictures and players below the root that are between the first and the last block."""
    first, last = (found[0][0], found[-1][0]) if found else (0, -1)
    inserted: dict[int, list[Block]] = {}  # what is inserted in front of each block
    images: dict[int, list[str]] = {}
    place = 0
    below: dict[int, bool] = {}
    for index, path, element in [medium for medium in lines.media if first <= medium[0] <= last]:
        if path not in below:
            below[path] = not root or root in lines.trie.up(path)
        if not below[path]:
            continue
        while found[place][0] < index:
            place += 1
        made = _media_block(element, base)
        if made is None:
            continue
        if made.images and (found[place][1].kind == "caption" or lines.paths[index] == path):
            images.setdefault(place, [*found[place][1].images]).extend(made.images)
        else:
            inserted.setdefault(place, []).append(made)
    if not inserted and not images:
        return found
    blocks: list[tuple[int, Block]] = []
    for place, (last, block) in enumerate(found):
        blocks += [(found[place - 1][0] if place else -1, medium) for medium in inserted.get(place, ())]
        blocks.append((last, replace(block, images=tuple(images[place])) if place in images else block))
    return blocks


def _media_block(element: etree._Element, base: str) -> Block | None:
    """Return a block for a picture or player, or None if it has no http(s) URL."""
    if KINDS[str(element.tag)] != IMAGE:
        url = player_url(element, base)
        return Block("embed", "", links=(Link("", url),)) if url else None
    url = picture_url(element, base)
    return Block("caption", alternative(element), images=(url,)) if url else None


def has_data(table: etree._Element) -> bool:
    """Whether a table is one of data, and not for layout, where one cell has most of the text."""
    parts = _table_parts(table)
    if any(part.tag in ("caption", "thead", "th") for part in parts):
        return True
    rows, cells = sum(part.tag == "tr" for part in parts), [len(inner_text(part)) for part in parts if part.tag == "td"]
    text = sum(cells)
    return (
        rows > 1 and len(cells) > rows and text <= PROSE_CELL * len(cells) and max(cells) <= max(PROSE_CELL, text / 2)
    )


def _table_parts(table: etree._Element) -> list[etree._Element]:
    """Return the caption, groups of rows, rows and cells of a table, without those of tables in it."""
    found, level = list[etree._Element](), [table]
    for _ in range(3):  # groups of rows, rows, cells
        level = [child for element in level for child in element.iterchildren(*TABLE_PARTS)]
        found += level
    return found
