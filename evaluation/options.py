"""The command-line options that prediction and scoring share, and their validation."""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from .arguments import count
from .data import DataError, DataSet
from .floors import Floors, failures, missing_sets, read_floors, updated, write_floors
from .methods import check_known
from .predict import Selection
from .results import Result
from .tables import as_json, report

FLOORS = Path(__file__).parent / "floors.json"


def add_scoring_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the output and of the floors."""
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("--worst", type=count, default=0, metavar="N", help="list the N worst pages of each result")
    parser.add_argument("--floors", type=Path, metavar="FILE", help="exit with 1 if a score is below its floor there")
    parser.add_argument(
        "--update-floors", action="store_true", help=f"raise the floors to the present scores (default: {FLOORS.name})"
    )
    parser.add_argument(
        "--lower-floors", action="store_true", help="the same, and also lower them: only with a documented reason"
    )


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose pages and pairs; by default they are those of the floors, else the defaults."""
    default = Selection()
    helps = {
        "sample": "pairs of example and page measured a set, 0 for all",
        "pages": "single pages measured a set, 0 for all",
        "memory": "pages that example+memory learns beside the example",
        "seed": "for the choice of pairs and the bootstrap",
    }
    for name, text in helps.items():
        parser.add_argument(
            f"--{name}", type=count, metavar="N", help=f"{text} (default: {getattr(default, name)}, or as the floors)"
        )


def chosen_settings(arguments: argparse.Namespace, floors: Floors) -> Selection:
    """Return the settings. Raises `DataError` if they contradict those of the floors."""
    base = floors.settings or Selection()
    given = {f.name: getattr(arguments, f.name) for f in fields(Selection) if getattr(arguments, f.name) is not None}
    settings = Selection(**(asdict(base) | given))
    if floors.settings is not None and settings != floors.settings and not arguments.lower_floors:
        raise DataError(f"the floors were measured with {_words(floors.settings)}, not with {_words(settings)}")
    return settings


def chosen_floors(arguments: argparse.Namespace) -> Floors:
    """Return the floors to check; none without the option, or for a new file."""
    path = floors_file(arguments)
    if path is None or (not path.exists() and (arguments.update_floors or arguments.lower_floors)):
        return Floors()
    return read_floors(path)


def floors_file(arguments: argparse.Namespace) -> Path | None:
    """Return the file of floors to read or write; None without the options."""
    if arguments.floors is not None:
        return Path(arguments.floors)
    return FLOORS if arguments.update_floors or arguments.lower_floors else None


def chosen_sets(sets: Sequence[DataSet], names: Sequence[str]) -> list[DataSet]:
    """Return the sets of these names; without names all sets. Raises `UnknownName`."""
    known = {one.name: one for one in sets}
    check_known(names, known, "set")
    return [known[name] for name in names] if names else list(sets)


def finish(
    arguments: argparse.Namespace, results: Sequence[Result], sets: Sequence[DataSet], settings: Selection
) -> int:
    """Print the tables, check or update the floors; return the exit code."""
    floors = chosen_floors(arguments)
    print(json.dumps(as_json(results), ensure_ascii=False, indent=1) if arguments.json else report(results))
    failed = [] if arguments.lower_floors else failures(floors, results, sets)
    if not arguments.lower_floors and not getattr(arguments, "sets", None):
        failed += [f"{name}: has floors, but no data" for name in missing_sets(floors, sets)]
    path = floors_file(arguments)
    if path is not None and (arguments.update_floors or arguments.lower_floors):
        write_floors(path, updated(floors, results, sets, settings, arguments.lower_floors))
    print_lines(f"FLOOR  {line}" for line in failed)
    return 1 if failed else 0


def print_lines(lines: Iterable[str]) -> None:
    """Print messages for a person on standard error."""
    for line in lines:
        print(line, file=sys.stderr)


def _words(settings: Selection) -> str:
    return ", ".join(f"{name} {value}" for name, value in asdict(settings).items())
