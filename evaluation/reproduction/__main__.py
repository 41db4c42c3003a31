"""`python -m evaluation.reproduction DATA [PART …]`: the source methods, measured as in their sources.

articles    pages right: F1 over shingles ≥ .9 (001 says "right" without a definition); and P, R of 003 by Hamming
            distance, of `line-blocks`, `tag-paths` and `article-deviation`
boilerpipe  the same P, R for `article-deviation` and boilerpy3, with which 003 compares it (extra `bench`)
lists       P, R of 003 for `list-rank`, and the entries that `read_entries` finds
thresholds  the thresholds of `tag-paths` (002) from sample pages, and its list noise Cn of bodies and of lists
io          seconds for 1,000 Chinese pages from files to files (001: 21.29 s)

DATA may have any sets and sites. `roles.json` states which development sets tuned a method, have Chinese news or
Chinese pages; other sets tuned no method, and options state their content. Only figures on data that did not tune the
method count: the column "left out" states whether the source's figure is met. Shingle F1 with floors is measured by
`python -m evaluation`, the network's figures by `bp_network` in this package.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..arguments import comma_list, count, mistakes, parser_of
from ..data import DataError, read_sets
from ..methods import UnknownName, check_known
from .lists import TRUTH, read_selectors
from .on_articles import articles, boilerpipe, thresholds
from .on_lists import lists
from .roles import Run, read_roles
from .speed import io

PARTS: dict[str, Callable[[Run], Iterator[str]]] = {
    "articles": articles,
    "boilerpipe": boilerpipe,
    "lists": lists,
    "thresholds": thresholds,
    "io": io,
}


def main(words: Sequence[str] | None = None) -> int:
    """Print the requested parts; exit code 2 for a mistake in call or data."""
    parser = _parser()
    arguments = parser.parse_args(words)
    with mistakes(parser, DataError, UnknownName):
        check_known(arguments.parts, PARTS, "part")
        roles = read_roles(arguments.tuned, arguments.news, arguments.chinese)
        run = Run(read_sets(arguments.data), arguments.sample, roles, read_selectors(arguments.lists))
        for part in arguments.parts or PARTS:
            print(f"{part}:", *PARTS[part](run), "", sep="\n", flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = parser_of("evaluation.reproduction", __doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"default: all of {', '.join(PARTS)}")
    parser.add_argument("--sample", type=count, default=0, metavar="N", help="pages a set; default: all")
    parser.add_argument(
        "--lists", type=Path, default=TRUTH, metavar="FILE",
        help="JSON with selectors of the entries of list pages (format: evaluation/reproduction/lists.py)",
    )  # fmt: skip
    known = "default: those of roles.json"
    parser.add_argument("--tuned", type=comma_list, metavar="NAME,…", help=f"sets that tuned the methods; {known}")
    parser.add_argument("--news", type=comma_list, metavar="NAME,…", help=f"sets of Chinese news; {known}")
    parser.add_argument("--chinese", type=comma_list, metavar="NAME,…", help=f"sets of Chinese pages, for io; {known}")
    return parser


if __name__ == "__main__":
    sys.exit(main())
