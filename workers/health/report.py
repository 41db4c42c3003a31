"""A task's health for its readers: its baselines, open alarms and their history."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, cast

import redis

from .. import keys
from .alarms import Alarm
from .state import HealthState, quantile
from .store import health_state, with_reasons

AT_ONCE = 200  # tasks in one pipeline; the state of a task has some kilobytes
_BASELINES = {  # key in `HealthState.windows`: name and unit
    "match": ("surrounding match", ""),
    "confidence": ("confidence", ""),
    "length": ("text length", "characters"),
    "new": ("new articles of a visit", ""),
    "links": ("links to articles on lists", ""),
    "failures": ("share of failures of a visit", ""),
}


@dataclass(frozen=True, slots=True)
class Baseline:
    """The usual values of a figure: median and range of the middle 80% of the last values, whose number is `count`."""

    name: str
    unit: str
    median: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The health of a task. `alarms`: open ones, the oldest first; `history`: those that are over, the newest first.

    `pages`, `visits`: how many were counted. `silence`: seconds from the last new article to the last visit;
    `expected`: articles expected in it by the section's rhythm. `hours`: articles an hour by six-hour bins of the
    week, from Thursday 00:00 UTC on.
    """

    task: str
    pages: int
    visits: int
    baselines: tuple[Baseline, ...]
    alarms: tuple[Alarm, ...]
    history: tuple[Alarm, ...]
    silence: float = 0.0
    expected: float = 0.0
    hours: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON-ready form."""
        alarms, history = ([alarm.to_dict() for alarm in some] for some in (self.alarms, self.history))
        return asdict(self) | {"alarms": alarms, "history": history}


def health_report(connection: "redis.Redis", task: str) -> HealthReport:
    """Return the health of a task as it was counted last; an empty report if nothing was observed."""
    state = health_state(connection, task)
    rhythm = state.rhythm
    hours = (
        3600 * articles / seconds if seconds else 0.0
        for articles, seconds in zip(rhythm.articles, rhythm.seconds, strict=True)
    )
    return HealthReport(
        task,
        state.pages,
        state.visits,
        tuple(_baselines(state)),
        tuple(sorted(with_reasons(connection, state.alarms.values()), key=lambda alarm: alarm.opened)),
        tuple(state.history),
        rhythm.silence,
        round(rhythm.expected, 1),
        tuple(round(rate, 3) for rate in hours),
    )


def medians_of(connection: "redis.Redis", tasks: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the median of each baseline of tasks, by the keys of `HealthState.windows`; only what was observed."""
    medians: dict[str, dict[str, float]] = {}
    for start in range(0, len(tasks), AT_ONCE):
        names = tasks[start : start + AT_ONCE]
        pipe = connection.pipeline(transaction=False)
        for name in names:
            pipe.hget(keys.of_task(name, "health"), "state")
        for name, raw in zip(names, pipe.execute(), strict=True):
            medians[name] = _medians(raw)
    return medians


def _medians(raw: bytes | None) -> dict[str, float]:
    try:
        windows = json.loads(raw or "{}").get("windows", {})
        return {key: median(values) for key, values in windows.items() if key in _BASELINES and values}
    except (ValueError, TypeError, AttributeError):  # unreadable: the state starts over at the next observation
        return {}


def present_alarms(connection: "redis.Redis", tasks: Iterable[str] | None = None) -> list[Alarm]:
    """Return the open alarms of all tasks, or of some, by task; two commands for any number of tasks."""
    alarms = with_reasons(connection, open_alarms(connection, tasks))
    return sorted(alarms, key=lambda alarm: (alarm.task, alarm.opened))


def open_alarms(connection: "redis.Redis", tasks: Iterable[str] | None = None) -> list[Alarm]:
    """Return the open alarms of all tasks, or of some, without the reasons why no example is proposed; one command."""
    return [
        Alarm.from_dict({**row, "task": name})  # the stored name may be an earlier one
        for name, rows in _stored_alarms(connection, tasks)
        for row in json.loads(rows or "[]")
    ]


def _stored_alarms(connection: "redis.Redis", tasks: Iterable[str] | None) -> list[tuple[str, bytes | None]]:
    if tasks is None:
        return [
            (name.decode(), rows) for name, rows in cast(dict[bytes, bytes], connection.hgetall(keys.ALARMS)).items()
        ]
    names = list(dict.fromkeys(tasks))
    return [*zip(names, cast(list[bytes | None], connection.hmget(keys.ALARMS, names)), strict=True)] if names else []


def _baselines(state: HealthState) -> list[Baseline]:
    windows = [(name, unit, state.windows[key]) for key, (name, unit) in _BASELINES.items() if state.windows.get(key)]
    windows += [("silence between new articles", "hours", [gap / 3600 for gap in state.rhythm.gaps])] * bool(
        state.rhythm.gaps
    )
    return [
        Baseline(name, unit, round(median(values), 3), *_range(values), len(values)) for name, unit, values in windows
    ]


def _range(values: list[float]) -> tuple[float, float]:
    return round(quantile(values, 0.1), 3), round(quantile(values, 0.9), 3)
