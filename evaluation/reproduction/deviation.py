"""`python -m evaluation.reproduction.deviation DATA`: constants of `article-deviation`, chosen without their set.

For each set, the share of a parent's text that a child must contain (`SHARE`) and the cost of a line in characters
(`LINE_COST`) are chosen from a grid by the macro F1 of the other sets, and used to extract its articles. The table
compares this F1 with that of the constants in use, which were chosen on all sets.
"""

import sys
from collections.abc import Hashable, Sequence
from dataclasses import replace
from statistics import fmean

from extractors.content.assembly import BodyLines
from extractors.content.body_fragment import assemble_lines
from extractors.html.tagless_text import BlockTree, Ctext, build_tree, read_ctext
from extractors.methods.article_deviation.extractor import LINE_COST, METHOD, SHARE, find_body, text_sizes
from extractors.page import Page

from ..arguments import mistakes, parser_of
from ..data import DataError, read_sets
from ..line_model import family_of
from ..tables import table
from .constants import Setting, TunedMethod, f1_of, left_out, measured
from .roles import read_roles

SHIPPED: Setting = (SHARE, LINE_COST)
ARTICLE = "article"  # the kind of page that the method is for


def _read(page: Page) -> tuple[Ctext, BlockTree]:
    ctext = read_ctext(page.html)
    return ctext, build_tree(ctext)


def _find(read: tuple[Ctext, BlockTree], setting: Setting) -> Hashable:
    share, cost = setting
    sizes = text_sizes(*read, int(cost))
    return find_body(read[1], sizes, share) if sizes[0] else None


def _text(page: Page, read: tuple[Ctext, BlockTree], body: int) -> str:
    ctext, tree = read
    return assemble_lines(page, ctext, tree.starts[body], tree.ends[body], BodyLines([], 0, METHOD, 1.0, "")).text


DESCENT = TunedMethod(
    {"SHARE": (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8), "LINE_COST": (5, 10, 15, 20)}, _read, _find, _text
)


def main(words: Sequence[str] | None = None) -> int:
    """Print one row per set and the mean; exit code 2 for a mistake in the call or the data."""
    parser = parser_of("evaluation.reproduction.deviation", __doc__)
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="articles of a set; default: all")
    arguments = parser.parse_args(words)
    with mistakes(parser, DataError):
        sets = [
            replace(one, rows=tuple(row for row in one.articles() if row.kind == ARTICLE))
            for one in read_sets(arguments.data)
        ]
        pages = measured(DESCENT, [one for one in sets if one.rows], arguments.sample, read_roles())
    if len({family_of(name) for name in pages}) < 2:
        parser.error(f"{arguments.data}: two sets with articles are needed, to choose by one and judge by the other")
    chosen = left_out(pages, DESCENT.choosable())
    found = {name: (f1_of(pages[name], one), f1_of(pages[name], SHIPPED)) for name, one in chosen.items()}
    rows = [
        [name, f"{f1:.3f}", f"{chosen[name][0]}, {chosen[name][1]}", f"{shipped:.3f}"]
        for name, (f1, shipped) in found.items()
    ]
    means = [f"{fmean(column):.3f}" for column in zip(*found.values(), strict=True)]
    rows.append(["mean", means[0], "", means[1]])
    print(table(["set", "F1, set left out", "chosen by the others", f"F1 with {SHARE}, {LINE_COST}"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
