"""Values that Redis keeps as JSON, possibly written by another version of the program with other fields."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any


def known_fields(cls: type[Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return those fields of a stored object that the dataclass `cls` has."""
    return {field.name: stored[field.name] for field in fields(cls) if field.name in stored}
