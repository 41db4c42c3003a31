"""Values that Redis keeps as JSON, possibly written by another version of the program with other fields."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

_names: dict[type[Any], tuple[str, ...]] = {}  # by dataclass


def known_fields(cls: type[Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return those fields of a stored object that the dataclass `cls` has."""
    return {name: stored[name] for name in names_of_fields(cls) if name in stored}


def names_of_fields(cls: type[Any]) -> tuple[str, ...]:
    """Return the names of a dataclass' fields; `dataclasses.fields` takes several times as long as their reading."""
    if cls not in _names:
        _names[cls] = tuple(field.name for field in fields(cls))
    return _names[cls]
