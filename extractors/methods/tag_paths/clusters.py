"""Leaves of a page, their clusters by tag path, and the measures of a cluster: steps of `tag-paths`.

A cluster is represented by the ascending numbers of its leaves.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...html.block_tree import BlockTree, build_tree
from ...html.tagless_text import Ctext

SPLIT_BELOW, SPLIT_ABOVE = 0.85, 2.0  # θ, the source's
CONTAINERS = frozenset({"div", "table", "article", "section", "main"})  # the last three replace div on later pages

# U+FFFD, control characters and private ones, and what U+FFFD becomes when it is decoded as GBK or Latin-1.
_GARBLED = re.compile("[\ufffd\x80-\x9f\ue000-\uf8ff]+|(?:锟斤拷)+|ï¿½")

Leaves = list[int]


class Leaf(NamedTuple):
    """A text line. `path`: equal for equal tag paths; `strings` and `links`: half-width characters; `hrefs`: links."""

    line: int
    path: int
    container: int  # path of the enclosing table or div
    strings: int
    links: int
    hrefs: int
    box: int = 0  # the enclosing table or div itself: its number in the outline


class LeafOutline(NamedTuple):
    """The leaves of a page and its tables and divs: the container of each, its first leaf, and the one after its last.

    Number 0 is the document.
    """

    leaves: list[Leaf]
    parents: list[int]
    starts: list[int]
    ends: list[int]


def without_garbled(source: str) -> str:
    """Return a page's source without garbled characters (乱码), the source's third rule."""
    return source if source.isascii() else _GARBLED.sub("", source)


def read_leaves(ctext: Ctext) -> list[Leaf]:
    """Return the lines with text, in document order."""
    return read_outline(ctext).leaves


def read_outline(ctext: Ctext) -> LeafOutline:
    """Return the lines with text, in document order, and the tables and divs around them."""
    tree = build_tree(ctext)
    paths = _paths(tree)
    containers = _containers(tree)
    elements = sorted(set(containers))
    numbers = {element: number for number, element in enumerate(elements)}
    strings, links, hrefs = ctext.widths.tolist(), ctext.linked.tolist(), ctext.links
    leaves = []
    for line, text in enumerate(ctext.bare):
        if text:
            element = tree.of_line[line]
            box = containers[element]
            leaves.append(Leaf(line, paths[element], paths[box], strings[line], links[line], hrefs[line], numbers[box]))
    lines = [leaf.line for leaf in leaves]
    return LeafOutline(
        leaves,
        [numbers[containers[tree.parents[element]]] for element in elements],
        [bisect_left(lines, tree.starts[element]) for element in elements],
        [bisect_left(lines, tree.ends[element]) for element in elements],
    )


def cluster(leaves: list[Leaf]) -> list[Leaves]:
    """Return the numbers of the leaves by path, in the order of their first ones."""
    clusters: dict[int, Leaves] = {}
    for number, leaf in enumerate(leaves):
        clusters.setdefault(leaf.path, []).append(number)
    return list(clusters.values())


def period(found: Leaves) -> float:
    """Return ΔT; 0 for a single leaf."""
    return (found[-1] - found[0]) / (len(found) - 1) if len(found) > 1 else 0.0


def variance(found: Leaves) -> float:
    """Return σ²; 0 for fewer than two spans."""
    return float(np.diff(found).var()) if len(found) > 2 else 0.0


def split(found: Leaves) -> list[Leaves]:
    """Return the pieces of a cluster between its split points: the gaps, the longer of two spans with θ ∉ [0.85, 2]."""
    places = {0, len(found)}
    for place, (before, last, leaf) in enumerate(zip(found, found[1:], found[2:], strict=False), 1):
        ratio = (leaf - last) / (last - before)
        if not SPLIT_BELOW <= ratio <= SPLIT_ABOVE:
            places.add(place + (ratio > 1))
    return [found[start:end] for start, end in pairwise(sorted(places))]


def length(leaves: list[Leaf], found: Sequence[int]) -> int:
    """Return the half-width characters of a cluster outside links."""
    return sum(leaves[number].strings for number in found)


def noise(leaves: list[Leaf], found: Sequence[int]) -> float:
    """Return Cn as a fraction, not in percent: small for lists of links."""
    strings, links = length(leaves, found), sum(leaves[number].links for number in found)
    with_link = sum(leaves[number].hrefs for number in found)
    without_link = sum(leaf.strings > 0 or not (leaf.links or leaf.hrefs) for leaf in map(leaves.__getitem__, found))
    return strings / max(1, links + strings) * without_link / (with_link + 1)


def _paths(tree: BlockTree) -> list[int]:
    """Return a number for the tag path of each element, equal for equal paths."""
    known: dict[tuple[int, str, str], int] = {}
    paths = [0]
    for parent, tag, place in zip(tree.parents[1:], tree.tags[1:], tree.places[1:], strict=True):
        paths.append(known.setdefault((paths[parent], tag, place), len(known) + 1))
    return paths


def _containers(tree: BlockTree) -> list[int]:
    """Return the innermost table or div at or above each element; 0 for none."""
    found = [0]
    for element, tag in enumerate(tree.tags[1:], 1):
        found.append(element if tag in CONTAINERS else found[tree.parents[element]])
    return found
