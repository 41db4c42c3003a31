"""The body's root: the deepest element that contains most of the evidence for a body.

Elements count by family (see `PathTrie.family`), so that a body split over sibling containers has one root.
"""

from typing import NamedTuple

from ..html.lines import Lines
from ..html.paths import HEADINGS, PLAIN, PathTrie

ROOT_SHARE = 0.75  # share of the content that the root must contain; .75 to .9 give the same
PARTS = frozenset({"figure", "pre", "blockquote", "li", "dl"})  # elements that never contain a whole body
TITLED = 3  # elements of the root, each after another heading, from which the headings belong to the body
BESIDE = 0.07  # share of content directly in the root's parent, from which that is the root; .05 to .1 give the same


class PathContent(NamedTuple):
    """The content of each path of the outline: `direct` without the paths below it, `own` with them.

    `shares`: that of its family in the whole.
    """

    direct: list[float]
    own: list[float]
    shares: list[float]


def content_of_paths(lines: Lines, content: list[float]) -> PathContent:
    """Return the content of each path of the outline. `content`: of the lines."""
    direct = lines.outline.direct(content)
    own = lines.outline.gather(direct)
    return PathContent(direct, own, lines.outline.family_shares(own))


def find_root(lines: Lines, content: PathContent) -> int:
    """Return the deepest path whose family has most of the content; elements for parts of a text are not considered."""
    trie = lines.trie
    root = _out_of_listing(lines, _out_of_parts(trie, _deepest_fit(lines, content)))
    if root and _is_paragraph(lines, root):
        root = trie.parent[root]
    return _with_beginning(lines, content, _with_titles(lines, _climb(trie, root)))


def _deepest_fit(lines: Lines, content: PathContent) -> int:
    """Return the deepest path whose family has most of the content, or 0; the largest if several are equally deep."""
    paths, depths = lines.outline.paths, lines.trie.depth
    fitting = [number for number in range(1, len(paths)) if content.shares[number] >= ROOT_SHARE]
    return paths[max(fitting, key=lambda number: (depths[paths[number]], content.own[number]), default=0)]


def _climb(trie: PathTrie, path: int) -> int:
    """Return the nearest element, `path` or around it, that is neither plain nor a figure."""
    tags, parents = trie.tag, trie.parent
    while (tags[path] in PLAIN or tags[path] == "figure") and parents[path] > 0:
        path = parents[path]
    return path


def _out_of_parts(trie: PathTrie, path: int) -> int:
    """Return the nearest element, `path` or around it, that may contain a whole body."""
    root = _climb(trie, path)
    for step in trie.up(root):
        if trie.parent[step] > 0 and trie.tag[step] in PARTS:
            root = trie.parent[step]
    return _climb(trie, root)


def _out_of_listing(lines: Lines, root: int) -> int:
    """Return the root; if it contains only code, the element around it that has other text or is named as a body."""
    outline, role = lines.outline, lines.trie.role
    if "pre" not in outline.tags or True not in lines.are_code:
        return root
    other = outline.totals([0.0 if code else width for code, width in zip(lines.are_code, lines.widths, strict=True)])
    number = outline.number[root]
    while number and not other[number] and not role[outline.paths[number]].body:
        number = outline.parent[number]
    return outline.paths[number]


def _with_titles(lines: Lines, root: int) -> int:
    """Return the root, or what contains the headings too if nearly all of its elements follow one of their own."""
    trie, paths = lines.trie, lines.paths
    family = trie.family[root]
    below = {path: any(trie.family[step] == family for step in trie.up(path)) for path in {*paths}}
    starts = [line for line in range(1, len(paths)) if below[paths[line]] and not below[paths[line - 1]]]
    titles = [line - 1 for line in starts if lines.are_headings[line - 1] and not lines.link_lines[line - 1]]
    if len({lines.texts[line] for line in titles}) < max(TITLED, ROOT_SHARE * len(starts)):
        return root
    around = {*trie.up(paths[titles[-1]])}
    return _climb(trie, next((step for step in trie.up(root) if step in around), root))


def _with_beginning(lines: Lines, content: PathContent, root: int) -> int:
    """Return the root, or its parent if that has paragraphs too, such as those before the part behind a paywall."""
    outline, trie = lines.outline, lines.trie
    above = trie.parent[root]
    if above <= 0:
        return root
    beside = 0.0  # in paragraphs of the parent
    for path, amount in zip(outline.paths, content.direct, strict=True):
        if amount > 0 and path != root and trie.tag[path] not in HEADINGS and _climb(trie, path) == above:
            beside += amount
    return _climb(trie, above) if beside >= BESIDE * content.own[0] else root


def _is_paragraph(lines: Lines, root: int) -> bool:
    """Whether several elements have this path, each with one line: such elements are paragraphs, with any tag."""
    outline = lines.outline
    if lines.trie.classes[root] or outline.number[root] in outline.parent:
        return False
    held = [index for index, path in enumerate(lines.paths) if path == root]
    return len(held) > 1 and not any(lines.continued[index] for index in held)
