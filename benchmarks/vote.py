"""The cost of the vote: `python -m benchmarks.vote DATA`, extraction by the page alone, with one voter, and with five.

In each group of at least six stored articles the first is the example, and the next four vote beside it. Figures are
medians of CPU time over the pages of a set: milliseconds of `lxml.html.document_fromstring` on the same bytes, and the
other columns as multiples of it, timed on the same page. The order of the calls is drawn for each page, and before each
call another page is parsed (or extracted by trafilatura, if it is installed), so that no call finds warm caches.

`--base FOLDER`: also another version of the package `extractors`, as FOLDER/base_extractors/.
"""

import argparse
import importlib
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

import extractors
from evaluation.data import DataError, DataSet, Row, read_sets
from evaluation.tables import table
from evaluation.timing import in_drawn_order, settle
from evaluation.timing import parse as parse_only
from extractors import walk_in_use
from extractors.methods.example.extractor import MEMORY

from .extraction_speed import BASE, trafilatura

VOTERS = (0, 1, MEMORY)  # 0: the page alone
Times = dict[str, int]  # nanoseconds by name


def main(words: Sequence[str] | None = None) -> int:
    """Print a table with one row per set; exit code 2 for a mistake in the call."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vote", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with sets/ and sites/, or a published benchmark")
    parser.add_argument("--pages", type=int, default=20, metavar="N", help="pages a group, 0 for all (default: 20)")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="times of each page (default: 1)")
    parser.add_argument("--base", type=Path, metavar="FOLDER", help=f"has another version as {BASE}/")
    arguments = parser.parse_args(words)
    try:
        sets = read_sets(arguments.data)
    except DataError as error:
        parser.error(str(error))
    versions: dict[str, Any] = {walk_in_use(): extractors}
    if arguments.base is not None:
        sys.path.append(str(arguments.base))
        versions["base"] = importlib.import_module(BASE)
    between = trafilatura() or (lambda text: parse_only(text.encode()))
    settle()
    print(shown([(one.name, times_of_set(one, versions, between, arguments)) for one in sets], list(versions)))
    return 0


def groups_of(dataset: DataSet) -> Iterator[list[Row]]:
    """Yield the articles of each group that has a page besides the voters."""
    for rows in dataset.members().values():
        if len(rows) > MEMORY:
            yield rows


def times_of_set(
    dataset: DataSet, versions: dict[str, ModuleType], between: Callable[[str], object], options: argparse.Namespace
) -> list[Times]:
    """Return the times of each page of the set."""
    found = []
    for rows in groups_of(dataset):
        voters, others = rows[:MEMORY], rows[MEMORY:]
        chance = random.Random(rows[0].id)
        calls = {name: call for name, version in versions.items() for name, call in calls_of(name, version, voters)}
        for row in chance.sample(others, min(options.pages or len(others), len(others))) * options.rounds:
            another = voters[-1].html().decode("utf-8", "replace")
            found.append(times_of(row, calls, partial(between, another), chance))
    return found


def calls_of(name: str, version: Any, voters: Sequence[Row]) -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield an extractor for each number of voters, with its name."""
    for count in VOTERS:
        section = version.Section(voters[0].html() if count else None, voters[0].url if count else None)
        for row in voters[1:count]:
            section.learn(row.html(), row.url)
        yield f"{name} {count}", section.extract


def times_of(
    row: Row, calls: dict[str, Callable[..., object]], between: Callable[[], object], chance: random.Random
) -> Times:
    """Return the time of each call on a page."""
    html = row.html()
    named: dict[str, Callable[[], object]] = {"lxml": partial(parse_only, html)}
    named |= {name: partial(call, html, row.url) for name, call in calls.items()}
    return in_drawn_order(named, chance, lambda _: between())


def shown(sets: Sequence[tuple[str, list[Times]]], versions: Sequence[str]) -> str:
    """Return a table with one row per set."""
    names = [f"{version} {count}" for version in versions for count in VOTERS]
    rows = []
    for name, times in sets:
        if times:
            parsing = f"{median(each['lxml'] for each in times) / 1e6:.2f}"
            ratios = [f"{median(each[column] / each['lxml'] for each in times):.2f}" for column in names]
            rows.append([name, str(len(times)), parsing, *ratios])
    heads = [f"{version}, voters: {count}" for version in versions for count in VOTERS]
    return table(["set", "pages", "parse ms", *heads], rows)


if __name__ == "__main__":
    sys.exit(main())
