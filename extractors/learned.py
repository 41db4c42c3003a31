"""What learned models have in common: the form of their files, the check of their arrays, the choice of another one."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import BadModel

Numbers = TypeVar("Numbers", NDArray[np.float32], NDArray[np.float64])
Model = TypeVar("Model")


def logistic(values: Numbers) -> Numbers:
    """Return 1 / (1 + e⁻ˣ), without overflow."""
    result: Numbers = 0.5 * (1 + np.tanh(0.5 * values))
    return result


def write_rows(path: Path, content: Mapping[str, Any]) -> None:
    """Write an object as JSON, one row for each key. Raises `OSError`."""
    rows = [f' "{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in content.items()]
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


@contextmanager
def model_file(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the content of a model's file. Raises `BadModel`, which names the file, for an error within the block."""
    try:
        yield json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadModel(f"{path}: not a model of this version: {type(error).__name__}: {error}") from None


def check_arrays(arrays: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raise `ValueError` for an array of another shape or with values that are not finite."""
    for name, array in arrays.items():
        if array.shape != shapes[name] or not np.isfinite(array).all():
            raise ValueError(f"{name!r} has the wrong shape or values that are not numbers")


@contextmanager
def using(model: Model, chosen: ContextVar[Model]) -> Iterator[None]:
    """Use another model than the one in `chosen` within the block, such as one that was not trained on a page."""
    token = chosen.set(model)
    try:
        yield
    finally:
        chosen.reset(token)
