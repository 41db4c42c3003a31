"""Packages of the extras, imported where they are needed, with a message that names the extra to install."""

import importlib
from types import ModuleType


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
