"""`python -m extractors.methods.bp_network.train DIR`: train the network on labelled pages of your own.

DIR contains pages as NAME.html, and for each the article's text as NAME.txt, in UTF-8. The source used twenty pages;
take them from all the sites that you want to extract.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress, track

from ...errors import TrainingMistakes
from ...training import BAR, add_held_out, curve_point, run
from .extractor import METHOD, OWN_WEIGHTS, VERBATIM_METHOD
from .labelled_pages import LabelledLines, labelled_pages, read_labelled
from .network import BODY, GOAL, HIDDEN, ROUNDS, USED, VERBATIM, Network, Values, learn, learn_line_by_line, save

CURVE_POINTS = 12  # lines of the learning curve


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the learning curve.

    Rounds (or lines) learned; mean squared error and share of lines classified correctly, for the training pages and
    for the held-out pages (None without any).
    """

    step: int
    learned: tuple[float, float]
    held_out: tuple[float, float] | None


def main(words: Sequence[str] | None = None) -> int:
    """Train, print the curve, write the weights. Exit code 2 for a mistake in the call or the folder."""
    arguments = _parser().parse_args(words)
    return run(lambda: _write(arguments), arguments.out)


def _write(arguments: argparse.Namespace) -> str:
    errors = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)
    pages = _read(arguments.folder, arguments.verbatim, errors)
    learned, held_out = divide(pages, arguments.held_out, arguments.seed)
    network = _train(arguments, learned, held_out, errors)
    save(network, arguments.out, VERBATIM if arguments.verbatim else USED, _about(arguments, learned, held_out))
    method = VERBATIM_METHOD if arguments.verbatim else METHOD
    return f"\nweights: {arguments.out}; to use them with --method {method}: {OWN_WEIGHTS}={arguments.out}"


def divide(pages: Sequence[LabelledLines], share: float, seed: int) -> tuple[list[LabelledLines], list[LabelledLines]]:
    """Return the training pages and the held-out pages, drawn at random; the same seed gives the same pages.

    Raises `TrainingMistakes` if there are no lines to learn from.
    """
    order = np.random.default_rng([seed, 2]).permutation(len(pages)).tolist()
    count = min(round(share * len(pages)), len(pages) - 1)
    learned = [pages[index] for index in sorted(order[count:])]
    body = np.concatenate([page.body for page in learned])
    if body.all() or not body.any():
        raise TrainingMistakes(f"nothing to learn: {'all lines are' if body.all() else 'no line is'} body")
    return learned, [pages[index] for index in sorted(order[:count])]


def networks(
    learned: Sequence[LabelledLines], seed: int, rounds: int, verbatim: bool, hidden: int = HIDDEN
) -> tuple[Iterator[Network], int]:
    """Return an iterator over the network during training, and the number of its steps."""
    inputs, expected = stacked(learned)
    if verbatim:
        return learn_line_by_line(inputs, expected, seed, hidden), len(inputs)
    return learn(inputs, expected, seed, rounds, hidden), rounds


def trained(
    learned: Sequence[LabelledLines],
    seed: int = 1,
    rounds: int = ROUNDS,
    verbatim: bool = False,
    hidden: int = HIDDEN,
) -> Network:
    """Return the network of `hidden` hidden units that was trained on these pages."""
    steps, _ = networks(learned, seed, rounds, verbatim, hidden)
    *_, last = steps
    return last


def stacked(pages: Sequence[LabelledLines]) -> tuple[Values, Values]:
    """Return all lines of some pages: inputs (lines, 12) and expected outputs (lines,)."""
    return np.concatenate([page.inputs for page in pages]), np.concatenate([page.body for page in pages]).astype(float)


def judge(network: Network, pages: Sequence[LabelledLines]) -> tuple[float, float]:
    """Return the mean squared error of a network on some pages, and the share of lines classified correctly."""
    inputs, expected = stacked(pages)
    outputs = network(inputs)
    return float(np.mean((expected - outputs) ** 2)), float(np.mean((outputs > BODY) == (expected > BODY)))


def _read(folder: Path, verbatim: bool, errors: Console) -> list[LabelledLines]:
    pages: list[LabelledLines] = []
    mistakes: list[str] = []
    for page, text in track(labelled_pages(folder), "reading pages", console=errors, transient=True):
        try:
            pages.append(read_labelled(page, text, verbatim))
        except TrainingMistakes as found:
            mistakes += found.lines
    if mistakes:
        raise TrainingMistakes(*mistakes)
    return pages


def _train(
    arguments: argparse.Namespace, learned: list[LabelledLines], held_out: list[LabelledLines], errors: Console
) -> Network:
    steps, count = networks(learned, arguments.seed, arguments.rounds, arguments.verbatim)
    shown = {round(count ** (point / CURVE_POINTS)) for point in range(CURVE_POINTS + 1)}  # the first steps change most
    curve: list[Point] = []
    print(
        f"{len(learned)} pages to learn from, {len(held_out)} held out; {sum(len(page.body) for page in learned)} lines"
    )
    with Progress(console=errors, transient=True) as progress:
        for step, network in enumerate(progress.track(steps, count, description="learning"), 1):
            if step in shown:
                curve.append(Point(step, judge(network, learned), judge(network, held_out) if held_out else None))
    print("\n".join(_curve(curve, "lines" if arguments.verbatim else "rounds")))
    return network


def _curve(points: Sequence[Point], unit: str) -> Iterator[str]:
    """Yield the learning curve, one line for each point, with a bar for the error on the training pages."""
    yield f"{unit:>7}  {'error':>6}  {'right':>6}  {'held out':>8}  {'right':>6}   goal of the error: {GOAL}"
    longest = max(point.learned[0] for point in points) or 1
    for point in points:
        yield curve_point(f"{point.step:7}", point.learned, point.held_out, BAR * point.learned[0] / longest)


def _about(
    arguments: argparse.Namespace, learned: list[LabelledLines], held_out: list[LabelledLines]
) -> dict[str, object]:
    return {
        "seed": arguments.seed,
        "rounds": 1 if arguments.verbatim else arguments.rounds,
        "pages": len(learned),
        "held_out": len(held_out),
        "lines": sum(len(page.body) for page in learned),
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m extractors.methods.bp_network.train",
        description=__doc__,
        epilog="example: python -m extractors.methods.bp_network.train my-pages --out my-weights.json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="pages as NAME.html with NAME.txt beside")
    parser.add_argument(
        "--out", type=Path, default=Path("bp-network.json"), metavar="FILE", help="default: bp-network.json"
    )
    parser.add_argument("--seed", type=_count, default=1, metavar="N", help="same seed, same weights; default: 1")
    parser.add_argument("--rounds", type=_positive, default=ROUNDS, metavar="N", help=f"default: {ROUNDS}")
    add_held_out(parser, "pages")
    parser.add_argument("--verbatim", action="store_true", help="the source's inputs and procedure, for comparison")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return int(text)


def _positive(text: str) -> int:
    if not _count(text):
        raise argparse.ArgumentTypeError("at least 1")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
