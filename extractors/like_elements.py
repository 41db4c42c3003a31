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
    """Yield the elements of each id that has `LEAST` of them."""
    for parent in tree.root.iter():
        for like in _children(tree, [parent]):
            if len(like) >= LEAST:
                yield Like(tuple(like))
            yield from _below(tree, like, BRANCHINGS, 1.0)


def _below(tree: LinkedTree, parents: list[etree._Element], branchings: int, cover: float) -> Iterator[Like]:
    """Yield the ids of several parents' children, and of theirs."""
    for like in _children(tree, parents):
        linked = [element for element in like if tree.has_link(element)]
        holding = len({element.getparent() for element in linked})
        covered = cover * holding / len(parents)
        if holding < 2 or covered < COVERED:
            continue
        if len(linked) >= LEAST:
            yield Like(tuple(linked), covered)
        left = branchings - (len(linked) > holding)
        if left:
            yield from _below(tree, linked, left, covered)


def _children(tree: LinkedTree, parents: list[etree._Element]) -> Iterator[list[etree._Element]]:
    """Yield the children that are alike, two at least."""
    by_tag: dict[str, list[etree._Element]] = {}
    for parent in parents:
        for child in parent:
            by_tag.setdefault(str(child.tag), []).append(child)
    for children in by_tag.values():
        if len(children) > 1:
            yield from _by_class(tree, children)


def _by_class(tree: LinkedTree, children: list[etree._Element]) -> Iterator[list[etree._Element]]:
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
    yield from groups
    linked = [sum(map(tree.has_link, group)) for group in groups]
    if len(groups) > 1 and max(linked) < MOST * sum(linked):
        yield children


def _alike(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    if not a or not b:
        return a == b
    return a[0] == b[0] or 2 * len({*a} & {*b}) >= len({*a, *b})
