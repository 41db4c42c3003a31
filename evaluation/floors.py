"""Lower bounds of scores, so that no change lowers them unnoticed: by set and method, for data of one checksum.

An update raises floors; only an explicit flag lowers them.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from .data import DataError, DataSet
from .predict import Selection
from .results import Result

STEP = 1000  # floors are rounded down to thousandths


@dataclass(frozen=True, slots=True)
class Floors:
    """The floors of a file. `settings`: those of their measurement; `checksums`: by set; `f1`: by set and method."""

    settings: Selection | None = None
    checksums: Mapping[str, str] = field(default_factory=dict)
    f1: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def read_floors(path: Path) -> Floors:
    """Return the floors of a file. Raises `DataError` if it has none."""
    try:
        stored = json.loads(path.read_text("utf-8"))
        sets = stored["sets"]
        return Floors(
            Selection(**stored["settings"]),
            {name: one["checksum"] for name, one in sets.items()},
            {name: dict(one["f1"]) for name, one in sets.items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path} has no floors: {type(error).__name__}: {error}") from None


def write_floors(path: Path, floors: Floors) -> None:
    """Store the floors, sorted, so that a diff is readable."""
    sets: dict[str, Any] = {
        name: {"checksum": floors.checksums[name], "f1": dict(sorted(floors.f1[name].items()))}
        for name in sorted(floors.f1)
    }
    stored = {"settings": asdict(floors.settings or Selection()), "sets": sets}
    path.write_text(json.dumps(stored, indent=2) + "\n", "utf-8")


def failures(floors: Floors, results: Iterable[Result], sets: Iterable[DataSet]) -> list[str]:
    """Return messages on scores below their floors, and on data that differs from that of the floors."""
    found = []
    checksums = {one.name: one.checksum for one in sets}
    for name, floor in sorted(floors.checksums.items()):
        checksum = checksums.get(_plain(name))
        if checksum is not None and checksum != floor:
            found.append(f"{name}: the data differs from what the floors were measured on")
    for result in results:
        wanted = floors.f1.get(result.set, {}).get(result.method)
        if wanted is not None and result.f1 < wanted:
            found.append(f"{result.set}: {result.method} has F1 {result.f1:.4f}, its floor is {wanted:.3f}")
    return found


def missing_sets(floors: Floors, sets: Iterable[DataSet]) -> list[str]:
    """Return the sets that have floors but no data."""
    known = {one.name for one in sets}
    return sorted({_plain(name) for name in floors.f1} - known)


def updated(
    floors: Floors, results: Iterable[Result], sets: Iterable[DataSet], settings: Selection, lower: bool = False
) -> Floors:
    """Return the floors raised to the results of our methods; lowered too if `lower`.

    Floors of changed data do not change, unless `lower`: then they start over, as do all floors under other settings.
    """
    if lower and floors.settings not in (None, settings):
        floors = Floors()
    checksums = {one.name: one.checksum for one in sets}
    f1 = {name: dict(methods) for name, methods in floors.f1.items()}
    sums = dict(floors.checksums)
    for result in results:
        checksum = checksums[_plain(result.set)]
        if result.peer or not result.pages:
            continue
        if sums.setdefault(result.set, checksum) != checksum:
            if not lower:
                continue
            sums[result.set], f1[result.set] = checksum, {}
        methods = f1.setdefault(result.set, {})
        reached = math.floor(result.f1 * STEP) / STEP
        methods[result.method] = reached if lower else max(reached, methods.get(result.method, 0.0))
    return replace(floors, settings=settings, checksums=sums, f1=f1)


def _plain(name: str) -> str:
    return name.partition("+")[0]
