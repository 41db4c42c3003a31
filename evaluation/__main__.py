"""`python -m evaluation DATA`: every method, and the given peers, on stored pages with known text."""

import argparse
import logging
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from .arguments import comma_list, mistakes, parser_of
from .data import DataError, other_kinds, read_sets
from .left_out import SET, SITES, LeftOut
from .methods import UnknownName, check_known, every_method, parse_methods
from .options import (
    add_scoring_options,
    add_settings,
    chosen_floors,
    chosen_sets,
    chosen_settings,
    finish,
    print_lines,
)
from .peers import PEERS, missing_message, parse_peers
from .perturb import PERTURBATIONS
from .predict import predict
from .results import results_of


def main(words: Sequence[str] | None = None) -> int:
    """Predict, score, print; exit code 1 if a floor is missed, 2 for a mistake in the call."""
    parser = _parser()
    arguments = parser.parse_args(words)
    with mistakes(parser, DataError, UnknownName):
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    floors = chosen_floors(arguments)
    settings = chosen_settings(arguments, floors)
    everything = read_sets(arguments.data)
    everything += other_kinds(everything)
    sets = chosen_sets(everything, arguments.sets)
    left_out = LeftOut(arguments.left_out) if arguments.left_out is not None else None
    names = arguments.methods or every_method(settings.memory)
    if left_out is not None:
        names = [*names, *(f"density@{what}" for what in (SITES, SET))]
    methods = parse_methods(names, settings.memory)
    if left_out is None and any(method.left_out for method in methods):
        raise UnknownName("methods with @sites and @set need --left-out DIR")
    wanted = parse_peers(arguments.peers)
    check_known(arguments.perturb, PERTURBATIONS, "perturbation")
    if message := missing_message(wanted):
        print_lines([message])
    peers = [peer for peer in wanted if peer.installed]
    if peers:
        print_lines([f"peers: {', '.join(f'{peer.name} {peer.version}' for peer in peers)}"])
    logging.disable(logging.CRITICAL)  # peers log problems for each page; only their results are measured
    warnings.simplefilter("ignore")
    predictions = predict(sets, everything, methods, peers, arguments.perturb, settings, left_out)
    results = results_of(predictions, settings.seed, arguments.worst)
    return finish(arguments, results, everything, settings)


def _parser() -> argparse.ArgumentParser:
    parser = parser_of("evaluation", __doc__)
    parser.add_argument(
        "--methods",
        type=comma_list,
        default=[],
        metavar="A,B",
        help="default: all; a method may have +example, +memoryN or +foreign (see methods.py)",
    )
    parser.add_argument("--peers", type=comma_list, default=[], metavar="A,B", help=f"all, or of {', '.join(PEERS)}")
    parser.add_argument("--sets", type=comma_list, default=[], metavar="A,B", help="default: all in the folder")
    parser.add_argument(
        "--perturb", type=comma_list, default=[], metavar="A,B", help=f"perturbed sets too: {', '.join(PERTURBATIONS)}"
    )
    parser.add_argument(
        "--left-out", type=Path, metavar="DIR", help="also measure density with the models of evaluation.left_out"
    )
    add_settings(parser)
    add_scoring_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
