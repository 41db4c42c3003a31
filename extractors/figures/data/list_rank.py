"""The data for the figure of `list-rank`: the n best ids by R, with their mean lengths TL; the best is the list."""

from dataclasses import dataclass

from ...html.dom import inner_text
from ...methods.list_rank.extractor import mean_length, rank
from ...methods.list_rank.like_elements import ids
from ...methods.list_rank.linked_tree import LinkedTree
from ...methods.list_rank.list_items import Items, as_items
from ...methods.list_rank.verbatim import CANDIDATES
from ...page import Page
from ..errors import NoFigure
from .pages import element_name, title_of


@dataclass(frozen=True, slots=True)
class RankedId:
    """A group of similar elements.

    `name`: of the element and its parent; `count`: number of different links; `rank`: R; `mean`: TL, bytes; `first`:
    the title of the first entry.
    """

    name: str
    count: int
    rank: float
    mean: float
    first: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """The n best candidates by R, the best first; `chosen`: the index of the one that is the list."""

    method: str
    title: str
    candidates: tuple[RankedId, ...]
    chosen: int


def read(method: str, page: Page, example: Page | None) -> Ranking:
    """Return the ranking; the example is not used."""
    tree = LinkedTree(page)
    found = [items for like in ids(tree) if (items := as_items(tree, like))]
    if not found:
        raise NoFigure("no list: no similar linked elements")
    best = sorted(found, key=rank, reverse=True)[:CANDIDATES]
    return Ranking(method, title_of(page), tuple(map(_candidate, best)), 0)


def _candidate(items: Items) -> RankedId:
    element = items.each[0].element
    name = element_name(str(element.tag), element.get("class") or "")
    above = element.getparent()
    if above is not None:
        name = f"{element_name(str(above.tag), above.get('class') or '')} > {name}"
    first = inner_text(items.links[0].element)
    return RankedId(name, len({link.url for link in items.links}), rank(items), mean_length(items), first)
