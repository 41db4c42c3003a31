"""What method `list-rank` sees: the n best ids by R, and which of them has the largest mean length TL."""

from dataclasses import dataclass

from ...dom import parse
from ...list_rank import Item, candidates, mean_length, rank, with_longest
from ...page import Page
from ..errors import NoFigure
from .pages import element_name, title_of


@dataclass(frozen=True, slots=True)
class Candidate:
    """Like elements. `name`: theirs and their parent's; `count`: of different links; `rank`: R; `mean`: TL, characters;
    `first`: the title of the first entry.
    """

    name: str
    count: int
    rank: int
    mean: float
    first: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """The n best candidates by R, the best first; `chosen`: place of the one that is the list."""

    method: str
    title: str
    candidates: tuple[Candidate, ...]
    chosen: int


def read(method: str, page: Page, example: Page | None) -> Ranking:
    """Return the ranking; an example is of no use to it."""
    found = candidates(parse(page.html), page)
    if not found:
        raise NoFigure("no list: no like elements that each lead elsewhere")
    chosen = found.index(with_longest(found))
    return Ranking(method, title_of(page), tuple(map(_candidate, found)), chosen)


def _candidate(items: list[Item]) -> Candidate:
    element = items[0].element
    name = element_name(str(element.tag), element.get("class") or "")
    above = element.getparent()
    if above is not None:
        name = f"{element_name(str(above.tag), above.get('class') or '')} > {name}"
    return Candidate(name, len({item.url for item in items}), rank(items), mean_length(items), items[0].title)
