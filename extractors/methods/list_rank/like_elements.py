"""Groups of similar elements, as templates repeat them: the source of `list-rank` calls such a group an id.

The source's id is depth and class name. Ours is the path from one element down through children that are similar: the
same tag, and classes that agree in their first word or in half of their words. So entries are similar even if each has
a class of its own (`post-123 odd`), and so are entries in several similar containers: rows of a grid, months of an
archive. Siblings of one tag are also an id if their classes have nothing in common and no group of them is the
majority.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from .linked_tree import LinkedTree

LEAST = 3  # elements that a list has at least
LEVELS = 12  # levels below like elements that are searched for further ones
BRANCHINGS = 3  # … and levels at which an element may contain several of them
MOST = 0.6  # share of siblings with links that one class has, from which the other siblings are not like them
MOST_CLASSES = 50  # classes of siblings; more have nothing in common
MOST_LOOKED_AT = 50_000  # elements of ids that are examined; the development pages have up to 4,300
COVERED = 0.3  # share of like elements with a link, or of containers with a like element; tried: .2 to .5


@dataclass(frozen=True, slots=True)
class Like:
    """Elements of one id in document order. `cover`: share of their containers that contain one."""

    elements: tuple[etree._Element, ...]
    cover: float = 1.0


def ids(tree: LinkedTree) -> Iterator[Like]:
    """Yield the elements of each id; ids of outer elements come first."""
    looked_at = 0
    waiting = deque([tree.root])
    while waiting and looked_at < MOST_LOOKED_AT:
        parent = waiting.popleft()
        waiting += tree.children(parent)
        for siblings in _by_tag(tree, [parent]):
            for like in _of_siblings(tree, siblings):
                looked_at += len(like.elements)
                yield like


def _of_siblings(tree: LinkedTree, siblings: list[etree._Element]) -> Iterator[Like]:
    likes = _by_class(tree, siblings)
    linked = [sum(map(tree.has_link, like)) for like in likes]
    if len(likes) > 1 and max(linked) < MOST * sum(linked):
        likes.append(siblings)
        linked.append(sum(linked))
    for like, count in zip(likes, linked, strict=True):
        yield Like(tuple(like))
        if count:
            yield from _below(tree, like, LEVELS, BRANCHINGS, 1.0)


def _below(
    tree: LinkedTree, parents: list[etree._Element], levels: int, branchings: int, cover: float
) -> Iterator[Like]:
    """Yield the ids of the children of several parents, and of all their descendants."""
    if not levels or not branchings or len(parents) < 2:
        return
    siblings = (children for children in _by_tag(tree, parents) if any(map(tree.has_link, children)))
    for like in (like for children in siblings for like in _by_class(tree, children)):
        linked = [element for element in like if tree.has_link(element)]
        holding = len({element.getparent() for element in linked})
        covered = cover * holding / len(parents)
        if holding > 1 and covered >= COVERED:
            yield Like(tuple(linked), covered)
            yield from _below(tree, linked, levels - 1, branchings - (len(linked) > holding), covered)


def _by_tag(tree: LinkedTree, parents: list[etree._Element]) -> Iterator[list[etree._Element]]:
    """Yield the children that have a tag in common."""
    by_tag: dict[str, list[etree._Element]] = {}
    for parent in parents:
        for child in tree.children(parent):
            by_tag.setdefault(str(child.tag), []).append(child)
    yield from (children for children in by_tag.values() if len(children) > 1)


def _by_class(tree: LinkedTree, children: list[etree._Element]) -> list[list[etree._Element]]:
    """Return groups of elements whose classes agree."""
    words_of = list(map(tree.class_words, children))
    if len(set(words_of)) == 1:
        return [children]
    classes: list[tuple[str, ...]] = []  # the classes of the first element of each group
    of_words: dict[tuple[str, ...], int] = {}
    for words in dict.fromkeys(words_of):
        alike = (place for place, first in enumerate(classes[:MOST_CLASSES]) if _alike(words, first))
        of_words[words] = next(alike, len(classes))
        if of_words[words] == len(classes):
            classes.append(words)
    groups: list[list[etree._Element]] = [[] for _ in classes]
    for child, words in zip(children, words_of, strict=True):
        groups[of_words[words]].append(child)
    return groups


def _alike(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    if not a or not b:
        return a == b
    return a[0] == b[0] or 2 * len({*a} & {*b}) >= len({*a, *b})
