"""The second step alone: `python -m evaluation.score OUT DATA` scores predictions made before (`--out OUT`)."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .arguments import mistakes
from .data import DataError, other_kinds, read_sets
from .options import add_scoring_options, chosen_floors, finish, read_run


def main(words: Sequence[str] | None = None) -> int:
    """Score the predictions in a folder; exit code 1 if a floor is missed, 2 for a mistake in the call."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.score", description=__doc__)
    parser.add_argument("out", type=Path, help="folder with predictions")
    parser.add_argument("data", type=Path, help="folder with the pages' truth")
    add_scoring_options(parser)
    arguments = parser.parse_args(words)
    with mistakes(parser, DataError):
        settings = read_run(arguments.out)
        floors = chosen_floors(arguments)
        if floors.settings not in (None, settings) and not arguments.lower_floors:
            parser.error("the floors were measured with other settings than these predictions")
        sets = read_sets(arguments.data)
        return finish(arguments, arguments.out, [*sets, *other_kinds(sets)], settings)


if __name__ == "__main__":
    sys.exit(main())
