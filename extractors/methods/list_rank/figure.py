"""The figure of `list-rank`: the n best ids by R, beside their mean lengths TL.

The id with the largest R is the list.
"""

from dataclasses import dataclass

from ...figures import NoFigure, element_name, title_of
from ...figures.sheet import BLUE, GREY, INK, Sheet, fit, note
from ...html.dom import inner_text
from ...page import Page
from .extractor import mean_length, rank
from .like_elements import Items, as_items, ids
from .linked_tree import LinkedTree
from .verbatim import CANDIDATES


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
    """The n best candidates by R, the best first, which is the list."""

    method: str
    title: str
    candidates: tuple[RankedId, ...]


def read(method: str, page: Page, example: Page | None) -> Ranking:
    """Return the ranking; the example is not used."""
    tree = LinkedTree(page)
    found = [items for like in ids(tree) if (items := as_items(tree, like))]
    if not found:
        raise NoFigure("no list: no similar linked elements")
    best = sorted(found, key=rank, reverse=True)[:CANDIDATES]
    return Ranking(method, title_of(page), tuple(map(_candidate, best)))


def _candidate(items: Items) -> RankedId:
    element = items.each[0].element
    name = element_name(str(element.tag), element.get("class") or "")
    above = element.getparent()
    if above is not None:
        name = f"{element_name(str(above.tag), above.get('class') or '')} > {name}"
    first = inner_text(items.links[0].element)
    return RankedId(name, len({link.url for link in items.links}), rank(items), mean_length(items), first)


NAME, FIRST = 26, 34  # columns


def draw(sheet: Sheet, data: Ranking) -> None:
    """Draw the ranking."""
    from matplotlib.ticker import EngFormatter, NullLocator

    chosen, number = data.candidates[0], len(data.candidates)
    reason = f"the largest R of {number} candidates" if number > 1 else "the only candidate"
    sheet.headline(data.method, f"{chosen.count} entries, {fit(chosen.name, 40)}, are the list", reason)
    sheet.grow(1.8 + 0.34 * number)
    ranks, means = sheet.columns(2, 3)
    places = range(number)
    colours = [BLUE] + [GREY] * (number - 1)
    ranks.barh(places, [one.rank for one in data.candidates], 0.66, color=colours)
    ranks.set_xscale("log")
    ranks.xaxis.set_major_formatter(EngFormatter(sep=""))
    ranks.xaxis.set_minor_locator(NullLocator())
    ranks.set_xlim(left=1)
    ranks.set_xlabel("R = TL · links^.6, by its factors")
    ranks.set_yticks(places, [fit(one.name, NAME) for one in data.candidates])
    ranks.set_ylim(number - 0.4, -0.6)
    means.barh(places, [one.mean for one in data.candidates], 0.66, color=colours)
    means.set_xlabel("TL: mean bytes of an entry's own text")
    means.set_xlim(0, 2.6 * max(one.mean for one in data.candidates))
    for axes in (ranks, means):
        axes.tick_params(axis="y", length=0)
    for place, one in enumerate(data.candidates):
        said = f"{one.mean:.0f} in {one.count}: {fit(one.first, FIRST)}"
        note(means, said, (one.mean, place), (4, 0), va="center", color=INK)
