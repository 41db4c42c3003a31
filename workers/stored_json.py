"""Values that Redis keeps as JSON, read by a version of the program that may know fewer of their fields."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any


def known_fields(cls: type[Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a stored object that the dataclass `cls` has fields for."""
    return {field.name: stored[field.name] for field in fields(cls) if field.name in stored}
