"""The states of outputs: how much waits for each, since when, and why; on any machine."""

import json
from dataclasses import dataclass
from typing import cast

import redis

from ..addresses import shown
from ..errors import OutputError
from ..extraction_config import config_of
from ..ledger import Ledger, with_pages
from ..sinks import expand, is_queued
from .refused_rows import refused_count, refusing
from .row_queue import all_queues, queue_states

UNAVAILABLE = "output unavailable"  # beginning of the reason of a page that waits for an output


@dataclass(frozen=True, slots=True)
class OutputState:
    """An output of a task for which something waits, or that refused rows. Times in Unix seconds, None if unknown.

    `output`: as in tasks.yaml, without secrets. `waiting`: how many rows, or `pages` of a file output; `since`: when
    the oldest of them was queued, or fetched. `refused`: rows that are kept (`workers.writing.refused_rows`).
    """

    task: str
    output: str
    waiting: int = 0
    unit: str = "rows"
    since: float | None = None
    problem: str = ""
    problem_since: float | None = None
    refused: int = 0


def output_states(connection: "redis.Redis") -> list[OutputState]:
    """Return the outputs for which something waits, or that refused rows, by task."""
    refused = {queue: refused_count(connection, *queue) for queue in refusing(connection)}
    queues = [*dict.fromkeys([*all_queues(connection), *refused])]
    states: dict[tuple[str, str], OutputState] = {}
    for state in queue_states(connection, queues):
        number = refused.get((state.task, state.output), 0)
        if state.rows or number:
            states[state.task, state.output] = OutputState(
                state.task,
                shown(state.output),
                state.rows,
                since=state.since,
                problem=state.problem,
                problem_since=state.problem_since,
                refused=number,
            )
    for task in with_pages(connection):
        for own in _file_outputs(connection, task):
            key = task, own.output
            own_refused = refused.get(key, 0)
            states[key] = OutputState(
                task, shown(own.output), own.waiting, "pages", own.since, own.problem, None, own_refused
            )
    return sorted(states.values(), key=lambda state: (state.task, state.output))


def _file_outputs(connection: "redis.Redis", task: str) -> list[OutputState]:
    """Return the file outputs that pages of a task wait for: those that were unavailable when they were tried."""
    ledger, config = Ledger(connection, task), config_of(connection, task)
    reasons = cast(dict[bytes, bytes], connection.hgetall(ledger.keys["why"]))
    names = [name.decode() for name, reason in reasons.items() if reason.startswith(UNAVAILABLE.encode())]
    if config is None or not names:
        return []
    try:
        outputs = [output for output in config.outputs if not is_queued(output, task)]
    except OutputError:
        return []
    pipe = connection.pipeline(transaction=False)
    for name in names:
        pipe.hmget(f"{ledger.keys['page']}:{name}", "delivered", "at")
    waiting: dict[str, tuple[int, float, str]] = {}
    for name, (delivered, at) in zip(names, pipe.execute(), strict=True):
        if at is None:
            continue
        reason = reasons[name.encode()].decode("utf-8", "replace")
        having = json.loads(delivered or "[]")
        for output in outputs:
            if output not in having:
                number, since, problem = waiting.get(output, (0, float(at), ""))
                waiting[output] = number + 1, min(since, float(at)), _problem_of(output, task, reason) or problem
    return [
        OutputState(task, output, number, "pages", since, problem)
        for output, (number, since, problem) in waiting.items()
    ]


def _problem_of(output: str, task: str, reason: str) -> str:
    """Return the part of a page's reason that is about an output; "" if it is about others only."""
    path = expand(output, task).removeprefix("sqlite:///").partition("{")[0]
    return next((part for part in reason.split("; ") if path in part), "")
