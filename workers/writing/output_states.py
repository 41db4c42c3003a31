"""The states of outputs: how much waits for each, since when, and why; on any machine."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import redis

from .. import keys
from ..addresses import shown
from ..errors import OutputError
from ..extraction_config import config_of
from ..ledger import Ledger, with_pages
from ..sinks import expand, is_queued
from ..sinks.kinds import file_path
from .refused_rows import refused_count, refusing
from .row_queue import all_queues

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
    found = queue_states(connection, [*dict.fromkeys([*all_queues(connection), *refused])])
    found += [state for task in with_pages(connection) for state in _file_outputs(connection, task)]
    states = {(state.task, state.output): state for state in found}  # a file output may have refused rows, too
    complete = (
        replace(state, output=shown(state.output), refused=refused.get(key, 0)) for key, state in states.items()
    )
    waiting = (state for state in complete if state.waiting or state.refused)
    return sorted(waiting, key=lambda state: (state.task, state.output))


def queue_states(connection: "redis.Redis", queues: Sequence[tuple[str, str]]) -> list[OutputState]:
    """Return the states of row queues, without their refused rows. `queues`: task and output, as in the result."""
    pipe = connection.pipeline(transaction=False)
    for task, output in queues:
        pipe.llen(keys.of_task(task, f"rows:{output}"))
        pipe.lindex(keys.of_task(task, f"rows:{output}"), 0)
        pipe.hmget(keys.of_task(task, f"queue:{output}"), "problem", "problem_since")
    answers = pipe.execute()
    states = []
    for queue, rows, oldest, (problem, since) in zip(queues, answers[::3], answers[1::3], answers[2::3], strict=True):
        at = float(oldest.partition(b"\n")[0].split(b" ")[2]) if oldest else None
        text = problem.decode("utf-8", "replace") if problem else ""
        states.append(OutputState(*queue, int(rows), "rows", at, text, float(since) if since else None))
    return states


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
    path = file_path(expand(output, task)).partition("{")[0]
    return next((part for part in reason.split("; ") if path in part), "")
