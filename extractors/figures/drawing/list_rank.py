"""The n best ids: their ranks R beside their mean lengths TL; the id with the largest R is the list."""

from matplotlib.ticker import EngFormatter, NullLocator

from ..data.list_rank import Ranking
from .sheet import BLUE, GREY, SMALL_SIZE, Sheet, fit

NAME, FIRST = 26, 34  # columns


def draw(sheet: Sheet, data: Ranking) -> None:
    """Draw the ranking."""
    chosen, number = data.candidates[data.chosen], len(data.candidates)
    reason = f"the largest R of {number} candidates" if number > 1 else "the only candidate"
    sheet.headline(data.method, f"{chosen.count} entries, {fit(chosen.name, 40)}, are the list", reason)
    sheet.grow(1.8 + 0.34 * number)
    ranks, means = sheet.columns(2, 3)
    places = range(number)
    colours = [BLUE if place == data.chosen else GREY for place in places]
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
        means.annotate(said, (one.mean, place), (4, 0), textcoords="offset points", va="center", fontsize=SMALL_SIZE)
