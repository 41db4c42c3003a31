"""What the parsers of several commands share."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def parser_of(command: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser for `python -m COMMAND DATA`, to which a command adds its options."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {command}", description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA", help="folder with sets/ and sites/")
    return parser


@contextmanager
def mistakes(parser: argparse.ArgumentParser, *errors: type[Exception]) -> Iterator[None]:
    """End the command with exit code 2 and the message of an error of the given types that is raised in the block."""
    try:
        yield
    except errors as error:
        parser.error(str(error))


def comma_list(text: str) -> list[str]:
    """Split at commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def count(text: str) -> int:
    """Return a number, 0 or above."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return int(text)
