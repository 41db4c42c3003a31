"""Values that Redis keeps as JSON, possibly written by another version of the program with other fields."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar, cast

Value = TypeVar("Value")


def loaded(cls: type[Value], stored: str | bytes | Mapping[str, Any]) -> Value:
    """Return the dataclass `cls` of a JSON text or object, with the dataclasses, tuples and days in it.

    Fields that `cls` does not have are ignored. Raises `ValueError` if others are missing, or of another type.
    """
    value = json.loads(stored) if isinstance(stored, (str, bytes)) else {**stored}
    return cast(Value, adapter_of(cast(Any, cls)).validate_python(value))


@cache
def adapter_of(cls: type[Any]) -> Any:
    """Return pydantic's adapter, which reads and writes the dataclass `cls`; it is made once."""
    from pydantic import TypeAdapter  # a library that many commands do not need

    return TypeAdapter(cls)
