"""Groups of similar elements, as templates repeat them, and such a group as the entries of a list.

The source of `list-rank` calls a group an id. The source's id is depth and class name. Ours is the path from one
element down through children that are similar: the same tag, and classes that agree in their first word or in half of
their words. So entries are similar even if each has a class of its own (`post-123 odd`), and so are entries in several
similar containers: rows of a grid, months of an archive. Siblings of one tag are also an id if their classes have
nothing in common and no group of them is the majority.

As entries of a list, elements have a link and a text of their own. An entry may have links to its author, its section
and its comments. These are in the same places in all entries, so a place is judged over all of them: the entry's own
link has a different target in each entry, and different words, is in a heading if there is one, and points to the
page's own host rather than to another.
"""

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from lxml import etree

from ...html.dom import inner_text
from ...html.tagless_text import BLOCK_TAGS
from .linked_tree import HEADINGS, LinkedTree, Place, TreeLink, fold, in_heading, width_of

LEAST = 3  # elements that a list has at least
LEVELS = 12  # levels below like elements that are searched for further ones
BRANCHINGS = 3  # … and levels at which an element may contain several of them
MOST = 0.6  # share of siblings with links that one class has, from which the other siblings are not like them
MOST_CLASSES = 50  # classes of siblings; more have nothing in common
MOST_LOOKED_AT = 50_000  # elements of ids that are examined; the development pages have up to 4,300
COVERED = 0.3  # share of like elements with a link, or of containers with a like element; tried: .2 to .5
DISTINCT = 0.8  # share of the entries with a target of their own; .5 to .9 give the same
TITLE_MAX = 120  # characters; a longer text of a card is its summary
PLACE_TEXT_MAX = 80  # bytes; more of them do not make a title better
LINKS_LOOKED_AT = 40  # links of an entry that are examined
LENGTH_MAX = 200  # bytes of an entry's own text that count; 200 to 500 give the same
COST = 12  # bytes that do not count, about a word of a menu (four Chinese characters); 10 to 15 give the same
ELSEWHERE = 2  # how many times the words of other links are subtracted
IN_HEADING = 2.0  # factor of links in headings
OTHER_HOST = 0.5  # factor of links to another host
COMMON = 0.5  # share of the entries whose links have the same words, from which these are not a title
_COUNT = re.compile(r"[\W\d_]*(?:\d[\d.,]*(?:\W+\w+){1,2}\W*)?\Z")  # 12 · (1,034 reviews) · 3 comments · no words


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


@dataclass(frozen=True, slots=True)
class Item:
    """An element as an entry: its own link, how many addresses the links in that place have, the width of its text."""

    element: etree._Element
    link: TreeLink
    addresses: int
    length: int


@dataclass(frozen=True, slots=True)
class Items:
    """The entries of an id. `cover`: share of the similar elements, and of their containers, that have one."""

    each: tuple[Item, ...]
    cover: float

    @property
    def links(self) -> list[TreeLink]:
        """The entries' own links."""
        return [item.link for item in self.each]


def as_items(tree: LinkedTree, like: Like) -> Items | None:
    """Return similar elements as entries; None if too few have a link, or too few have a target of their own."""
    linked = [element for element in like.elements if tree.has_link(element)]
    if len(linked) < max(LEAST, COVERED * len(like.elements)):
        return None
    by_place = [_by_place(tree, element) for element in linked]
    found: dict[Place, list[tuple[TreeLink, etree._Element]]] = {}
    for element, places in zip(linked, by_place, strict=True):
        for place, links in places.items():
            found.setdefault(place, []).append((_own(links), element))
    order = sorted(found, key=lambda place: _worth(found[place]), reverse=True)
    items = []
    for element, places in zip(linked, by_place, strict=True):
        links = next(places[place] for place in order if place in places)
        own = _own(links)
        items.append(Item(element, own, len({link.url for link in links}), _own_width(tree, element, own)))
    if len({item.link.url for item in items}) < max(LEAST, DISTINCT * len(items)):
        return None
    return Items(tuple(items), like.cover * len(items) / len(like.elements))


def grown(items: Items) -> tuple[etree._Element, ...]:
    """Return the elements of the entries, extended upwards as long as no two entries share an element."""
    elements = [item.element for item in items.each]
    while True:
        parents = [parent for element in elements if (parent := element.getparent()) is not None]
        if len(set(parents)) < len(elements) or any(parent.tag in ("body", "html") for parent in parents):
            return tuple(elements)
        above = {ancestor for parent in parents for ancestor in parent.iterancestors()}
        if above & set(parents):
            return tuple(elements)
        elements = parents


def host_factor(links: Sequence[TreeLink]) -> float:
    """Return 1 if all links are to the page's own site, `OTHER_HOST` if all are to others, or a value between."""
    return OTHER_HOST + (1 - OTHER_HOST) * sum(link.own_site for link in links) / len(links)


def titles_of(tree: LinkedTree, items: Items) -> list[str]:
    """Return the title of each entry; words that most entries' links share ("Read more") are not a title."""
    counts: Counter[str] = Counter()
    for item in items.each:
        counts.update({fold(text) for text in item.element.itertext()} | {link.text for link in _own_links(tree, item)})
    common = frozenset(text for text, count in counts.items() if count > max(1, COMMON * len(items.each)))
    return [_title(item, _own_links(tree, item), common) for item in items.each]


def _own_links(tree: LinkedTree, item: Item) -> list[TreeLink]:
    return [link for link in tree.links_in(item.element) if link.url == item.link.url]


def _title(item: Item, links: Sequence[TreeLink], common: frozenset[str]) -> str:
    """Return a linked heading, else the first linked words that are a title, else a heading, label or text."""
    named = [link for link in links if link.text not in common and not _COUNT.match(link.text)]
    worded = [link for link in named if not link.labelled]
    for link in sorted(worded, key=lambda link: not in_heading(link.element, item.element)):
        return next(_headings(link.element, common), None) or _short_text(link.element, common, link.text)
    labels = (link.text for link in named)
    found = next(chain(_headings(item.element, common), labels), None)
    return found or _short_text(item.element, common, item.link.text)


def _headings(element: etree._Element, common: frozenset[str]) -> Iterator[str]:
    texts = (fold(inner_text(heading)) for heading in element.iter(*HEADINGS))
    return (text for text in texts if text and text not in common)


def _short_text(element: etree._Element, common: frozenset[str], otherwise: str) -> str:
    """Return the text of an element if it is one block, else its longest part that is not a summary."""
    if all(inner.tag not in BLOCK_TAGS for inner in element.iterdescendants()) and len(otherwise) <= TITLE_MAX:
        return otherwise
    texts = (fold(text) for text in element.itertext())
    parts = (text for text in texts if len(text) <= TITLE_MAX and text not in common and not _COUNT.match(text))
    return max(parts, key=len, default=otherwise) or otherwise


def _by_place(tree: LinkedTree, element: etree._Element) -> dict[Place, list[TreeLink]]:
    """Return the links in each place of an element; links in running text only if there are no others."""
    links = tree.links_in(element)[:LINKS_LOOKED_AT]
    found: dict[Place, list[TreeLink]] = {}
    for link in [link for link in links if not link.in_prose] or links:
        found.setdefault(tree.place(link.element, element), []).append(link)
    return found


def _own(links: Sequence[TreeLink]) -> TreeLink:
    """Return the first link, or of the links to the same address the one with most words."""
    return max((link for link in links if link.url == links[0].url), key=lambda link: link.width)


def _worth(found: Sequence[tuple[TreeLink, etree._Element]]) -> float:
    """Return a score for the links in a place as the entries' own links."""
    links = [link for link, _ in found]
    words = sum(min(width_of(text), PLACE_TEXT_MAX) for text in {link.text for link in links}) / len(links)
    heading = IN_HEADING if in_heading(links[0].element, found[0][1]) else 1.0
    return len({link.url for link in links}) * (1 + words) * heading * host_factor(links)


def _own_width(tree: LinkedTree, element: etree._Element, own: TreeLink) -> int:
    links = tree.links_in(element)
    linked = sum(link.width for link in links)
    elsewhere = sum(link.width for link in links if link.url != own.url)
    text = min(own.width, LENGTH_MAX) + max(0, tree.width(element) - linked - ELSEWHERE * elsewhere)
    return min(LENGTH_MAX, max(1, text - COST))
