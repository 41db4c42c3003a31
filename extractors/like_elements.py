"""Elements that are alike, as a template repeats them: what the source of `list_rank` calls an id.

The source's id is depth and class name. Ours is the way from one element down through children that are alike: the same
tag, and classes that agree in their first word or in half of their words. So entries are alike whose class tells them
apart (`post-123 odd`), and entries in several containers that are alike themselves: rows of a grid, months of an
archive. Siblings of one tag are an id also if their classes have nothing in common and no part of them is the most.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from .linked_tree import LinkedTree

LEAST = 3  # elements of a list
BRANCHINGS = 3  # levels below like elements at which one of them may hold several like ones
MOST = 0.6  # share of siblings with links that one class has, from which the others are none of theirs
COVERED = 0.3  # share of like elements with a link, or of containers that hold one; tried: .2 to .5


@dataclass(frozen=True, slots=True)
class Like:
    """Elements of one id in document order. `cover`: share of their containers that hold one."""

    elements: tuple[etree._Element, ...]
    cover: float = 1.0


def ids(tree: LinkedTree) -> Iterator[Like]:
    """Yield the elements of each id."""
    for parent in tree.root.iter():
        for siblings in _by_tag([parent]):
            likes = _by_class(tree, siblings)
            for like in likes:
                yield Like(tuple(like))
                yield from _below(tree, like, BRANCHINGS, 1.0)
            linked = [sum(map(tree.has_link, like)) for like in likes]
            if len(likes) > 1 and max(linked) < MOST * sum(linked):
                yield Like(tuple(siblings))
                yield from _below(tree, siblings, BRANCHINGS, 1.0)


def _below(tree: LinkedTree, parents: list[etree._Element], branchings: int, cover: float) -> Iterator[Like]:
    """Yield the ids of several parents' children, and of theirs."""
    if len(parents) < 2:
        return
    for like in (like for children in _by_tag(parents) for like in _by_class(tree, children)):
        linked = [element for element in like if tree.has_link(element)]
        holding = len({element.getparent() for element in linked})
        covered = cover * holding / len(parents)
        if holding < 2 or covered < COVERED:
            continue
        yield Like(tuple(linked), covered)
        left = branchings - (len(linked) > holding)
        if left:
            yield from _below(tree, linked, left, covered)


def _by_tag(parents: list[etree._Element]) -> Iterator[list[etree._Element]]:
    """Yield the children that have a tag in common."""
    by_tag: dict[str, list[etree._Element]] = {}
    for parent in parents:
        for child in parent:
            by_tag.setdefault(str(child.tag), []).append(child)
    yield from (children for children in by_tag.values() if len(children) > 1)


def _by_class(tree: LinkedTree, children: list[etree._Element]) -> list[list[etree._Element]]:
    """Return those whose classes agree, together."""
    classes: list[list[tuple[str, ...]]] = []
    of_words: dict[tuple[str, ...], int] = {}
    for words in dict.fromkeys(map(tree.class_words, children)):
        found = next((place for place, like in enumerate(classes) if any(_alike(words, each) for each in like)), None)
        if found is None:
            found = len(classes)
            classes.append([])
        classes[found].append(words)
        of_words[words] = found
    groups: list[list[etree._Element]] = [[] for _ in classes]
    for child in children:
        groups[of_words[tree.class_words(child)]].append(child)
    return groups


def _alike(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    if not a or not b:
        return a == b
    return a[0] == b[0] or 2 * len({*a} & {*b}) >= len({*a, *b})
