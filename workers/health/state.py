"""The state of a task's health between two observations, and its JSON form."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import lru_cache
from typing import Any

from ..stored_json import known_fields, names_of_fields
from .alarms import Alarm
from .rhythm import Rhythm
from .sequential import ShareTest


@dataclass(frozen=True, slots=True)
class PageMark:
    """The values of a page that are kept for comparison with later pages and as evidence of an alarm."""

    fit: str
    title_mark: int
    text_mark: int
    length: int
    match: float | None
    confidence: float
    words: str


@dataclass(slots=True)
class HealthState:
    """The state of a task's health. `windows`: the last values of each baseline; `example`: the example's version."""

    example: str = ""
    windows: dict[str, list[float]] = field(default_factory=dict)
    tests: dict[str, ShareTest] = field(default_factory=dict)
    rhythm: Rhythm = field(default_factory=Rhythm)
    recent: list[PageMark] = field(default_factory=list)
    alarms: dict[str, Alarm] = field(default_factory=dict)
    history: list[Alarm] = field(default_factory=list)
    told: dict[str, float] = field(default_factory=dict)
    methods: dict[str, float] = field(default_factory=dict)
    pages: int = 0
    visits: int = 0
    start: str = ""
    moved_to: str = ""
    problem: str = ""

    def to_json(self) -> str:
        """Return the JSON text; numbers are rounded to significant digits."""
        return json.dumps(_stored(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes | None, task: str) -> "HealthState":
        """Return the state of a task that `to_json` wrote, of this version or another; a new one for None.

        `task`: its present name, as it may have been renamed.
        """
        row = known_fields(cls, json.loads(text or "{}"))
        row["tests"] = {kind: ShareTest(**known_fields(ShareTest, test)) for kind, test in row.get("tests", {}).items()}
        row["rhythm"] = Rhythm(**known_fields(Rhythm, row.get("rhythm", {})))
        row["recent"] = [PageMark(**known_fields(PageMark, mark)) for mark in row.get("recent", [])]
        row["alarms"] = {kind: Alarm.from_dict(alarm | {"task": task}) for kind, alarm in row.get("alarms", {}).items()}
        row["history"] = [Alarm.from_dict(alarm | {"task": task}) for alarm in row.get("history", [])]
        return cls(**row)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lies; 0 without any."""
    ordered = sorted(values)
    return float(ordered[min(len(ordered) - 1, int(share * len(ordered)))]) if ordered else 0.0


_PLAIN = frozenset((str, int, bool, type(None)))


def _stored(value: Any) -> Any:
    """Return a value in a form for JSON. `asdict` would take at least twice as long, and each job ends with this."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is float:
        return _rounded(value)
    if kind is dict:
        return {name: _stored(part) for name, part in value.items()}
    if kind is list or kind is tuple:
        return [_stored(part) for part in value]
    if is_dataclass(kind):
        return {name: _stored(getattr(value, name)) for name in names_of_fields(kind)}
    return value


@lru_cache(maxsize=4096)  # most values were in the state before
def _rounded(value: float) -> float:
    return float(f"{value:.6g}") if abs(value) < 1e8 else round(value, 1)
