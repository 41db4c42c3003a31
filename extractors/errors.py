"""Errors, named for the reaction that they require; and the import of an extra's packages, which may be missing."""

import importlib
from types import ModuleType


class UnusablePage(Exception):
    """Nothing can be read from a page's bytes, and another attempt does not help: the page belongs in quarantine."""


class BadModel(ValueError):
    """A file of learned weights cannot be used; the message names it and gives the reason."""


class TrainingMistakes(ValueError):
    """The mistakes of a folder of data for training; `lines`: one message each, which names the place."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class ExtraMissing(ImportError):
    """An extra of this project is not installed; the message names it."""


def needs(module: str, extra: str) -> ModuleType:
    """Return the module. Raises `ExtraMissing` if its package is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ExtraMissing(
            f"extra {extra} is not installed: pip install 'exemplar-crawler[{extra}]' ({error})"
        ) from None
