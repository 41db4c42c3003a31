"""Figures of many tasks in one step: counts by state, the newest report of a run, articles by day, and totals.

A list of a thousand tasks would take ten thousand commands otherwise. The counts by state also shrink: URLs are
accepted, tried again and forgotten. Totals only grow: URLs settled in each state, except in rechecks, and runs ended
with each outcome; they are kept in the hash of the counts.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, cast

import redis

from .. import keys
from ..ledger import day_code
from ..url_states import FINAL_STATES, OPEN_STATES, Counts

TASKS_AT_ONCE = 200  # tasks in one step: 3 ms, in which Redis does nothing else

_READ = """
-- KEYS: the prefix of each task. ARGV: days -> for each task seen, open and final states, its newest report, days
local answer, states = {}, {'seen', 'written', 'duplicate', 'rejected', 'failed', 'forgotten'}
local function size(key) return redis.call('ZCARD', key) end
for place, prefix in ipairs(KEYS) do
  local final = redis.call('HMGET', prefix .. 'counts', unpack(states))
  local days = {}
  for number, day in ipairs(ARGV) do days[number] = day .. ':written' end
  answer[place] = {
    final[1] or '0', size(prefix .. 'waiting') + size(prefix .. 'delayed'), size(prefix .. 'leased'),
    size(prefix .. 'fetched') + size(prefix .. 'held'), final[2] or '0', final[3] or '0', final[4] or '0',
    final[5] or '0', final[6] or '0', redis.call('LINDEX', prefix .. 'runs', 0),
    #days > 0 and redis.call('HMGET', prefix .. 'days', unpack(days)) or {}}
end
return answer
"""
SETTLED_TOTAL = "settled:"  # prefix of the fields that `settle.lua` counts
RUNS_TOTAL = "runs:"  # prefix of the fields that count runs
AT_ONCE = 500  # tasks in one pipeline


@dataclass(frozen=True, slots=True)
class TaskFigures:
    """The figures of one task. `days`: articles by the day on which their URLs were found, in the requested order."""

    counts: Counts
    last_run: dict[str, Any] | None
    days: tuple[int, ...]


def figures_of(connection: "redis.Redis", tasks: Sequence[str], days: Sequence[date] = ()) -> dict[str, TaskFigures]:
    """Return the figures of tasks; those of a task without a ledger are 0."""
    read = connection.register_script(_READ)
    codes = [day_code(day) for day in days]
    figures: dict[str, TaskFigures] = {}
    for start in range(0, len(tasks), TASKS_AT_ONCE):
        names = tasks[start : start + TASKS_AT_ONCE]
        rows = cast(list[list[Any]], read(keys=[keys.of_task(name, "") for name in names], args=codes))
        for name, (seen, *states, run, written) in zip(names, rows, strict=True):
            numbers = dict(zip((*OPEN_STATES, *FINAL_STATES), map(int, states), strict=True))
            figures[name] = TaskFigures(
                Counts(int(seen), numbers),
                json.loads(run) if run else None,
                tuple(int(number or 0) for number in written),
            )
    return figures


@dataclass(frozen=True, slots=True)
class TaskTotals:
    """The totals of one task: `settled` by state, `runs` by outcome."""

    settled: Mapping[str, int] = field(default_factory=dict)
    runs: Mapping[str, int] = field(default_factory=dict)


def totals_of(connection: "redis.Redis", tasks: Sequence[str]) -> dict[str, TaskTotals]:
    """Return the totals of tasks; those of a task without a ledger are empty."""
    totals: dict[str, TaskTotals] = {}
    for start in range(0, len(tasks), AT_ONCE):
        names = tasks[start : start + AT_ONCE]
        pipe = connection.pipeline(transaction=False)
        for name in names:
            pipe.hgetall(keys.of_task(name, "counts"))
        for name, raw in zip(names, cast(list[dict[bytes, bytes]], pipe.execute()), strict=True):
            totals[name] = TaskTotals(_beginning(raw, SETTLED_TOTAL), _beginning(raw, RUNS_TOTAL))
    return totals


def _beginning(raw: Mapping[bytes, bytes], prefix: str) -> dict[str, int]:
    fields = ((name.decode(), int(number)) for name, number in raw.items())
    return {name.removeprefix(prefix): number for name, number in fields if name.startswith(prefix)}
