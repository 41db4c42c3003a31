"""What the parsers of several commands share."""

import argparse
from pathlib import Path


def parser_of(command: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser for `python -m COMMAND DATA`, to which a command adds its options."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {command}", description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA", help="folder with sets/ and sites/")
    return parser


def comma_list(text: str) -> list[str]:
    """Split at commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def count(text: str) -> int:
    """Return a number, 0 or above."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return int(text)
