"""The totals of many tasks, which only grow: URLs settled in each state, and runs ended with each outcome.

The counts by state (`ledger.Counts`) also shrink: URLs are accepted, tried again and forgotten. A total counts each
time that a URL is settled, except rechecks; it is kept in the hash of the counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import redis

from . import keys

SETTLED_TOTAL = "settled:"  # prefix of the fields that `settle.lua` counts
RUNS_TOTAL = "runs:"  # prefix of the fields that count runs
AT_ONCE = 500  # tasks in one pipeline


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
