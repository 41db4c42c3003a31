# ruff: noqa: F821 - `_walk` deletes its recursive functions, and ruff then takes them for undefined
"""Element tree → text lines: what every method starts from.

Rules: a line ends where a block element begins or ends and at <br>; unknown elements are inline; <pre> is one line;
script, style, form controls, media and hidden elements are skipped. A line knows the path of its block, the width of
its text and how much of it stands inside links. Width is UTF-8 bytes, so that a Chinese character (3) weighs about as
much as the half word of Latin letters that it stands for.

The walk and the parse are most of an extraction's time, hence the form of `_walk`: one look-up of a child's kind, leaf
inline elements without a call, paths found only when a line is written, no list of nodes.
"""

import re
from collections.abc import Iterable
from functools import cached_property

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from .dom import inner_text

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

MAX_DEPTH = 256  # levels of recursion; what lies deeper is read flat, in its ancestor's path
MASKED_LENGTH = 40  # characters: digits of lines up to this count as equal (dates, counters); longer lines are prose
PATH_CLASSES = 3  # classes of an element that its path keeps
CLASSES_LENGTH = 300  # characters of a class attribute that are looked at
SIGNATURE_LENGTH = 4  # elements
FOLDED_AT_ONCE = 100_000  # characters; a 50 MB line would need half a GB for its words
CODE_WEIGHT = 0.2  # code counts this much when the body is looked for

BLOCK, SKIP, BREAK, LINK, PRE, ITEM = range(1, 7)
_BLOCKS = """html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p section summary table caption
    colgroup col thead tbody tfoot tr td th ul frameset frame noframes marquee"""
_SKIPPED = """script style noscript template svg iframe head object embed canvas math select option button textarea
    input audio video title datalist"""
KINDS = {
    **dict.fromkeys(_BLOCKS.split(), BLOCK),
    **dict.fromkeys(_SKIPPED.split(), SKIP),
    **dict.fromkeys(("li", "dt", "dd", "tr"), ITEM),  # blocks whose beginning is counted, see `Lines.items`
    "br": BREAK,
    "a": LINK,
    "pre": PRE,
}

# Elements that carry text in any template: their classes don't tell where they stand.
PLAIN = frozenset({
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "code",
    "table", "tbody", "thead", "tfoot", "tr", "td", "th", "br", "center", "font",
})  # fmt: skip
NOISE_TAGS = frozenset({"figcaption", "aside", "nav", "footer", "form", "caption", "dialog", "menu"})
FIGURE_CONTENT = frozenset({"pre", "table", "td", "li", "blockquote"})  # a <figure> with one of these is no picture

_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_NOISE_CLASS = re.compile(r"\b(?:comment|comments|commentlist|disqus|respond)|caption|\bcredit", re.IGNORECASE)
_EMBED_CLASS = re.compile(r"twitter|instagram|tiktok|fb-|embed", re.IGNORECASE)


class PathTrie:
    """Interned paths of elements: a path is a small int, 0 the document; parents come before their children.

    All pages of a section share one trie, so that equal paths are equal ints. It only grows; `len()` says how far, and
    `copy_from` moves paths to a fresh one.
    """

    def __init__(self) -> None:
        self.parent = [-1]
        self.tag = [""]
        self.classes = [""]
        self.depth = [0]
        self.signature = [0]  # the last elements of the path: equal in differently nested pages
        self.leaf = [0]  # the path's end, up to the first class that tells something
        self.noise_depth = [0]  # depth of the deepest element that marks noise (caption, footer …); 0: none
        self._figure_depth = [0]  # depth of an enclosing <figure> that holds no table, code or quote so far
        self._noise = [0]
        self._ids: dict[tuple[int, str, str], int] = {}
        self._keys: dict[object, int] = {}
        self._normal: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def size(self) -> int:
        """How many entries the trie and its caches hold."""
        return len(self.parent) + len(self._normal)

    def child(self, parent: int, tag: str, raw_classes: str | None) -> int:
        """Return the path of an element below `parent`."""
        classes = ""
        if raw_classes:
            raw_classes = raw_classes[:CLASSES_LENGTH]
            known = self._normal.get(raw_classes)
            if known is None:
                known = _DIGITS.sub("0", " ".join(raw_classes.split()[:PATH_CLASSES]))
                self._normal[raw_classes] = known
            classes = known
        path = self._ids.get((parent, tag, classes))
        return self._add(parent, tag, classes) if path is None else path

    def is_wrapper(self, path: int) -> bool:
        """Whether the path's element is one that templates use to hold things: neither plain nor without a class."""
        tag = self.tag[path]
        return bool(self.classes[path]) and tag not in PLAIN and tag != "figure"

    def up(self, path: int, top: int = 0) -> Iterable[int]:
        """Yield `path` and its ancestors below `top`."""
        while path > 0 and path != top:
            yield path
            path = self.parent[path]

    def with_ancestors(self, paths: Iterable[int]) -> list[int]:
        """Return `paths` and all their ancestors, each once, parents before children; linear in their number."""
        found: set[int] = set()
        for path in paths:
            while path > 0 and path not in found:
                found.add(path)
                path = self.parent[path]
        return sorted(found)

    def copy_from(self, other: "PathTrie", paths: list[int]) -> list[int]:
        """Intern `paths` of another trie here. Return their ints here, in the same order."""
        moved = {0: 0}
        for path in other.with_ancestors(paths):
            moved[path] = self.child(moved[other.parent[path]], other.tag[path], other.classes[path])
        return [moved[path] for path in paths]

    def _add(self, parent: int, tag: str, classes: str) -> int:
        path = len(self.parent)
        self._ids[parent, tag, classes] = path
        self.parent.append(parent)
        self.tag.append(tag)
        self.classes.append(classes)
        self.depth.append(self.depth[parent] + 1)
        telling = classes if tag not in PLAIN else ""
        self.leaf.append(self._key(("leaf", tag, telling, 0 if telling else self.leaf[parent])))
        steps = [path for _, path in zip(range(SIGNATURE_LENGTH), self.up(path), strict=False)]
        self.signature.append(self._key(tuple((self.tag[s], self._telling(s)) for s in steps)))
        self._mark_noise(path, parent, tag, classes)
        return path

    def _telling(self, path: int) -> str:
        return "" if self.tag[path] in PLAIN else self.classes[path]

    def _key(self, key: object) -> int:
        return self._keys.setdefault(key, len(self._keys) + 1)

    def _mark_noise(self, path: int, parent: int, tag: str, classes: str) -> None:
        depth = self.depth[path]
        noise = tag in NOISE_TAGS or bool(
            classes and (_NOISE_CLASS.search(classes) or (tag == "blockquote" and _EMBED_CLASS.search(classes)))
        )
        figure = depth if tag == "figure" else 0 if tag in FIGURE_CONTENT else self._figure_depth[parent]
        self._noise.append(depth if noise else self._noise[parent])
        self._figure_depth.append(figure)
        self.noise_depth.append(max(self._noise[path], figure))


class Lines:
    """The text lines of a page in document order; all sequences have one entry a line.

    `texts`; `paths`: of the line's block, in `trie`; `items`: number of the last <li>, <dt>, <dd> or <tr> that began;
    `width` and `linked`: float32, UTF-8 bytes of the text and of what stands inside links.
    """

    def __init__(self, trie: PathTrie, texts: list[str], paths: list[int], items: list[int], link_chars: list[int]):
        self.trie = trie
        self.texts = texts
        self.paths = paths
        self.items = items
        bytes_ = [len(text.encode()) for text in texts]
        linked = [chars * width / len(text) for chars, width, text in zip(link_chars, bytes_, texts, strict=True)]
        self.width: Floats = np.array(bytes_, np.float32)
        self.linked: Floats = np.minimum(np.array(linked, np.float32), self.width)

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def keys(self) -> list[str]:
        """The lines as they are compared with other pages': lower case, digits of short lines masked."""
        lowered = [text.lower() for text in self.texts]
        return [_DIGITS.sub("0", text) if len(text) <= MASKED_LENGTH else text for text in lowered]

    @cached_property
    def hashes(self) -> list[int]:
        """Hashes of `keys`."""
        return [hash(key) for key in self.keys]

    @cached_property
    def weight(self) -> Floats:
        """How much a line counts when the body is looked for: code counts little."""
        tag = self.trie.tag
        return np.array([CODE_WEIGHT if tag[path] == "pre" else 1.0 for path in self.paths], np.float32)

    def move_to(self, trie: PathTrie) -> None:
        """Express the lines' paths in another trie."""
        self.paths = trie.copy_from(self.trie, self.paths)
        self.trie = trie


def read_lines(root: etree._Element, trie: PathTrie) -> Lines:
    """Return the text lines below `root`; their paths are interned in `trie`."""
    body = root.find("body")
    return _walk(root if body is None else body, trie)


def _walk(body: etree._Element, trie: PathTrie) -> Lines:
    """Read the lines below `body`: the hot loop, written out flat where a call would cost more than it explains."""
    texts: list[str] = []
    paths: list[int] = []
    items: list[int] = []
    link_chars: list[int] = []
    buffer: list[str] = []  # the text of the line that is being read; never begins with white space only
    write = buffer.append
    linked = 0  # characters of it inside links
    item = 0
    open_elements: list[etree._Element] = [body] * (MAX_DEPTH + 2)  # by depth
    open_paths = [-1] * (MAX_DEPTH + 2)  # their paths, once they were asked for
    kind_of = KINDS.get

    def path_at(depth: int) -> int:
        path = open_paths[depth]
        if path < 0:
            element = open_elements[depth]
            path = open_paths[depth] = trie.child(path_at(depth - 1) if depth else 0, element.tag, element.get("class"))
        return path

    def flush(block: int, verbatim: bool = False) -> None:
        nonlocal linked
        text = "".join(buffer)
        text = text.strip("\n") if verbatim else " ".join(text.split()) if len(text) < FOLDED_AT_ONCE else fold(text)
        if text and not text.isspace():
            texts.append(text)
            paths.append(path_at(block))
            items.append(item)
            link_chars.append(linked)
        buffer.clear()
        linked = 0

    def read(text: str, in_link: bool) -> None:
        nonlocal linked
        if buffer or not text.isspace():
            write(text)
            if in_link:
                linked += len(text.strip())

    def read_verbatim(element: etree._Element, depth: int, in_link: bool) -> None:
        if element.text:
            read(element.text, in_link)
        for child in element:
            kind = kind_of(child.tag, 0)
            if kind == BREAK:
                write("\n")
            elif kind != SKIP and not _is_hidden(child):
                if depth < MAX_DEPTH:
                    read_verbatim(child, depth + 1, in_link or kind == LINK)
                else:
                    read(inner_text(child), in_link)
            if child.tail:
                read(child.tail, in_link)

    def read_flat(element: etree._Element, block: int, in_link: bool) -> None:
        """Like `read_children` with a loop for the recursion, and all lines in the path of `block`."""
        walker = etree.iterwalk(element, events=("start", "end"))
        for event, node in walker:
            kind = kind_of(node.tag, 0)
            if kind not in (0, LINK) and buffer:
                flush(block)
            if event == "start" and node.text and kind != SKIP:
                read(node.text, in_link)
            elif event == "end" and node.tail and node is not element:
                read(node.tail, in_link)
            if event == "start" and kind == SKIP:
                walker.skip_subtree()

    def read_children(parent: etree._Element, depth: int, block: int, in_link: bool) -> None:
        nonlocal linked, item
        for child in parent:
            kind = kind_of(child.tag, 0)
            if kind == SKIP:
                pass
            elif kind == BREAK:
                if buffer:
                    flush(block)
            elif child.get("hidden") is not None or ((style := child.get("style")) and _HIDDEN_STYLE.search(style)):
                pass
            elif kind == 0 or kind == LINK:
                text = child.text
                inside = in_link or kind == LINK
                if text and (buffer or not text.isspace()):
                    write(text)
                    if inside:
                        linked += len(text.strip())
                if len(child):
                    if depth < MAX_DEPTH:
                        open_elements[depth + 1] = child
                        open_paths[depth + 1] = -1
                        read_children(child, depth + 1, block, inside)
                    else:
                        read_flat(child, block, inside)
            else:
                if buffer:
                    flush(block)
                if kind == ITEM:
                    item += 1
                if depth >= MAX_DEPTH:
                    read_flat(child, block, in_link)
                    if buffer:
                        flush(block)
                else:
                    open_elements[depth + 1] = child
                    open_paths[depth + 1] = -1
                    if kind == PRE:
                        read_verbatim(child, depth + 1, in_link)
                    else:
                        text = child.text
                        if text and not text.isspace():
                            write(text)
                            if in_link:
                                linked += len(text.strip())
                        if len(child):
                            read_children(child, depth + 1, depth + 1, in_link)
                    if buffer:
                        flush(depth + 1, kind == PRE)
            text = child.tail
            if text and (buffer or not text.isspace()):
                write(text)
                if in_link:
                    linked += len(text.strip())

    if body.text:
        read(body.text, False)
    read_children(body, 0, 0, False)
    if buffer:
        flush(0)
    # These refer to themselves; without this, each page waits for the garbage collector.
    del path_at, read_children, read_verbatim
    return Lines(trie, texts, paths, items, link_chars)


def fold(text: str) -> str:
    """Return `text` with each run of white space as one space, and none at its ends."""
    parts = []
    start = 0
    while start < len(text):
        end = text.find(" ", start + FOLDED_AT_ONCE)
        end = len(text) if end < 0 else end
        parts.append(" ".join(text[start:end].split()))
        start = end
    return " ".join(filter(None, parts))


def _is_hidden(element: etree._Element) -> bool:
    style = element.get("style")
    return element.get("hidden") is not None or bool(style and _HIDDEN_STYLE.search(style))
