"""Values that Redis keeps as JSON, read possibly by another version of the program, with fewer fields."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any


def known_fields(cls: type[Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a stored object that the dataclass `cls` has."""
    return {field.name: stored[field.name] for field in fields(cls) if field.name in stored}
