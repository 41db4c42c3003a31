"""What the commands that train have in common: their mistakes as exit codes, and an option."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from .errors import ExtraMissing, TrainingMistakes

HELD_OUT = 0.2  # share of the pages that are held out for testing


def run(work: Callable[[], str], out: Path, *, stopped: str = "stopped; nothing was written") -> int:
    """Train, and print the result. Return the exit code: 2 for mistakes and files that cannot be written to `out`."""
    try:
        result = work()
    except (TrainingMistakes, ExtraMissing) as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename or out}: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(stopped, file=sys.stderr)
        return 130
    if result:
        print(result)
    return 0


def add_held_out(parser: argparse.ArgumentParser, pages: str) -> None:
    """Add the option for the share of the `pages`, as which they are described, that are held out for testing."""
    told = f"share of the {pages} that are held out; default: {HELD_OUT}"
    parser.add_argument("--held-out", type=share, default=HELD_OUT, metavar="SHARE", help=told)


def positive(text: str) -> int:
    """Return a number of at least 1, as an argument of a command."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return int(text)


def share(text: str) -> float:
    """Return an option's value as a share of the pages. Raises `ArgumentTypeError`."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share of the pages: at least 0 and below 1")
    return found
