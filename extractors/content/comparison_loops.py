"""Loops of `similarity`, `layout` and `profile` over lines and paths.

Lists are by line, or by number of the path in the page's outline.
"""

from collections.abc import Sequence

from rapidfuzz.distance import MatchingBlock

FUZZY_GAP = 2  # lines of a gap on each side; without this bound near-equal lines cost 13 points on templated bodies
BARREN = 0.05  # share of a place's bytes in the body, up to which the place belongs to the template
BARREN_FACTOR = 0.02  # factor of the content of a line in such a place
SURROUNDING_WIDTH = 200  # bytes; longer lines around the body are another article's, not the template's

Gap = tuple[int, int, int, int]  # start and end in the example, start and end in the page


def match_runs(
    runs: Sequence[MatchingBlock], example_start: int, page_start: int, example: list[float], page: list[float]
) -> list[Gap]:
    """Set the similarity of the lines in runs of equal lines to 1; return the small gaps between these runs.

    The numbers in `runs` begin at the given starts; the last run is empty, at both ends. `example`, `page`: the
    similarities of the lines.
    """
    here, there = example_start, page_start
    gaps = []
    for run in runs:
        last, last_there = here, there
        start, start_there, count = run.a, run.b, run.size
        here, there = example_start + start, page_start + start_there
        if 0 < here - last <= FUZZY_GAP and 0 < there - last_there <= FUZZY_GAP:
            gaps.append((last, here, last_there, there))
        for _ in range(count):
            example[here] = page[there] = 1.0
            here += 1
            there += 1
    return gaps


def place_factors(paths: list[int], above: list[int], share: dict[int, float], holds: dict[int, bool]) -> list[float]:
    """Return the factor of the content in each path: `BARREN_FACTOR` where the example has text but no body, else 1.

    `share`: of a path's bytes in the example's body; `holds`: whether any body is at or below a path. A path that the
    example does not have gets the factor of the nearest element around it that the example has.
    """
    fertile: list[bool] = []
    factors = []
    for number in range(len(paths)):
        path = paths[number]
        around = fertile[above[number]] if number else True
        known = holds.get(path, around) if number else True
        fertile.append(known)
        part = share.get(path, 1.0 if known else 0.0)
        factors.append(1.0 if part > BARREN else BARREN_FACTOR)
    return factors


def at_places(amounts: list[float], places: list[int]) -> list[float]:
    """Return the amount of each line's path."""
    return [amounts[place] for place in places]


def usual_lines(signatures: list[int], places: list[int], usual: dict[int, float]) -> list[float]:
    """Return how usual each line's path is. `signatures`: by path; `usual`: by signature, 0 for all others."""
    of_paths = [usual.get(signature, 0.0) for signature in signatures]
    return [of_paths[place] for place in places]


def with_partner(lines: list[int], similarity: list[float]) -> list[int]:
    """Return those of some lines that have a partner on the other page."""
    return [line for line in lines if similarity[line]]


def markup_shares(
    kept: list[int], weights: list[float], signatures: list[int], leaves: list[int], similarity: list[float]
) -> tuple[dict[int, float], dict[int, float]]:
    """Return the shares of the kept lines' content, without what another page repeats, by signature and by leaf.

    `similarity`: of all lines; the other lists have one entry for each kept line.
    """
    amounts = []
    total = 0.0
    for place in range(len(kept)):
        weight, alike = weights[place], similarity[kept[place]]
        amount = weight * (1 - alike)
        amounts.append(amount)
        total += amount
    by_signature: dict[int, float] = {}
    by_leaf: dict[int, float] = {}
    for place in range(len(kept)):
        amount = amounts[place]
        if amount > 0:
            share = amount / total
            before = by_signature.get(signatures[place], 0.0)
            by_signature[signatures[place]] = before + share
            before = by_leaf.get(leaves[place], 0.0)
            by_leaf[leaves[place]] = before + share
    return by_signature, by_leaf


def short_around(widths: list[float], similarity: list[float], kept: list[int]) -> list[float]:
    """Return the similarities of the short lines that are not kept."""
    body = set(kept)
    found = []
    for line in range(len(widths)):
        width = widths[line]
        if width < SURROUNDING_WIDTH and line not in body:
            found.append(similarity[line])
    return found
