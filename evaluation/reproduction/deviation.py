"""`python -m evaluation.reproduction.deviation DATA`: constants of `article-deviation`, chosen without their set.

For each set, the share of a parent's text that a child must contain (`SHARE`) and the cost of a line in characters
(`LINE_COST`) are chosen from a grid by the macro F1 of the other sets, and used to extract its articles. The table
compares this F1 with that of the constants in use, which were chosen on all sets.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean

from extractors.content.assembly import BodyLines
from extractors.content.body_fragment import assemble_lines
from extractors.html.tagless_text import build_tree, read_ctext
from extractors.methods.article_deviation.extractor import LINE_COST, METHOD, SHARE, find_body, text_sizes
from extractors.page import make_page

from ..data import DataError, DataSet, Row, read_sets
from ..line_model import family_of
from ..results import score_row
from ..scores import Score, mean
from ..tables import table
from .speed import some

Constants = tuple[float, int]  # share, characters per line
SHIPPED: Constants = (SHARE, LINE_COST)
GRID: tuple[Constants, ...] = tuple(product((0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8), (5, 10, 15, 20)))
ARTICLE = "article"  # the kind of page that the method is for


def scores_of(row: Row) -> dict[Constants, Score]:
    """Return the score of a page for all constants."""
    page = make_page(row.html(), row.url)
    ctext = read_ctext(page.html)
    tree = build_tree(ctext)
    known: dict[int | None, Score] = {None: score_row("", row)}
    found = {}
    for share, cost in GRID:
        sizes = text_sizes(ctext, tree, cost)
        body = find_body(tree, sizes, share) if sizes[0] else None
        if body is not None and body not in known:
            cut = BodyLines([], 0, METHOD, 1.0, "")
            known[body] = score_row(assemble_lines(page, ctext, tree.starts[body], tree.ends[body], cut).text, row)
        found[share, cost] = known[body]
    return found


def f1_of(one: DataSet, sample: int) -> dict[Constants, float]:
    """Return the F1 of a set's articles by constants; empty for a set without any."""
    rows = [row for row in one.articles() if row.kind == ARTICLE]
    pages = [scores_of(row) for row in some(rows, sample, one.name)]
    return {constants: mean([page[constants] for page in pages]).f1 for constants in GRID} if pages else {}


def chosen_without(left: str, f1: Mapping[str, Mapping[Constants, float]]) -> Constants:
    """Return the constants with the best macro F1 on the sets that share no site with `left`; the first of equals."""
    others = [values for name, values in f1.items() if family_of(name) != family_of(left)]
    return max(GRID, key=lambda constants: fmean(values[constants] for values in others))


def main(words: Sequence[str] | None = None) -> int:
    """Print one row per set and the mean; exit code 2 for a mistake in the call or the data."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.reproduction.deviation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", type=Path, metavar="DATA", help="folder with sets/ and sites/")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="articles of a set; default: all")
    arguments = parser.parse_args(words)
    try:
        sets = read_sets(arguments.data)
        f1 = {one.name: values for one in sets if (values := f1_of(one, arguments.sample))}
    except DataError as error:
        parser.error(str(error))
    if len({family_of(name) for name in f1}) < 2:
        parser.error(f"{arguments.data}: two sets with articles are needed, to choose by one and judge by the other")
    rows, left_out = [], []
    for name, values in f1.items():
        constants = chosen_without(name, f1)
        left_out.append(values[constants])
        share, cost = constants
        rows.append([name, f"{values[constants]:.3f}", f"{share}, {cost}", f"{values[SHIPPED]:.3f}"])
    shipped = fmean(values[SHIPPED] for values in f1.values())
    rows.append(["mean", f"{fmean(left_out):.3f}", "", f"{shipped:.3f}"])
    print(table(["set", "F1, set left out", "chosen by the others", f"F1 with {SHARE}, {LINE_COST}"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
