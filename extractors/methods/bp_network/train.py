"""`python -m extractors.methods.bp_network.train DIR`: train the network on labelled pages of your own.

DIR contains pages as NAME.html, and for each the article's text as NAME.txt, in UTF-8. The source used twenty pages;
take them from all the sites that you want to extract.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...errors import TrainingMistakes
from ...training import add_held_out, positive, run
from .extractor import METHOD, OWN_WEIGHTS, VERBATIM_METHOD
from .labelled_pages import LabelledLines, labelled_pages, read_labelled
from .network import BODY, HIDDEN, ROUNDS, USED, VERBATIM, Network, Values, learn, learn_line_by_line, save


def main(words: Sequence[str] | None = None) -> int:
    """Train and write the weights; print the errors. Exit code 2 for a mistake in the call or the folder."""
    arguments = _parser().parse_args(words)
    return run(lambda: _write(arguments), arguments.out)


def _write(arguments: argparse.Namespace) -> str:
    pages = _read(arguments.folder, arguments.verbatim)
    learned, held_out = divide(pages, arguments.held_out, arguments.seed)
    network = trained(learned, arguments.seed, arguments.rounds, arguments.verbatim)
    form, method = (VERBATIM, VERBATIM_METHOD) if arguments.verbatim else (USED, METHOD)
    about = {
        "seed": arguments.seed,
        "rounds": 1 if arguments.verbatim else arguments.rounds,
        "pages": len(learned),
        "held_out": len(held_out),
        "lines": sum(len(page.body) for page in learned),
    }
    save(network, arguments.out, form, about)
    told = "".join(
        f"{len(group)} pages {name}: error {error:.4f}, {right:.1%} of the lines right\n"
        for name, group in (("learned", learned), ("held out", held_out))
        if group
        for error, right in [judge(network, group)]
    )
    return f"{told}weights: {arguments.out}; to use them with --method {method}: {OWN_WEIGHTS}={arguments.out}"


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


def trained(
    learned: Sequence[LabelledLines],
    seed: int = 1,
    rounds: int = ROUNDS,
    verbatim: bool = False,
    hidden: int = HIDDEN,
) -> Network:
    """Return the network of `hidden` hidden units that was trained on these pages."""
    inputs, expected = stacked(learned)
    if verbatim:
        *_, last = learn_line_by_line(inputs, expected, seed, hidden)
    else:
        *_, last = learn(inputs, expected, seed, rounds, hidden)
    return last


def stacked(pages: Sequence[LabelledLines]) -> tuple[Values, Values]:
    """Return all lines of some pages: inputs (lines, 12) and expected outputs (lines,)."""
    return np.concatenate([page.inputs for page in pages]), np.concatenate([page.body for page in pages]).astype(float)


def judge(network: Network, pages: Sequence[LabelledLines]) -> tuple[float, float]:
    """Return the mean squared error of a network on some pages, and the share of lines classified correctly."""
    inputs, expected = stacked(pages)
    outputs = network(inputs)
    return float(np.mean((expected - outputs) ** 2)), float(np.mean((outputs > BODY) == (expected > BODY)))


def _read(folder: Path, verbatim: bool) -> list[LabelledLines]:
    pages: list[LabelledLines] = []
    mistakes: list[str] = []
    for page, text in labelled_pages(folder):
        try:
            pages.append(read_labelled(page, text, verbatim))
        except TrainingMistakes as found:
            mistakes += found.lines
    if mistakes:
        raise TrainingMistakes(*mistakes)
    return pages


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m extractors.methods.bp_network.train",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    out = Path("bp-network.json")
    parser.add_argument("folder", type=Path, metavar="DIR", help="pages as NAME.html with NAME.txt beside")
    parser.add_argument("--out", type=Path, default=out, metavar="FILE", help=f"default: {out}")
    parser.add_argument("--seed", type=positive, default=1, metavar="N", help="same seed, same weights; default: 1")
    parser.add_argument("--rounds", type=positive, default=ROUNDS, metavar="N", help=f"default: {ROUNDS}")
    add_held_out(parser, "pages")
    parser.add_argument("--verbatim", action="store_true", help="the source's inputs and procedure, for comparison")
    return parser


if __name__ == "__main__":
    sys.exit(main())
