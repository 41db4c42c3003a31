"""The time of the steps of an extraction: `python -m evaluation.profile DATA` times each step on stored pages.

The unit is `lxml.html` parsing of the same bytes, timed on the same page just before; figures are medians over the
pages of a size. The steps run in the order of `density`, so the state of caches is that of real use.
`vote`: the cost of one further example for the method `example`, measured with the previous page of the same set.
"""

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import TypeVar

from extractors import UnusablePage
from extractors.content.assembly import ParsedPage, assemble
from extractors.content.line_weights import prior_of
from extractors.html.decoding import decode
from extractors.html.dom import parse
from extractors.html.lines import read_lines
from extractors.html.paths import MAX_TRIE, PathTrie
from extractors.metadata.declared_metadata import read_head
from extractors.methods.density import extractor as density
from extractors.methods.example import extractor as example
from extractors.methods.example.extractor import Voter
from extractors.page import Page

from .data import DataError, DataSet, Row, read_sets
from .results import HEAVY, LIGHT
from .tables import table
from .timing import parse as parse_only
from .timing import settle, timed

SIZES = (("light", 0, LIGHT), ("middle", LIGHT, HEAVY), ("heavy", HEAVY, sys.maxsize))  # bytes
STEPS = ("decode", "parse", "lines", "head", "priors", "body", "assemble", "all", "vote")
Result = TypeVar("Result")


class Stopwatch:
    """The steps of one page: name → milliseconds of CPU time."""

    def __init__(self) -> None:
        self.steps: dict[str, float] = {}

    def __call__(self, step: str, call: Callable[[], Result]) -> Result:
        """Return the call's result, and record its time."""
        result, self.steps[step] = timed(call)
        return result


def main(words: Sequence[str] | None = None) -> int:
    """Print the profile; exit code 2 for a mistake in the call."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.profile", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with sets/ and sites/, or a published benchmark")
    parser.add_argument("--pages", type=int, default=40, metavar="N", help="pages a set, 0 for all (default: 40)")
    arguments = parser.parse_args(words)
    try:
        sets = read_sets(arguments.data)
        settle()
        print(profile([steps for one in sets for steps in steps_of_set(one, arguments.pages)]))
    except DataError as error:
        parser.error(str(error))
    return 0


def steps_of_set(dataset: DataSet, count: int) -> list[tuple[int, dict[str, float]]]:
    """Return the bytes and the steps' milliseconds of `count` of the set's articles, drawn with a fixed seed."""
    rows = dataset.articles()
    chosen = random.Random(dataset.name).sample(rows, min(count or len(rows), len(rows)))
    trie = PathTrie()
    voter: Voter | None = None
    found = []
    for row in chosen:
        trie = PathTrie() if trie.size > MAX_TRIE else trie
        try:
            size, steps, parsed = _steps_of_page(row, trie)
        except UnusablePage:
            continue
        if voter is not None and voter.lines.trie is trie:
            _, steps["vote"] = timed(partial(example.cast, voter, parsed))
        voter = example.voter_of(parsed)
        found.append((size, steps))
    return found


def _steps_of_page(row: Row, trie: PathTrie) -> tuple[int, dict[str, float], ParsedPage]:
    data = row.html()
    watch = Stopwatch()
    watch("lxml", lambda: parse_only(data))
    text = watch("decode", lambda: decode(data)[0])
    page = Page(text, row.url)
    root = watch("parse", lambda: parse(page.encoded()))
    lines = watch("lines", lambda: read_lines(root, trie))
    head = watch("head", lambda: read_head(root))
    prior = watch("priors", lambda: prior_of(lines, [head.title, *head.titles()]))
    parsed = ParsedPage(page, lines, head, prior)
    cut = watch("body", lambda: density.find_body(parsed))
    watch("assemble", lambda: assemble(parsed, cut))
    watch.steps["all"] = sum(time for step, time in watch.steps.items() if step != "lxml")
    return len(data), watch.steps, parsed


def profile(pages: Sequence[tuple[int, dict[str, float]]]) -> str:
    """Return a table with one row per size of page, the steps as multiples of parsing by `lxml.html`."""
    rows = []
    for name, least, most in SIZES:
        chosen = [steps for size, steps in pages if least <= size < most]
        if chosen:
            parsing = f"{median(steps['lxml'] for steps in chosen):.2f}"
            rows.append([name, str(len(chosen)), parsing, *(_ratio(chosen, step) for step in STEPS)])
    return table(["page", "pages", "lxml ms", *(f"×{step}" for step in STEPS)], rows)


def _ratio(pages: Sequence[dict[str, float]], step: str) -> str:
    ratios = [steps[step] / steps["lxml"] for steps in pages if step in steps]
    return f"{median(ratios):.2f}" if ratios else "–"


if __name__ == "__main__":
    sys.exit(main())
